import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hooksh } from "../helpers/binary.ts";
import { sh } from "../helpers/call-builtin.ts";
import { agentFor, type FakeOpenAI, fakeOpenAI } from "../helpers/fake-openai.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { startAtTerminal } from "../helpers/terminal-run.ts";

const shell = (cmd: string) => ({ calls: [{ name: "shell", arguments: { cmd } }] });

let server: FakeOpenAI;
let cwd: string;

/** A repository in which an agent changed `a.txt` and created `b.txt` in one turn, and changed `a.txt` again in the next. */
beforeEach(async () => {
  server = fakeOpenAI([
    shell("echo one > a.txt; echo new > b.txt"),
    { text: "did one" },
    shell("echo two > a.txt"),
    { text: "did two" },
  ]);
  cwd = tempDir({ "agent.yaml": agentFor(server), "a.txt": "zero\n", ".gitignore": ".home\n" });
  sh(cwd, "git init -q && git add . && git commit -q -m first");
  const run = await hooksh(["run", "agent.yaml", "--yolo", "--snapshot", "--session", "mine", "first", "second"], {
    cwd,
  });
  expect(run.code).toBe(0);
  expect(content("a.txt")).toBe("two\n");
});

afterEach(() => server.stop());

const content = (name: string) => readFileSync(join(cwd, name), "utf8");
const command = (...args: string[]) => hooksh(args, { cwd });
const gitState = () => sh(cwd, "git rev-parse HEAD; git ls-files --stage; find .git -type f | sort | xargs cksum");

describe("hooksh undo", () => {
  test("restores what the last turn changed, in a later process, and the turn before it on the next call", async () => {
    const first = await command("undo");
    expect(first).toMatchObject({ code: 0, stdout: "restored a.txt\n" });
    expect(content("a.txt")).toBe("one\n");
    const second = await command("undo");
    expect(second.stdout.trim().split("\n").sort()).toEqual(["deleted b.txt", "restored a.txt"]);
    expect(content("a.txt")).toBe("zero\n");
    expect(existsSync(join(cwd, "b.txt"))).toBe(false);
    expect(await command("undo")).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("no snapshots here"),
    });
  });

  test("leaves the conversation and the project's own git repository untouched", async () => {
    const before = { git: gitState(), transcript: (await command("sessions", "export", "mine")).stdout };
    expect((await command("undo", "--session", "mine")).code).toBe(0);
    expect({ git: gitState(), transcript: (await command("sessions", "export", "mine")).stdout }).toEqual(before);
  });

  test("with --dry-run prints what it would do and does nothing", async () => {
    expect(await command("undo", "--dry-run")).toMatchObject({ code: 0, stdout: "would restore a.txt\n" });
    expect(content("a.txt")).toBe("two\n");
    expect((await command("undo", "--session", "-1", "--dry-run")).stdout).toBe("would restore a.txt\n");
  });

  test("--to goes back several steps at once, and requires --yes without a terminal", async () => {
    expect(await command("undo", "--to", "0")).toMatchObject({ code: 64, stderr: expect.stringContaining("--yes") });
    expect(await command("undo", "--to", "soon", "--yes")).toMatchObject({ code: 64 });
    expect(await command("undo", "--to", "2", "--yes")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("choose 0 to 1"),
    });
    expect(await command("undo", "--to", "0", "--dry-run")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("would delete b.txt"),
    });
    expect(content("a.txt")).toBe("two\n");
    expect((await command("undo", "--to", "original", "--yes")).code).toBe(0);
    expect([content("a.txt"), existsSync(join(cwd, "b.txt"))]).toEqual(["zero\n", false]);
    expect((await command("undo", "--yes")).code).toBe(1);
  });

  test("does nothing for a session without snapshots, outside a repository, and with an argument", async () => {
    expect(await command("undo", "--session", "other")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("nothing to undo"),
    });
    expect(await command("undo", "--session", "-9")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("no session -9"),
    });
    expect(await hooksh(["undo"], { cwd: tempDir() })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("no snapshots here"),
    });
    expect(await command("undo", "3")).toMatchObject({ code: 64 });
    expect(content("a.txt")).toBe("two\n");
  });
});

describe("hooksh undo", () => {
  test("list prints how many files each turn changed, show prints which", async () => {
    const { stdout } = await command("undo", "list");
    const lines = stdout.trim().split("\n");
    expect(lines[0]).toBe("Session mine");
    expect(lines.slice(1)).toEqual([
      expect.stringMatching(/^ {2}0 .* 2 files \(original\)$/),
      expect.stringMatching(/^ {2}1 .* 1 file$/),
    ]);
    const json = JSON.parse((await command("undo", "list", "--json")).stdout);
    expect(json).toMatchObject({
      session_id: "mine",
      snapshots: [
        { index: 0, by: "turn" },
        { index: 1, files: [join(cwd, "a.txt")] },
      ],
    });
    expect((await command("undo", "show", "0")).stdout).toContain("  a.txt\n  b.txt\n");
    expect((await command("undo", "show")).stdout.split("\n")[1]).toBe("  a.txt");
  });

  test.each([["0"], ["original"]])("reset --to %s restores the original state", async (to) => {
    writeFileSync(join(cwd, "mine.txt"), "the user's\n");
    expect(await command("undo", "reset", "--to", to, "--dry-run")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("would delete b.txt"),
    });
    expect(content("a.txt")).toBe("two\n");
    expect((await command("undo", "reset", "--to", to, "--yes")).code).toBe(0);
    expect(content("a.txt")).toBe("zero\n");
    expect(existsSync(join(cwd, "b.txt"))).toBe(false);
    expect(content("mine.txt")).toBe("the user's\n");
    expect((await command("undo", "list", "--session", "mine")).stdout).toContain("No snapshots");
  });

  test.each([
    ["y", 0, "one\n"],
    ["n", 1, "two\n"],
  ])("reset asks on a terminal, and %s decides", async (key, code, left) => {
    const run = startAtTerminal(cwd, ["undo", "reset", "--to", "1"]);
    await run.sees("Reset 1 file to the earlier state? [y]es / [n]o: ");
    run.press(key);
    expect(await run.child.exited).toBe(code);
    expect(content("a.txt")).toBe(left);
  });

  test("reset --json prints the result as an object", async () => {
    const { stdout } = await command("undo", "reset", "--to", "1", "--yes", "--json");
    expect(JSON.parse(stdout)).toEqual({
      session_id: "mine",
      ok: true,
      changes: [{ path: "a.txt", action: "restore" }],
      problems: [],
    });
  });

  test("reset changes nothing without a confirmation, a target, or a target that exists", async () => {
    expect(await command("undo", "reset", "--to", "0")).toMatchObject({
      code: 64,
      stderr: expect.stringContaining("--yes"),
    });
    expect((await command("undo", "reset", "--yes")).code).toBe(64);
    expect((await command("undo", "reset", "--to", "soon", "--yes")).code).toBe(64);
    expect(await command("undo", "reset", "--to", "2", "--yes")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("choose 0 to 1"),
    });
    expect((await command("undo", "forget")).code).toBe(64);
    expect((await command("undo", "list", "--yes")).code).toBe(64);
    expect(content("a.txt")).toBe("two\n");
  });
});
