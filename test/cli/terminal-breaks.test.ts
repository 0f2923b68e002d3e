import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { binary, cleanEnv } from "../helpers/binary.ts";
import type { Step } from "../helpers/fake-openai.ts";
import { setUp, shell } from "../helpers/terminal-run.ts";
import { closeWindows, tmux, Window } from "../helpers/tmux-window.ts";

afterAll(closeWindows);

/** An answer in pieces, each of which the test releases. */
function inPieces(...pieces: string[]) {
  const released = pieces.map(() => Promise.withResolvers<void>());
  const chunk = (delta: object, finish: string | null = null) =>
    `data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 1, model: "fake", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const step = async () =>
    new Response(
      async function* () {
        for (const [index, content] of pieces.entries()) {
          await released[index]?.promise;
          yield chunk({ role: "assistant", content });
        }
        yield `${chunk({}, "stop")}data: [DONE]\n\n`;
      },
      { headers: { "content-type": "text/event-stream" } },
    );
  return { step, release: (index: number) => released[index]?.resolve() };
}

/** Opens an interactive shell, and in it the agent. */
async function open(name: string, ...steps: Step[]): Promise<Window> {
  const { cwd } = setUp({}, ...steps);
  const variables = Object.entries(cleanEnv(cwd, { LC_ALL: "C.UTF-8", EDITOR: `sh ${join(cwd, "editor.sh")}` }))
    .map(([key, value]) => `${key}='${value}'`)
    .join(" ");
  await Bun.write(join(cwd, "editor.sh"), "echo EDITING; read line < /dev/tty");
  const window = new Window(name);
  window.open(`cd '${cwd}'; env -u TMUX PS1='shell: ' ${variables} bash --norc --noprofile -i`, 60, 16);
  await window.sees("shell:");
  window.enter(`'${binary()}' run agent.yaml`);
  await window.sees("/help shows");
  return window;
}

const WORDS = Array.from({ length: 60 }, (_, index) => `word${index}.`);
const PIECES = [0, 12, 30].map((from, index) => `${WORDS.slice(from, [12, 30, 60][index]).join(" ")} `);

/** Checks that each word of the answer stands in a row, and in order. */
function expectAllWords(window: Window): void {
  const rows = window.all().filter((row) => row.startsWith("word"));
  const seen = [...new Set(rows.join(" ").split(" "))];
  expect(seen, rows.join("\n")).toEqual(WORDS);
}

describe.skipIf(!tmux || !Bun.which("bash"))("no word of an answer is lost that arrives", () => {
  test("while hooksh is suspended: Ctrl+Z and fg", async () => {
    const { step, release } = inPieces(...PIECES);
    const window = await open("suspended", step);
    window.enter("go");
    release(0);
    await window.sees("word11.");
    window.press("C-z");
    await window.sees("Stopped");
    release(1);
    window.enter("fg");
    await window.sees("word29.");
    release(2);
    await window.sees("word59.");
    await window.until("the idle prompt", (rows) => rows.includes(">"));
    expectAllWords(window);
  });

  test("while the user writes in an editor: Ctrl+G", async () => {
    const { step, release } = inPieces(...PIECES);
    const window = await open("edited", step);
    window.enter("go");
    release(0);
    await window.sees("word11.");
    window.press("C-g");
    await window.sees("EDITING");
    window.press("Enter");
    await window.until("the input line", (rows) => rows.includes("»"));
    release(1);
    await window.sees("word29.");
    release(2);
    await window.sees("word59.");
    await window.until("the idle prompt", (rows) => rows.includes(">"));
    expectAllWords(window);
  });

  test("after the screen was cleared: Ctrl+L", async () => {
    const { step, release } = inPieces(...PIECES);
    const window = await open("cleared", step);
    window.enter("go");
    release(0);
    await window.sees("word11.");
    window.press("C-l");
    await window.until("the cleared screen", (rows) => !rows.some((row) => row.includes("/help shows")));
    release(1);
    await window.sees("word29.");
    release(2);
    await window.sees("word59.");
    await window.until("the idle prompt", (rows) => rows.includes(">"));
    expectAllWords(window);
  });
});

test.skipIf(!tmux || !Bun.which("bash"))("Ctrl+Z suspends at a question too, which waits for fg", async () => {
  const window = await open("question", shell("touch made"), { text: "all done" });
  window.enter("go");
  await window.until("the question", (rows) => rows.at(-1)?.endsWith("[n]o:") === true);
  window.press("C-z");
  await window.sees("Stopped");
  window.enter("fg");
  await window.until("the question again", (rows) => rows.at(-1)?.endsWith("[n]o:") === true);
  window.press("n");
  await window.sees("all done");
});

describe.skipIf(!tmux)("a terminal that shows some emoji wider than others do", () => {
  test("keeps the rest of the row, and the rows below, in their places", async () => {
    const long = "words that make the table as wide as the window, because they need even more than a row";
    const table = `| a | b |\n| --- | ---: |\n| 👍🏽 | first |\n| 👨‍👩‍👧‍👦 | second |\n| 🇩🇪 | third |\n| x | ${long} |\n`;
    const { step, release } = inPieces(table);
    release(0);
    const window = await open("emoji", step);
    window.enter("go");
    await window.until("the idle prompt", (rows) => rows.some((row) => row.includes("need")) && rows.includes(">"));
    const rows = window.all();
    for (const word of ["first", "second", "third"]) expect(rows.join("\n")).toMatch(new RegExp(`│ +${word}$`, "m"));
  });
});
