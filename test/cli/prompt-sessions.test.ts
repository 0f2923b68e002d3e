import { expect, test } from "bun:test";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hooksh } from "../helpers/binary.ts";
import { sh } from "../helpers/call-builtin.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { converse, type Exchange, setUp, shell, start } from "../helpers/terminal-run.ts";

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
    ["\x12", "New title (now first): "],
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
    ["rename 2\r", "New title (now first): "],
    ["Renamed\r", "2. Renamed"],
    ["folders\r", "1. elsewhere", "3. Renamed"],
    ["delete 2\r", "Delete the session: second", "2. Delete it"],
    ["2\r", "1. elsewhere", "2. Renamed"],
    ["rename 9\r", 'There is no "rename 9" in the list'],
  ]);
  expect((await listed()).map(({ title }) => title)).toEqual(["elsewhere", "Renamed"]);
});

const WORDS = ["one", "two", "three"];

/** A repository whose agent writes `one`, `two` and `three` into `a.txt`, one after each message. */
function repository() {
  const { cwd } = setUp({}, ...WORDS.flatMap((word) => [shell(`echo ${word} > a.txt`), { text: `did ${word}` }]));
  writeFileSync(join(cwd, "a.txt"), "zero\n");
  sh(cwd, "git init -q && printf '.home\\nevents.log\\n' > .gitignore && git add . && git commit -q -m first");
  const holds = (text: string) => () => expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe(text);
  return { cwd, holds };
}

test("/rewind restores the files that tools have changed since a message, without a flag and without the user's git", async () => {
  const { cwd, holds } = repository();
  const gitState = () => sh(cwd, "git rev-parse HEAD; git ls-files --stage; find .git -type f | sort | xargs cksum");
  const before = gitState();
  await ended(cwd, ["--yolo"], {}, [
    ["/rewind\r", "there is no earlier message"],
    ...WORDS.map((word): Exchange => [`make ${word}\r`, `did ${word}`, "> "]),
    ["/rewind\r", "Rewind conversation and files", "→ make three", "make two"],
    ["\x1b[B", "→ make two"],
    ["\r", "would restore a.txt", "Restore 1 file, and go back"],
    holds("three\n"),
    ["\r", "restored a.txt", "(back before this message, in a new session; the files are restored)", "> make two"],
    holds("one\n"),
    ["\x15/title\r", "Title: make one"],
    // The new session inherits what is left to undo, also if only the conversation goes back.
    ["/back\r", "→ make one"],
    ["\r", "files are as they were: /undo restores them"],
    holds("one\n"),
    ["\x15/undo\r", "restored a.txt"],
    holds("zero\n"),
  ]);
  expect(gitState()).toBe(before);
});

test("a run whose files cannot be recorded says so once, and goes on; --no-snapshot records nothing", async () => {
  const { cwd, holds } = repository();
  const git = Bun.which("git");
  const programs = tempDir({ git: `#!/bin/sh\ncase "$*" in *write-tree*) exit 3;; esac\nexec ${git} "$@"\n` });
  sh(programs, "chmod +x git");
  const env = { PATH: `${programs}:${process.env["PATH"]}` };
  const run = await ended(cwd, ["--yolo"], env, [
    ["make one\r", "cannot be undone from here on:", "recording its files failed", "did one"],
    ["make two\r", "did two"],
    holds("two\n"),
    ["/rewind\r", "→ make two"],
    ["\r", "files are as they were: no change by a tool"],
    ["\x15"],
  ]);
  expect(run.shown().split("cannot be undone").length).toBe(2);
  await ended(cwd, ["--yolo", "--no-snapshot"], {}, [["/undo\r", "--no-snapshot or settings.snapshot turns it off"]]);
});
