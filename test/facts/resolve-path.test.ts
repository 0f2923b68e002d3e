import { describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { placeOf } from "../../src/facts/place.ts";
import { resolvePath } from "../../src/facts/resolve-path.ts";
import { HOLE } from "../../src/shell/steps/invocation.ts";
import type { Among } from "../../src/shell/steps/program-facts.ts";
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
    ["C:", "C:"],
    ["C:/a/../b", "C:/b"],
    ["C:x", `${cwd}/C:x`],
    ["aC:/x", `${cwd}/aC:/x`],
    ["a~/b", `${cwd}/a~/b`],
    ["~.home/a", `${home}/a`],
    ["$Xx/../a", "$X/a"],
    ["$X/c/b/../a", "$X/c/a"],
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
    expect(paths("a", { directories: ["C:\\x"] })).toEqual(["C:\\x/a"]);
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
    expect([resolved("link/*/../x"), resolved("link/*/.."), resolved("link/*..a"), resolved("link/*/..a")]).toEqual([
      [undefined],
      [undefined],
      [`${cwd}/real/*..a`],
      [`${cwd}/real/*/..a`],
    ]);
  });

  test("`..` behind a link leaves the directory that it leads to", () => {
    symlinkSync("/etc", join(cwd, "etc"));
    expect(values("etc/../x").map(({ path, resolved }) => [path, resolved])).toEqual([[`${cwd}/x`, "/x"]]);
    expect(values("{x,etc/../x}").map(({ resolved }) => resolved)).toEqual([undefined, "/x"]);
  });

  test("on another machine no link and no home directory of this one counts", () => {
    const elsewhere = { elsewhere: true };
    expect([paths("~/a", elsewhere), paths("a", elsewhere), paths("/a", elsewhere)]).toEqual([
      ["~/a"],
      ["~/a"],
      ["/a"],
    ]);
    expect(paths("a", { ...elsewhere, directories: ["/srv"] })).toEqual(["/srv/a"]);
    expect(paths("a", { ...elsewhere, directories: ["d"] })).toEqual(["~/d/a"]);
    expect([paths("../a", elsewhere), paths("c/b/../a", elsewhere), paths("~other", elsewhere)]).toEqual([
      ["$X/a"],
      ["~/c/a"],
      ["/home/other"],
    ]);
    expect(values(`${cwd}/link`, elsewhere)[0]?.resolved).toBeUndefined();
  });

  test("~root is the home directory of a user root", () => {
    const touch = { path: "~root/a", glob: false, sure: true, extent: "itself" } as const;
    const at = { directories: [""], place: placeOf({ cwd, env: { HOME: home, USER: "root" } }), read: true };
    expect(resolvePath(touch, { ...at, elsewhere: false }).map(({ path }) => path)).toEqual([`${home}/a`]);
  });

  test("what is copied into a directory keeps its name", () => {
    const into = (path: string, elsewhere = false) =>
      resolvePath(
        { path: path.replaceAll("$X", HOLE), glob: false, sure: true, extent: "tree", operator: ">", into: ["x", "y"] },
        { directories: [""], place, read: false, elsewhere },
      ).map(({ path, resolved }) => [path, resolved]);
    expect(into("link")).toEqual([
      [`${cwd}/link/x`, `${cwd}/real/x`],
      [`${cwd}/link/y`, `${cwd}/real/y`],
    ]);
    expect([into("real/a"), into("new"), into(cwd, true), into(`${cwd}/$X`)].flat()).toEqual([
      [`${cwd}/real/a`, undefined],
      [`${cwd}/new`, undefined],
      [cwd, undefined],
      [`${cwd}/${HOLE}`, undefined],
    ]);
  });

  test("the rest of what is known of a path is kept; what it is among is from the root", () => {
    const one = (among?: Among) =>
      resolvePath(
        { path: "a", glob: false, sure: true, extent: "tree", ...(among && { among, operator: ">" }) },
        { directories: ["", "/d"], place, read: false, elsewhere: false },
      )[0];
    expect(one()).toStrictEqual({
      path: `${cwd}/a`,
      glob: false,
      sure: false,
      extent: "tree",
      read: false,
      elsewhere: false,
    });
    const both = [`${cwd}/b/.`, "/d/b/."];
    const amongs = [
      [{ kind: "copied", from: ["b/.", "b/."] }, { from: both }],
      [{ kind: "work-tree", unless: ["b/."] }, { unless: both }],
      [{ kind: "patched", files: ["b/."] }, { files: both }],
      [{ kind: "found", directories: ["b/."] }, { directories: both }],
    ] as unknown as [Among, object][];
    for (const [among, found] of amongs) {
      expect(one(among)).toMatchObject({ operator: ">", extent: "tree", read: false, elsewhere: false });
      expect(one(among)?.among as unknown).toEqual({ ...among, ...found });
    }
  });

  test("wildcards count only where the word is a pattern", () => {
    expect([values("a*")[0]?.glob, values("a*", { glob: false })[0]?.glob, values("a")[0]?.glob]).toEqual([
      true,
      false,
      false,
    ]);
    expect(paths("/srv/**/../a", { glob: false })).toEqual(["/srv/a"]);
  });
});
