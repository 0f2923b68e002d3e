import { expect, test } from "bun:test";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { converse, type Exchange, setUp, start } from "../helpers/terminal-run.ts";

interface Listed {
  title: string;
  working_dir: string;
}

/** Two sessions of one folder and one of another, and the environment in which both folders share their sessions. */
async function threeSessions() {
  const { cwd } = setUp({}, { text: "answer one" }, { text: "answer two" }, { text: "answer three" });
  const other = tempDir();
  cpSync(join(cwd, "agent.yaml"), join(other, "agent.yaml"));
  const env = { HOOKSH_DATA_DIR: tempDir() };
  for (const [folder, message] of [
    [cwd, "first"],
    [cwd, "second"],
    [other, "elsewhere"],
  ] as const)
    expect((await hooksh(["run", "agent.yaml", message], { cwd: folder, env })).code).toBe(0);
  const listed = async () =>
    JSON.parse((await hooksh(["sessions", "list", "--json"], { cwd, env })).stdout) as Listed[];
  return { cwd, other, env, listed };
}

const ended = async (cwd: string, args: string[], env: Record<string, string>, typed: Exchange[]) => {
  const run = start(cwd, args, { env });
  await converse(run, [["", "> "], ...typed, ["/exit\r"]]);
  expect(await run.child.exited).toBe(0);
  return run;
};

test("/resume lists this folder first, and Tab, Ctrl+P, Ctrl+R and Ctrl+X show the others, preview, rename and delete", async () => {
  const { cwd, other, env, listed } = await threeSessions();
  const run = await ended(cwd, [], env, [
    ["/resume\r", "Resume a session", "second", " ago · 2 messages", "first", "Ctrl+X: delete"],
    (screen) => expect(screen.shown()).not.toContain("elsewhere"),
    ["\x10", "> second", "answer two"],
    ["\x1b[B", "→ first"],
    ["\x12", "New title: "],
    ["Renamed\r", "→ Renamed"],
    ["\x18", "Delete the session: Renamed", "Keep it"],
    ["\r", "→ Renamed"],
    ["\x18", "Delete the session: Renamed"],
    ["\x1b[B", "→ Delete it"],
    ["\r", "→ second"],
    ["\t", "→ elsewhere", `2 messages · ${other}`],
    ["elsew", "> elsew"],
    ["\r", `(tools work in ${other}`, "Resumed: elsewhere", "answer three"],
    ["/title\r", "Title: elsewhere"],
    ["/title A better \x1b[200~name\x1b[201~\r", "(title: A better name)"],
  ]);
  expect(run.shown()).not.toContain("error");
  expect((await listed()).map(({ title }) => title)).toEqual(["A better name", "second"]);
});

test("with --plain, the list takes an action and a number", async () => {
  const { cwd, env, listed } = await threeSessions();
  await ended(cwd, ["--plain"], env, [
    ["/resume\r", "1. second", "2. first", "or folders, preview, rename, delete, and a number"],
    ["preview 2\r", "> first", "answer one", "1. second"],
    ["rename 2\r", "New title: "],
    ["Renamed\r", "2. Renamed"],
    ["folders\r", "1. elsewhere", "3. Renamed"],
    ["delete 2\r", "Delete the session: second", "2. Delete it"],
    ["2\r", "1. elsewhere", "2. Renamed"],
    ["rename 9\r", 'There is no "rename 9" in the list'],
  ]);
  expect((await listed()).map(({ title }) => title)).toEqual(["elsewhere", "Renamed"]);
});
