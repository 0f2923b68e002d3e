import { describe, expect, test } from "bun:test";
import { binary, cleanEnv } from "../helpers/binary.ts";
import { setUp, shell } from "../helpers/terminal-run.ts";
import { tmux, Window } from "../helpers/tmux-window.ts";
import { until } from "../helpers/until.ts";

const WIDTHS = [80, 40, 200] as const;
const ANSWER = `## Findings

The **parser** reads each file twice, as \`src/parse.ts\` shows, and so it takes twice as long as it needs to for big files.

| file | reads | fixed |
| --- | --- | --- |
| parse.ts | two | soon |
| lex.ts | one | never |

\`\`\`ts
export function parse(text: string): Tree { return build(tokens(text)); }
\`\`\`

- 漢字 and 🎉 in a list
- the last item`;

/** Words that the conversation must show, whatever happens to the window. */
const WORDS = [
  ...["Findings", "twice", "takes", "reads", "parse.ts", "soon", "never"],
  ...["export", "tokens", "漢字", "🎉", "item", "from-the-tool", "force-pushes", "notes.md", "second-line", "finished"],
];

const STATUS = "fake/model · ";
const isInputLine = (row: string) => row === ">" || row.startsWith("> draft");
const isBorder = (columns: number) => (row: string) => row === "─".repeat(columns);

/** The input line between its two borders, and the status line, are the last rows of the screen. */
function hasBottom(rows: readonly string[], columns: number): boolean {
  const [above = "", line = "", below = "", status = ""] = rows.slice(-4);
  return [above, below].every(isBorder(columns)) && isInputLine(line) && status.startsWith(STATUS);
}

/** True unless the status or the input line is on the screen twice. */
function hasOneBottom(rows: readonly string[]): boolean {
  return [(row: string) => row.startsWith(STATUS), isInputLine].every((is) => rows.filter(is).length === 1);
}

/** Checks what must hold at any size. */
function check(window: Window, columns: number): void {
  const screen = window.screen();
  expect(hasBottom(screen, columns), screen.join("\n")).toBe(true);
  expect(hasOneBottom(screen), screen.join("\n")).toBe(true);
  const all = window.all();
  for (const row of all) expect(Bun.stringWidth(row), row).toBeLessThanOrEqual(columns);
  const text = all.join("").replaceAll(/\s/g, "");
  for (const word of WORDS) expect(text, word).toContain(word);
  const earlier = all.flatMap((row) => /^earlier-output-(\d+)$/.exec(row)?.[1] ?? []);
  expect(earlier).toEqual(Array.from({ length: 50 }, (_, row) => `${row + 1}`));
}

/** Checks what must hold at any size, as soon as it does: tmux resizes, and hooksh draws, after a delay. */
async function checkSoon(window: Window, columns: number): Promise<void> {
  const holds = () => {
    try {
      check(window, columns);
      return true;
    } catch {
      return false;
    }
  };
  await until(holds).catch(() => check(window, columns));
}

/** Starts a run in a shell that has printed rows before. */
function open(window: Window, columns: number): void {
  const guard = 'grep -q force && { echo "no force-pushes here" >&2; exit 2; }; exit 0';
  const keys = {
    hooks: { pre_tool_use: [{ matcher: "shell", hooks: [{ type: "command", name: "guard.sh", command: guard }] }] },
    toolsets: [{ type: "shell" }, { type: "filesystem" }],
  };
  const edit = {
    path: "notes.md",
    edits: [{ oldText: "second", newText: "second-line, which is long enough to be wrapped in a narrow window" }],
  };
  const { cwd } = setUp(
    keys,
    { text: ANSWER, calls: [{ name: "shell", arguments: { cmd: "echo from-the-tool; seq 30" } }] },
    shell("git push --force"),
    { calls: [{ name: "edit_file", arguments: edit }] },
    { text: "All finished." },
  );
  const variables = Object.entries(cleanEnv(cwd, { LC_ALL: "C.UTF-8" }))
    .map(([name, value]) => `${name}='${value}'`)
    .join(" ");
  const before = `cd '${cwd}'; printf 'first\\nsecond\\nthird\\n' > notes.md; for i in $(seq 50); do echo earlier-output-$i; done`;
  window.open(`${before}; env -u TMUX ${variables} '${binary()}' run agent.yaml; cat`, columns, 24);
}

