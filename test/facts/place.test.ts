import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { findWorkTree } from "../../src/facts/files/git-directory.ts";
import { placeOf } from "../../src/facts/place.ts";
import { sh } from "../helpers/call-builtin.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const dir = tempDir();
sh(dir, "git init -q p && cd p && git commit -q --allow-empty -m x && mkdir -p a/b && git worktree add -q ../tree");
mkdirSync(join(dir, "tree/sub"));
mkdirSync(join(dir, "none/.git"), { recursive: true });

const projectOf = (cwd: string, env: Record<string, string> = {}) => placeOf({ cwd: join(dir, cwd), env }).project;

test("the project is the top of the work tree, also of a linked one, else the directory", () => {
  expect([projectOf("p/a/b"), projectOf("p"), projectOf("tree/sub")]).toEqual([
    join(dir, "p"),
    join(dir, "p"),
    join(dir, "tree"),
  ]);
  // A directory without a HEAD is no repository for git.
  expect(projectOf("none", { GIT_CEILING_DIRECTORIES: dir })).toBe(join(dir, "none"));
});

test("a linked work tree shares the directory of the repository", () => {
  expect(findWorkTree(join(dir, "tree/sub"), {})).toEqual({
    top: join(dir, "tree"),
    directory: join(dir, "p/.git/worktrees/tree"),
    common: join(dir, "p/.git"),
  });
});

test("the search for the top ends at a ceiling, which may be named through a link, but looks at the directory itself", () => {
  symlinkSync(join(dir, "p"), join(dir, "link"));
  const ceilings = (path: string) => ({ GIT_CEILING_DIRECTORIES: `/elsewhere:${join(dir, path)}` });
  expect([projectOf("p/a/b", ceilings("p")), projectOf("p/a/b", ceilings("link"))]).toEqual([
    join(dir, "p/a/b"),
    join(dir, "p/a/b"),
  ]);
  expect([projectOf("p", ceilings("p")), projectOf("p/a/b", ceilings("p/a/b/c"))]).toEqual([
    join(dir, "p"),
    join(dir, "p"),
  ]);
});

test("variables name directories for temporary files, but not the root", () => {
  const { temporary } = placeOf({ cwd: dir, env: { TMPDIR: "/srv/t/", TEMP: "/" } });
  expect(temporary).toEqual(expect.arrayContaining(["/srv/t", "/tmp", "/var/tmp", "/private/var/folders", "/dev/shm"]));
  for (const name of ["TEMP", "TMP"])
    expect(placeOf({ cwd: dir, env: { [name]: "/srv/u" } }).temporary).toContain("/srv/u");
  expect(temporary).not.toContain("/");
});

test("policy files are absolute", () => {
  expect(placeOf({ cwd: dir, env: {}, policy: ["/a/../b"] }).policy).toEqual(["/b"]);
});
