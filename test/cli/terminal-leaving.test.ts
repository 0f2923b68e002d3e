import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { sentByScript, setUp, shell, start, startAtTerminal, type TerminalRun } from "../helpers/terminal-run.ts";

/** Enters a line at the prompt, and waits for what it shows. */
async function enter(run: TerminalRun, line: string, shown: string): Promise<void> {
  run.press(`${line}\r`);
  await run.sees(shown);
}

async function leave(run: TerminalRun): Promise<void> {
  run.press("\x04");
  expect(await run.child.exited).toBe(0);
}

/** Writes the user's config.yaml. */
function configure(cwd: string, settings: object): void {
  const directory = join(cwd, ".home", ".config", "hooksh");
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "config.yaml"), JSON.stringify({ settings }));
}

test.each([
  ["on a full terminal", []],
  ["with --plain", ["--plain"]],
])("the command that continues a session works as it is shown, %s", async (_name, flags) => {
  const { server, cwd } = setUp({}, { text: "the answer" }, { text: "another" });
  const agent = "my 'own' agents, in a folder whose name is longer than one row of this terminal/agent.yaml";
  mkdirSync(dirname(join(cwd, agent)));
  mkdirSync(join(cwd, "the data"));
  renameSync(join(cwd, "agent.yaml"), join(cwd, agent));
  const places = ["--session-db", "my sessions.db", "--data-dir", "the data"];
  const first = startAtTerminal(cwd, ["run", agent, ...places, ...flags]);
  await first.sees("> ");
  await enter(first, "hello", "the answer");
  await first.sees("> ");
  await enter(first, "/quit", "To continue: hooksh run ");
  await first.child.exited;
  const command = /To continue: hooksh (.+?)\r?\n/.exec(first.shown())?.[1] ?? "";
  const sent = await sentByScript(cwd, `$0 ${command} 'go on'`);
  expect(sent).toContain("another");
  expect(server.requests[1]?.messages.map(({ content }) => content)).toEqual(
    expect.arrayContaining(["hello", "go on"]),
  );
});

describe("settings.notify, when a question waits", () => {
  test.each([
    ["bell", /\x07/],
    ["desktop", /\x1b\]9;[^\x07\x1b]+\x07/],
    ["off", undefined],
  ])("%s", async (notify, expected) => {
    const { cwd } = setUp({}, shell("true"), { text: "finished" });
    configure(cwd, { notify, theme: "dark" }); // the query for the background ends in BEL
    const run = start(cwd);
    await run.sees("> ");
    await enter(run, "go", "[n]o:");
    const waiting = run.sent();
    run.press("n");
    await run.sees("finished");
    await leave(run);
    if (expected) expect(waiting).toMatch(expected);
    else expect(run.sent()).not.toMatch(/\x07|\x1b\]9;/);
  });
});

test("agent, welcome message, title and branch cannot control the terminal", async () => {
  const evil = (name: string) => `${name}\x1b]0;owned\x07\x9b2J\u202e`;
  const { cwd } = setUp({ welcome_message: evil("welcome") }, { text: "the answer" });
  const text = await Bun.file(join(cwd, "agent.yaml")).text();
  const yaml = text.replace('"root"', JSON.stringify(evil("agent")));
  writeFileSync(
    join(cwd, "agent.yaml"),
    yaml.replace(/[\x7f-\uffff]/g, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`),
  );
  mkdirSync(join(cwd, ".git"));
  writeFileSync(join(cwd, ".git", "HEAD"), `ref: refs/heads/${evil("branch")}\n`);
  const run = start(cwd, [], { columns: 200 });
  await run.sees("agent\\x1b]0;owned");
  await run.sees("welcome\\x1b]0;owned");
  await run.sees("branch\\x1b]0;owned");
  await enter(run, "hello", "the answer");
  const store = new Database(join(cwd, ".home", ".hooksh", "session.db"));
  store.run("UPDATE sessions SET fields = json_set(fields, '$.title', ?)", [evil("title")]);
  store.close();
  await enter(run, "/sessions", "title\\x1b]0;owned");
  await enter(run, "/new", "(new session)");
  await enter(run, "/resume", "title\\x1b]0;owned");
  await enter(run, "", "Resumed: title\\x1b]0;owned");
  await leave(run);
  expect(run.sent()).not.toMatch(/\x1b\]0|owned\x07|\x9b|\u202e/);
});

describe("no escape sequence", () => {
  test.each([
    ["with --plain", ["--plain"], {}],
    ["with TERM=dumb", [], { TERM: "dumb" }],
  ])("%s", async (_name, flags, env) => {
    const { cwd } = setUp({}, { text: "# the *answer*" }, shell("printf 'a\\033[2Jb'"), { text: "finished" });
    const run = start(cwd, flags, { env });
    await run.sees("> ");
    await enter(run, "hello", "answer");
    await run.sees("> ");
    await enter(run, "/help", "/quit");
    await run.sees("> ");
    await enter(run, "/theme dark", "without colours");
    await run.sees("> ");
    await enter(run, "/model", "fake/model");
    await run.sees("Number");
    run.press("\r");
    await run.sees("> ");
    await enter(run, "go", "[n]o:");
    run.press("y");
    await run.sees("finished");
    await run.sees("> ");
    await enter(run, "/quit", "To continue: ");
    expect(await run.child.exited).toBe(0);
    expect(run.sent()).not.toContain("\x1b");
  });
});

test("Ctrl+O opens the last folded result, and folds it again", async () => {
  const { cwd } = setUp({}, shell("seq 1001 1060"), { text: "finished" });
  const run = start(cwd, ["--yolo"]);
  await run.sees("> ");
  await enter(run, "go", "finished");
  expect(run.shown()).not.toContain("1030");
  run.press("\x0f");
  await run.sees("1030");
  const opened = run.shown().length;
  run.press("\x0f");
  await run.sees("finished");
  expect(run.shown().slice(opened)).not.toContain("1030");
  await leave(run);
});