/** Sends a message, answers the questions, and waits for the end. `atQuestion` is called at each question. */
async function converse(window: Window, atQuestion: () => Promise<void> = async () => {}): Promise<void> {
  await window.sees("/help shows");
  window.press("-l", "Look at the parser");
  window.press("Enter");
  for (const shown of ["from-the-tool", "notes.md"]) {
    await window.until(`the question about ${shown}`, (rows) => rows.at(-1)?.endsWith("[n]o:") === true);
    await atQuestion();
    window.press("y");
    await window.until("the end of the question", (rows) => !rows.at(-1)?.endsWith("[n]o:"));
  }
  await window.sees("All finished.");
  await window.until("the idle prompt", (rows) => rows.some((row) => row === ">"));
}

describe.skipIf(!tmux)("a conversation on a screen", () => {
  test.each([...WIDTHS])(
    "of %d columns: every word is there, the input line once, no row too wide",
    async (columns) => {
      const window = new Window(`w${columns}`);
      open(window, columns);
      await converse(window);
      await checkSoon(window, columns);
    },
  );

  test("shows the end of the conversation when a long result is opened and folded again", async () => {
    const window = new Window("folded");
    const { cwd } = setUp({}, shell("seq 1001 1100"), { text: "All finished." });
    const variables = Object.entries(cleanEnv(cwd, { LC_ALL: "C.UTF-8" })).map(([name, value]) => `${name}='${value}'`);
    window.open(`cd '${cwd}'; env -u TMUX ${variables.join(" ")} '${binary()}' run agent.yaml --yolo; cat`, 100, 30);
    await window.sees("/help shows");
    window.enter("Count");
    await window.until(
      "the idle prompt",
      (rows) => rows.some((row) => row === ">") && rows.join().includes("finished"),
    );
    window.press("C-o");
    await window.until("the open result", (rows) => rows.some((row) => row.endsWith("1098")));
    window.press("C-o");
    await window.until("the folded result, the answer and the input line", (rows) => {
      const text = rows.join("\n");
      return (
        !text.includes("1050") && text.includes("more lines") && text.includes("All finished.") && rows.includes(">")
      );
    });
  });

  test("keeps a question and its call on the screen when the window changes", async () => {
    const window = new Window("question");
    open(window, 80);
    await converse(window, async () => {
      // tmux resizes after a delay: the number of rows shows that hooksh has drawn for the new width.
      for (const [columns, isWrapped] of [
        [40, (count: number) => count > 3],
        [80, (count: number) => count === 2],
      ] as const) {
        window.resize(columns, 24);
        await window.until(`the question at ${columns} columns`, (rows) => {
          const open = rows.join("\n").match(/\[n\]o:(?!\s*y)/g) ?? [];
          const count = rows.length - rows.findLastIndex((row) => row.startsWith("→ [y]es / "));
          return open.length === 1 && isWrapped(count) && rows.at(-1)?.endsWith("[n]o:") === true;
        });
      }
    });
    await checkSoon(window, 80);
  });

  test("survives changes of the width and the height: nothing is lost, the bottom is drawn once", async () => {
    const window = new Window("resized");
    open(window, 80);
    await converse(window);
    window.press("-l", "draft");
    await window.sees("> draft");
    for (const [columns, rows] of [
      [40, 24],
      [200, 24],
      [80, 24],
      [80, 10],
      [80, 40],
      [40, 10],
      [200, 40],
    ] as const) {
      window.resize(columns, rows);
      await checkSoon(window, columns);
    }
  });
});
