import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { existsSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { completions } from "../../../src/terminal/tui/completions.ts";
import { projectFiles } from "../../../src/terminal/tui/project-files.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

const signal = new AbortController().signal;

function git(cwd: string, ...args: string[]): void {
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.org", ...args], { cwd, stdio: "ignore" });
}

function repository(files: Readonly<Record<string, string>>): string {
  const cwd = tempDir(files);
  git(cwd, "init", "-q");
  return cwd;
}

const listed = async (cwd: string) => [...(await projectFiles(cwd, signal))].sort();

async function suggested(cwd: string, line: string): Promise<string[]> {
  const provider = completions({ commands: () => [], directory: () => cwd });
  const found = await provider.getSuggestions([line], 0, line.length, { signal });
  return found?.items.map(({ value }) => value) ?? [];
}

test("in a repository, files that git ignores are left out, and hidden ones are not", async () => {
  const cwd = repository({ ".gitignore": "*.log\n", "a.txt": "", "src/b.ts": "", "debug.log": "", ".env.example": "" });
  git(cwd, "add", "a.txt");
  expect(await listed(cwd)).toEqual([".env.example", ".gitignore", "a.txt", "src/b.ts"]);
  expect(await listed(join(cwd, "src"))).toEqual(["b.ts"]);
});

test("outside a repository, hidden files and node_modules are left out, and links are not followed", async () => {
  const cwd = tempDir({ "a.txt": "", "src/b.ts": "", ".env": "", "node_modules/x/index.js": "" });
  symlinkSync("..", join(cwd, "src/up"));
  symlinkSync("loop", join(cwd, "loop"));
  expect(await listed(cwd)).toEqual(["a.txt", "loop", "src/b.ts", "src/up"]);
});

test.each([
  ["in a repository", repository],
  ["outside", tempDir],
])(
  "names with spaces are completed in quotation marks, and hostile names are not offered, %s",
  async (_where, make) => {
    const hostile = ["a\nb.txt", "a\x1b[2Jb.txt", "a\u202etxt.exe", 'a"b.txt', "a\u2028b.txt"];
    const cwd = make(Object.fromEntries(["my shot.png", "日本.txt", ...hostile].map((name) => [name, ""])));
    expect(await listed(cwd)).toEqual(["my shot.png", "日本.txt"]);
    expect(await suggested(cwd, "see @my")).toEqual(['@"my shot.png"']);
    expect(await suggested(cwd, 'see @"my sh')).toEqual(['@"my shot.png"']);
    expect(await suggested(cwd, "see (@日")).toEqual(["@日本.txt"]);
    expect(await suggested(cwd, "me@my")).toEqual([]);
  },
);

test("a completion replaces what was typed", () => {
  const provider = completions({ commands: () => [], directory: () => "/" });
  const item = { value: '@"my shot.png"', label: "my shot.png" };
  expect(provider.applyCompletion(["see @my now"], 0, 7, item, "@my")).toEqual({
    lines: ['see @"my shot.png" now'],
    cursorLine: 0,
    cursorCol: 19,
  });
});

test("a repository runs no program, and another repository in it is not listed", async () => {
  const cwd = repository({ "a.txt": "", "inner/b.txt": "", "spy!x": `#!/bin/sh\ntouch "$(dirname "$0")/ran"\n` });
  git(join(cwd, "inner"), "init", "-q");
  for (const key of ["core.fsmonitor", "core.hooksPath", "core.pager", "filter.x.clean", "core.sshCommand"])
    git(cwd, "config", key, join(cwd, "spy"));
  writeFileSync(join(cwd, ".gitattributes"), "* filter=x\n");
  git(join(cwd, "inner"), "config", "core.fsmonitor", join(cwd, "spy"));
  expect(await listed(cwd)).toEqual([".gitattributes", "a.txt", "spy"]);
  expect(existsSync(join(cwd, "ran"))).toBe(false);
});

test("an ignore file that never ends only delays the list", async () => {
  const cwd = repository({ "a.txt": "" });
  execFileSync("mkfifo", [join(cwd, "pipe")]);
  git(cwd, "config", "core.excludesFile", join(cwd, "pipe"));
  expect(await listed(cwd)).toContain("a.txt");
});

test("files whose path starts with or contains what was typed come before those that only have its letters", async () => {
  const names = ["dir1/module-50.ts", "dir50/module.ts", "src/dir50/module.ts", "d/i/r50.ts"];
  const cwd = repository(Object.fromEntries(names.map((name) => [name, ""])));
  expect(await suggested(cwd, "@dir50/m")).toEqual(["@dir50/module.ts", "@src/dir50/module.ts", "@dir1/module-50.ts"]);
  expect((await suggested(cwd, "@R50"))[0]).toBe("@d/i/r50.ts");
});

test("a file that git knows and that is deleted is not offered", async () => {
  const cwd = repository({ "kept.txt": "", "gone.txt": "" });
  git(cwd, "add", ".");
  rmSync(join(cwd, "gone.txt"));
  expect(await suggested(cwd, "@")).toEqual(["@kept.txt"]);
});
