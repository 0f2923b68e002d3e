import { describe, expect, test } from "bun:test";
import { HOLE, type Invocation } from "../../../src/shell/steps/invocation.ts";
import type { PathTouch, ProgramTargets } from "../../../src/shell/steps/program-facts.ts";
import { programTargets } from "../../../src/shell/steps/program-targets.ts";
import { readLine } from "../../../src/shell/steps/read-line.ts";
import { readProgram } from "../../../src/shell/steps/read-program.ts";

/** What the last command of a line touches. */
function targetsOf(line: string): ProgramTargets {
  const invocation = readLine(line, { env: {}, posix: true }).invocations.at(-1) as Invocation;
  const { parsed, opaque } = readProgram(invocation);
  return programTargets(invocation, parsed, opaque);
}

const paths = (touches: readonly PathTouch[]) => touches.map(({ path }) => path.replaceAll(HOLE, "$"));

describe("what a command may write though no condition counts it", () => {
  test.each<[line: string, paths: string[]]>([
    ["foo a --out=b -oc", ["a", "b", "c"]],
    ["foo -v", []],
    ["ls a", []],
    ["echo a", []],
    ["kill a", []],
    ["foo --help a", ["a"]],
    ["find . | xargs foo", []],
    ["find . | xargs foo --fix", ["."]],
    ["$X a", ["a"]],
    ["make a", ["a"]],
    ["python3 x.py a", ["a"]],
    ["ln a b", ["a"]],
    ["ln -s a", ["a"]],
    ["gio move a b", ["a", "b"]],
    ["mount --bind a b", ["a", "b"]],
    ["hooksh init a", ["init", "a"]],
    ["hooksh test a", []],
    ["git merge x", ["."]],
    ["git -C d pull", ["d/."]],
    ["git checkout x", ["."]],
    ["git checkout -b x", []],
    ["git checkout -b x y", ["."]],
    ["git checkout x -- a", []],
    ["git checkout-index a", ["a"]],
    ["git checkout-index -a", ["."]],
    ["git stash", ["."]],
    ["git stash list", []],
    ["git reset --hard", ["."]],
    ["git reset --soft x", []],
    ["git read-tree -u x", ["."]],
    ["git read-tree x", []],
    ["git switch x", ["."]],
    ["git switch -c x", []],
    ...["bisect", "cherry-pick", "filter-branch", "rebase", "revert", "subtree"].map((verb): [string, string[]] => [
      `git ${verb} x`,
      ["."],
    ]),
    [`python3 -c "import os; [os.remove(f) for f in os.listdir('.')]"`, ["."]],
    [`python3 -c "print('.')"`, []],
  ])("%j", (line, expected) => expect(paths(targetsOf(line).mayWrite)).toEqual(expected));
});

describe("which of the files below a path are written", () => {
  const all = { all: [], any: false };
  const named = (glob: string) => ({ all: [{ on: "name", glob, not: false }], any: false });
  const path = (expression: string, not = false) => ({ on: "path", expression, not });
  test.each<[line: string, among: unknown]>([
    ["rm a", undefined],
    ["find a -name x -delete", { kind: "found", directories: ["a"], tests: named("x"), deep: false }],
    ["find a -name x -exec rm -r {} +", { kind: "found", directories: ["a"], tests: named("x"), deep: true }],
    [
      "find . -maxdepth 2 ! -type d -delete",
      {
        kind: "found",
        directories: ["."],
        tests: { all: [{ on: "type", type: "d", not: true }], any: false, maxDepth: 2 },
        deep: false,
      },
    ],
    [
      "find . -path 'x*' -o -regex 'y\\|z' -delete",
      {
        kind: "found",
        directories: ["."],
        tests: { all: [{ on: "path", glob: "x*", not: false }, path("^(?:y|z)$")], any: true },
        deep: false,
      },
    ],
    ["rm $(ls a)", { kind: "found", directories: ["a"], tests: all, deep: false }],
    ["for f in $(ls a); do rm $f; done", { kind: "found", directories: ["a"], tests: all, deep: false }],
    ["ls a | while read f; do rm $f; done", { kind: "found", directories: ["a"], tests: all, deep: false }],
    [
      "ls | grep -v x | xargs rm",
      { kind: "found", directories: ["."], tests: { all: [path("x", true)], any: false }, deep: false },
    ],
    ["fd x a | xargs rm", { kind: "found", directories: ["a"], tests: { all: [path("x")], any: false }, deep: false }],
    ["grep -rl --include=x y a | xargs rm", { kind: "found", directories: ["a"], tests: named("x"), deep: false }],
    ["git -C d ls-files a | xargs rm", { kind: "found", directories: ["d/a"], tests: all, deep: false }],
    ["rm $(dirname a/b)", { kind: "found", directories: ["a"], tests: all, deep: false }],
    [`find a -exec sh -c 'rm "$1"' _ {} +`, { kind: "found", directories: ["a"], tests: all, deep: false }],
    ["cp -r a/. b", { kind: "copied", from: ["a/."] }],
    ["git mv a b/", undefined],
    ["git clean -fd", { kind: "untracked" }],
    ["git checkout x -- a", { kind: "tracked" }],
    ["patch -p1 < a", { kind: "patched", files: ["a"] }],
    ["git -C d apply a", { kind: "patched", files: ["d/a"] }],
    ["git am a", { kind: "work-tree", unless: [] }],
  ])("%j", (line, among) => expect(targetsOf(line).writes[0]?.among as unknown).toEqual(among));

  test("what a loop reads from a redirection is below the directory, too", () => {
    const { invocations } = readLine("while read f; do rm $f; done < <(ls a)", { env: {}, posix: true });
    const rm = invocations.find(({ programs }) => programs[0] === "rm") as Invocation;
    expect(rm.words[0]?.found?.directories).toEqual(["a"]);
  });

  test("a redirection is named", () => {
    expect(targetsOf("ls > a").writes[0]?.operator).toBe(">");
  });
});
