import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { held, setUp, shell, start } from "../helpers/terminal-run.ts";
import { until } from "../helpers/until.ts";

type Server = ReturnType<typeof setUp>["server"];

const ESCAPE = "\x1b";
const CTRL_C = "\x03";
const CTRL_N = "\x0e";
const CTRL_P = "\x10";
const UP = "\x1b[A";
const DOWN = "\x1b[B";

/** The content of the last message of a request. */
const sent = (server: Server, request: number) => server.requests[request]?.messages.at(-1)?.content;

/** Longer than a key is taken for the beginning of a sequence. */
const KEY_MS = 100;

async function leave(run: ReturnType<typeof start>): Promise<void> {
  run.press("\x04");
  expect(await run.child.exited).toBe(0);
}

describe("while the agent works", () => {
  test.each([
    ["Escape", ESCAPE],
    ["Ctrl+C", CTRL_C],
  ])("%s cancels the answer and keeps what was typed", async (_name, key) => {
    const { server, cwd } = setUp({}, held("never").step, { text: "done" });
    const run = start(cwd);
    await run.sees("> ");
    run.press("go\r");
    await until(() => server.requests.length === 1);
    run.press("my draft");
    await run.sees("my draft");
    run.press(key);
    await run.sees("(canceled)");
    await run.sees("> my draft");
    run.press(", and more\r");
    await run.sees("done");
    expect(sent(server, 1)).toEndWith("\n\nmy draft, and more");
    await leave(run);
  });

  test("Up on an empty line takes back what was queued, the newest first", async () => {
    const { step, release } = held("first answer");
    const { server, cwd } = setUp({}, step, { text: "second answer" });
    const run = start(cwd);
    await run.sees("> ");
    run.press("go\r");
    await until(() => server.requests.length === 1);
    for (const line of ["one", "two", "three"]) {
      run.press(`${line}\r`);
      await run.sees(`(queued) ${line}`);
    }
    run.press(UP);
    await run.sees("(no longer queued) three");
    run.press(` changed${CTRL_C}`);
    await run.sees("(canceled)");
    run.press(ESCAPE);
    await Bun.sleep(KEY_MS);
    run.press(UP);
    await run.sees("(no longer queued) two");
    run.press("!\r");
    await run.sees("second answer");
    expect(sent(server, 1)).toEndWith("two!\n\none");
    release();
    await leave(run);
  });

  test("Escape clears the line for a question that waits for it", async () => {
    const { step, release } = held("unused");
    const { server, cwd } = setUp({ toolsets: [{ type: "shell" }] }, shell("touch made"), { text: "done" }, step);
    const run = start(cwd);
    await run.sees("> ");
    run.press("go\rmy draft");
    await run.sees("A question is waiting");
    run.press(ESCAPE);
    await run.sees("[n]o:");
    run.press("n");
    await run.sees("done");
    expect(server.requests.length).toBe(2);
    release();
    await leave(run);
  });
});

test.each([
  ["on a full terminal", []],
  ["with --plain", ["--plain"]],
])("Escape at a question cancels the call and the answer, %s", async (_name, flags) => {
  const { server, cwd } = setUp({}, shell("touch made"), { text: "done" });
  const run = start(cwd, flags);
  await run.sees("> ");
  run.press(flags.length > 0 ? "go\n" : "go\r");
  await run.sees("[n]o:");
  run.press("escape");
  await Bun.sleep(KEY_MS);
  run.press(ESCAPE);
  await run.sees("(canceled)");
  expect(existsSync(join(cwd, "made"))).toBe(false);
  expect(server.requests.length).toBe(1);
  await run.sees("> ");
  await leave(run);
});

test("with --plain, Ctrl+D leaves on a line of its own", async () => {
  const { cwd } = setUp({}, { text: "done" });
  const run = start(cwd, ["--plain"]);
  await run.sees("> ");
  run.press("go\n");
  await run.sees("done");
  await run.sees("> ");
  await leave(run);
  expect(run.shown()).toContain("> \r\nTo continue: ");
});

describe("the history", () => {
  function withHistory() {
    const set = setUp({}, { text: "done" });
    mkdirSync(join(set.cwd, ".home", ".hooksh"), { recursive: true });
    const entries = ["oldest", "one\ntwo", "newest"];
    writeFileSync(
      join(set.cwd, ".home", ".hooksh", "prompt-history"),
      entries.map((each) => `${JSON.stringify(each)}\n`).join(""),
    );
    return set;
  }

  test.each([
    ["Up", [UP], "newest!"],
    ["Up from a draft", ["draft", UP], "newest!"],
    ["Up three times, past an entry of two lines", [UP, UP, UP], "oldest!"],
    ["Up and Down from a draft", ["draft", UP, DOWN], "draft!"],
    ["Ctrl+P three times, Ctrl+N twice", [CTRL_P, CTRL_P, CTRL_P, CTRL_N, CTRL_N], "newest!"],
  ])("%s: what is typed then follows at the end", async (_name, keys, expected) => {
    const { server, cwd } = withHistory();
    const run = start(cwd);
    await run.sees("> ");
    for (const key of keys) run.press(key);
    run.press("!\r");
    await run.sees("done");
    expect(sent(server, 0)).toBe(expected);
    await leave(run);
  });
});

test.each([
  ["pasted", "all:\tgo", "all:\tgo"],
  ["in a long paste", `${"x:\n\tgo\n".repeat(20)}end`, `${"x:\n\tgo\n".repeat(20)}end`],
])("tabs are sent as tabs, %s", async (_name, pasted, expected) => {
  const { server, cwd } = setUp({}, { text: "done" }, { text: "again" });
  const run = start(cwd);
  await run.sees("> ");
  run.press(`\x1b[200~${pasted}\x1b[201~\r`);
  await run.sees("done");
  expect(sent(server, 0)).toBe(expected);
  run.press(UP);
  run.press("\r");
  await run.sees("again");
  expect(sent(server, 1)).toBe(expected);
  await leave(run);
});

test("$VISUAL may be a path with spaces, and goes before $EDITOR", async () => {
  const { server, cwd } = setUp({}, { text: "done" });
  const editor = join(cwd, "my editors", "the $best one");
  mkdirSync(join(cwd, "my editors"));
  writeFileSync(editor, '#!/bin/sh\necho "edited with $#" > "$1"\n');
  chmodSync(editor, 0o755);
  const run = start(cwd, [], { env: { VISUAL: editor, EDITOR: "false" } });
  await run.sees("> ");
  run.press("\x07");
  await run.sees("edited with 1");
  run.press("\r");
  await run.sees("done");
  expect(sent(server, 0)).toBe("edited with 1");
  await leave(run);
});
