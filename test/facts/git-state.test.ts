import { describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { currentBranch, isDirty } from "../../src/facts/git-state.ts";
import { processEnv } from "../../src/lib/env.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const ENV = Object.fromEntries(Object.entries(processEnv()).filter(([name]) => !name.startsWith("GIT_")));

function git(cwd: string, ...args: string[]): string {
  const settings = ["user.name=a", "user.email=a@example.com", "core.fsmonitor=false"].flatMap((each) => ["-c", each]);
  return execFileSync("git", [...settings, ...args], { cwd, env: ENV, encoding: "utf8", stdio: "pipe" });
}

function repository(branch = "main"): string {
  const dir = tempDir({ tracked: "a" });
  git(dir, "init", "-q", "-b", branch);
  git(dir, "add", ".");
  git(dir, "commit", "-q", "-m", "x");
  return dir;
}

describe("the current branch", () => {
  test("of a directory below the top, with slashes in its name, and before the first commit", () => {
    const dir = tempDir({ "src/a": "" });
    git(dir, "init", "-q", "-b", "release/1.2");
    expect(currentBranch(join(dir, "src"), ENV)).toBe("release/1.2");
  });

  test("is HEAD when it is detached", () => {
    const dir = repository();
    git(dir, "checkout", "-q", "--detach");
    expect(currentBranch(dir, ENV)).toBe("HEAD");
  });

  test("of a linked work tree is its own", () => {
    const dir = repository();
    git(dir, "worktree", "add", "-q", "-b", "other", "linked");
    expect(currentBranch(join(dir, "linked"), ENV)).toBe("other");
    expect(currentBranch(dir, ENV)).toBe("main");
  });

  test("of a HEAD that is a link", () => {
    const dir = repository();
    rmSync(join(dir, ".git/HEAD"));
    symlinkSync("refs/heads/main", join(dir, ".git/HEAD"));
    expect(currentBranch(dir, ENV)).toBe("main");
  });

  test("of the repository in GIT_DIR", () => {
    const dir = repository("elsewhere");
    expect(currentBranch(tempDir(), { ...ENV, GIT_DIR: join(dir, ".git") })).toBe("elsewhere");
  });

  test("is absent outside of git, and above a ceiling", () => {
    const dir = repository();
    mkdirSync(join(dir, "a/b"), { recursive: true });
    expect(currentBranch(join(dir, "a/b"), ENV)).toBe("main");
    expect(currentBranch(join(dir, "a/b"), { ...ENV, GIT_CEILING_DIRECTORIES: dir })).toBeUndefined();
    expect(currentBranch("/", ENV)).toBeUndefined();
    expect(currentBranch(tempDir({ ".git": "gitdir: /nowhere" }), ENV)).toBeUndefined();
  });
});

describe("a work tree is dirty", () => {
  test("with changed and with untracked files, not with ignored ones", async () => {
    const dir = repository();
    expect(await isDirty(dir, ENV)).toBe(false);
    writeFileSync(join(dir, ".git/info/exclude"), "log\n");
    writeFileSync(join(dir, "log"), "");
    expect(await isDirty(dir, ENV)).toBe(false);
    git(dir, "config", "status.showUntrackedFiles", "no");
    writeFileSync(join(dir, "new"), "");
    expect(await isDirty(dir, ENV)).toBe(true);
    rmSync(join(dir, "new"));
    writeFileSync(join(dir, "tracked"), "b");
    expect(await isDirty(dir, ENV)).toBe(true);
  });

  test("possibly, if git fails", async () => {
    const dir = tempDir({ ".git/HEAD": "ref: refs/heads/main\n", ".git/config": "[broken" });
    expect(await isDirty(dir, ENV)).toBe("possible");
    expect(await isDirty(repository(), { ...ENV, PATH: "/nowhere" })).toBe("possible");
  });

  test("never outside of git", async () => {
    expect(await isDirty("/", { ...ENV, PATH: "/nowhere" })).toBe(false);
  });

  test("and no program of the repository runs to find out", async () => {
    const dir = repository();
    const program = join(tempDir({ "run.sh!x": `#!/bin/sh\ntouch ${dir}/.git/ran\n` }), "run.sh");
    git(dir, "config", "core.fsmonitor", program);
    git(dir, "config", "filter.x.clean", program);
    writeFileSync(join(dir, ".git/info/attributes"), "* filter=x\n");
    writeFileSync(join(dir, "tracked"), "c");
    expect(await isDirty(dir, ENV)).toBe(true);
    expect(() => execFileSync("test", ["-e", join(dir, ".git/ran")])).toThrow();
  });
});
