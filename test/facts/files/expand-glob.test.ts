import { expect, test } from "bun:test";
import { symlinkSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expandGlob } from "../../../src/facts/files/expand-glob.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

const dir = tempDir({ "a/x.ts": "", "a/b/y.ts": "", "a/.hidden": "", ".b/z.ts": "", "c[1]/w": "" });
symlinkSync(join(dir, "a"), join(dir, "link"));

test.each([
  ["*", ["a", "c[1]", "link"]],
  [".*", [".b"]],
  ["a/*", ["a/b", "a/x.ts"]],
  ["a/.*", ["a/.hidden"]],
  ["*/x.ts", ["a/x.ts", "link/x.ts"]],
  ["?/*.ts", ["a/x.ts"]],
  ["[ab]/x.ts", ["a/x.ts"]],
  // Links are not followed into, so that a loop of them ends.
  ["**/*.ts", ["a/b/y.ts", "a/x.ts"]],
  ["a/**", ["a/b", "a/b/y.ts", "a/x.ts"]],
  ["a/x.ts", ["a/x.ts"]],
  ["a/none", []],
  ["none/*", []],
  ["a/x.ts/*", []],
  ["c\\[1\\]/w", ["c[1]/w"]],
])("%s", (pattern, expected) => {
  const { paths, complete } = expandGlob(join(dir, pattern));
  expect(paths.map((path) => relative(dir, path)).sort()).toEqual([...expected]);
  expect(complete).toBe(true);
});

test("with dots, wildcards match hidden files too", () => {
  expect(
    expandGlob(join(dir, "a/*"), { dots: true })
      .paths.map((path) => relative(dir, path))
      .sort(),
  ).toEqual(["a/.hidden", "a/b", "a/x.ts"]);
});

test("the number of directory entries is bounded", () => {
  const many = tempDir();
  for (let at = 0; at < 4100; at++) writeFileSync(join(many, `f${at}`), "");
  const { paths, complete } = expandGlob(join(many, "*"));
  expect([paths.length <= 4096, complete]).toEqual([true, false]);
});
