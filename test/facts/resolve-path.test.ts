import { describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { placeOf } from "../../src/facts/place.ts";
import { resolvePath } from "../../src/facts/resolve-path.ts";
import { HOLE } from "../../src/shell/steps/invocation.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const cwd = tempDir({ "real/a": "x" });
symlinkSync("real", join(cwd, "link"));
symlinkSync("/nowhere/deep/file", join(cwd, "dangling"));
symlinkSync("loop", join(cwd, "loop"));
mkdirSync(join(cwd, ".home"));
const home = join(cwd, ".home");
const place = placeOf({ cwd, env: { HOME: home, USER: "me" } });

interface Options {
  directories?: readonly string[];
  glob?: boolean;
  elsewhere?: boolean;
}

/** The values of a path; `$X` is an expansion. */
function values(path: string, { directories = [""], glob = true, elsewhere = false }: Options = {}) {
  return resolvePath(
    { path: path.replaceAll("$X", HOLE), glob, sure: true, extent: "itself" },
    { directories: directories.map((text) => text.replaceAll("$X", HOLE)), place, read: true, elsewhere },
  );
}

const paths = (path: string, options?: Options) =>
  values(path, options).map((value) => value.path.replaceAll(HOLE, "$X"));

describe("a path that a step touches", () => {
  test.each([
    ["a", `${cwd}/a`],
    ["./a/../b//c/.", `${cwd}/b/c`],
    ["../../../../../../../etc/x", "/etc/x"],
    ["/a/", "/a"],
    ["/", "/"],
    [".", cwd],
    ["~", home],
    ["~/a", `${home}/a`],
    ["~me/a", `${home}/a`],
    ["~root/a", "/root/a"],
    ["~other/a", "/home/other/a"],
    ["~+/a", `${cwd}/a`],
    ["~-/a", "$X/a"],
    ["~$X/a", "$X/a"],
    ["$X/a", "$X/a"],
    ["$X", "$X"],
    ["/srv/$X/a", "/srv/$X/a"],
    ["a/$X", `${cwd}/a/$X`],
    // What an expansion names may be several directories deep.
    ["/srv/$X/../../a", "$X/a"],
    ["$X/../a", "$X/a"],
    ["/srv/*/../a", "/srv/a"],
    ["/srv/**/../a", "$X/a"],
    ["C:\\x", "C:\\x"],
  ])("%s is %s", (path, expected) => {
    expect(paths(path)).toEqual([expected]);
  });

  test("braces give each of their words where they are no plain text", () => {
    expect(paths("a/{b,c}")).toEqual([`${cwd}/a/b`, `${cwd}/a/c`]);
    expect(paths("a/{b,c}", { glob: false })).toEqual([`${cwd}/a/{b,c}`]);
  });

  test("an empty path is none", () => {
    expect(values("")).toEqual([]);
  });

  test("a relative one is joined with each directory that may be in force, and sure if that is one", () => {
    expect(values("a", { directories: ["", "/srv"] }).map(({ path, sure }) => [path, sure])).toEqual([
      [`${cwd}/a`, false],
      ["/srv/a", false],
    ]);
    expect(values("/a", { directories: ["", "/srv"] }).map(({ path, sure }) => [path, sure])).toEqual([["/a", true]]);
    expect([paths("a", { directories: ["b/c"] }), paths("../a", { directories: ["~/d"] })]).toEqual([
      [`${cwd}/b/c/a`],
      [`${home}/a`],
    ]);
    expect(paths("a", { directories: ["$X"] })).toEqual(["$X/a"]);
  });

  test("links are resolved as far as the path exists", () => {
    const resolved = (path: string) => values(path).map((value) => value.resolved);
    expect(resolved("link/a")).toEqual([`${cwd}/real/a`]);
    expect(resolved("link/x/y")).toEqual([`${cwd}/real/x/y`]);
    expect(resolved("link/$X")).toEqual([`${cwd}/real/${HOLE}`]);
    expect(resolved("link/*.ts")).toEqual([`${cwd}/real/*.ts`]);
    expect(resolved("real/a")).toEqual([undefined]);
    // A program that writes through a link makes the file that it leads to.
    expect(resolved("dangling")).toEqual(["/nowhere/deep/file"]);
    expect(resolved("loop")).toEqual([undefined]);
    expect(resolved("/dev/stdout")).toEqual([undefined]);
  });

  test("`..` behind a link leaves the directory that it leads to", () => {
    symlinkSync("/etc", join(cwd, "etc"));
    expect(values("etc/../x").map(({ path, resolved }) => [path, resolved])).toEqual([[`${cwd}/x`, "/x"]]);
  });

  test("on another machine no link and no home directory of this one counts", () => {
    const elsewhere = { elsewhere: true };
    expect([paths("~/a", elsewhere), paths("a", elsewhere), paths("/a", elsewhere)]).toEqual([
      ["~/a"],
      ["~/a"],
      ["/a"],
    ]);
    expect(paths("a", { ...elsewhere, directories: ["/srv"] })).toEqual(["/srv/a"]);
    expect(paths("../a", elsewhere)).toEqual(["$X/a"]);
    expect(values(`${cwd}/link`, elsewhere)[0]?.resolved).toBeUndefined();
  });

  test("wildcards count only where the word is a pattern", () => {
    expect([values("a*")[0]?.glob, values("a*", { glob: false })[0]?.glob, values("a")[0]?.glob]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
