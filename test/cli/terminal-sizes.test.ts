import { afterAll, describe, expect, test } from "bun:test";
import { binary, cleanEnv } from "../helpers/binary.ts";
import { setUp, shell } from "../helpers/terminal-run.ts";
import { closeWindows, tmux, Window } from "../helpers/tmux-window.ts";
import { until } from "../helpers/until.ts";

afterAll(closeWindows);

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
  const before = `printf 'first\\nsecond\\nthird\\n' > notes.md; for i in $(seq 50); do echo earlier-output-$i; done`;
  run(window, cwd, columns, { before });
}

/** Runs the agent of a folder in a window that stays open after it. */
function run(window: Window, cwd: string, columns: number, { before = ":", args = "" } = {}): void {
  const variables = Object.entries(cleanEnv(cwd, { LC_ALL: "C.UTF-8" }))
    .map(([name, value]) => `${name}='${value}'`)
    .join(" ");
  window.open(
    `cd '${cwd}'; ${before}; env -u TMUX ${variables} '${binary()}' run agent.yaml ${args}; cat`,
    columns,
    24,
  );
}

const LONG_ANSWER = `
| file | finding | state |
| --- | --- | --- |
${Array.from({ length: 14 }, (_, at) => `| file-${at}.ts | finding-${at}, which is too long for one row of a narrow window | state-${at} |`).join("\n")}

\`\`\`ts
${Array.from({ length: 8 }, (_, at) => `const name_${at} = compute("first", "second", "third", "fourth", "fifth"); // end-${at}`).join("\n")}
\`\`\`
`;
const PART = /(file|finding|state|name|end)[-_]\d+\b/g;
const PARTS: readonly string[] = LONG_ANSWER.match(PART) ?? [];

/** The parts of {@link LONG_ANSWER} that are in the scrollback and on the screen twice. */
function twice(window: Window): string[] {
  const seen: readonly string[] = window.all().join("\n").match(PART) ?? [];
  return seen.filter((part, at) => seen.indexOf(part) !== at);
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
    run(window, cwd, 100, { args: "--yolo" });
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

  test.each([
    [60, 120],
    [60, 61],
    [40, 100],
  ])("shows each row of a table and of code once when the window grows from %d to %d columns", async (from, to) => {
    const window = new Window(`once${from}-${to}`);
    run(window, setUp({}, { text: LONG_ANSWER }).cwd, from);
    await window.sees("/help shows");
    window.enter("Look");
    await window.until("the idle prompt", (rows) => rows.join().includes("end-7") && rows.some((row) => row === ">"));
    window.resize(to, 24);
    await window.until("the wider input line", (rows) => rows.some(isBorder(to)) && rows.some((row) => row === ">"));
    const text = window
      .all()
      .join("")
      .replaceAll(/[^\w-]/g, "");
    expect(PARTS.filter((part) => !text.includes(part))).toEqual([]);
    // The row at the top of the screen may have begun above it.
    expect(new Set(twice(window).map((part) => part.replace(/\D+/, ""))).size).toBeLessThanOrEqual(1);
  });

  test("leaves no input line in the scrollback when the screen is cleared", async () => {
    const window = new Window("cleared");
    run(window, setUp({}, ...["one", "two", "three"].map((word) => ({ text: `Answer ${word}.` }))).cwd, 60);
    await window.sees("/help shows");
    for (const word of ["one", "two", "three"]) {
      window.enter(`Say ${word}`);
      await window.sees(`Answer ${word}.`);
      await window.until("the idle prompt", (rows) => rows.some((row) => row === ">"));
      window.press("C-l");
      await window.until("a clear screen", (rows) => !rows.join().includes("Answer"));
    }
    const all = window.all();
    expect(all.filter(isBorder(60)), all.join("\n")).toHaveLength(2);
    for (const word of ["one", "two", "three"])
      expect(all.filter((row) => row.includes(`Answer ${word}.`))).toHaveLength(1);
  });
});
