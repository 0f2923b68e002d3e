import { describe, expect, test } from "bun:test";
import { readTouchedPaths } from "../../../src/shell/paths/touched-paths.ts";

const read = (line: string) => readTouchedPaths(line, { env: {}, isDirectory: () => false });

/** A line whose last command is in as many levels of code, each in a variable or an alias of its own. */
const inVariables = (levels: number) =>
  ["v0='rm x'", ...Array.from({ length: levels }, (_, at) => `v${at + 1}='eval "$v${at}"'`), `eval "$v${levels}"`].join(
    "; ",
  );
const inAliases = (levels: number) =>
  ["alias a0=rm", ...Array.from({ length: levels }, (_, at) => `alias a${at + 1}=a${at}`), `a${levels} x`].join("\n");

describe("a line counts as complete only if all of it was read", () => {
  test.each([
    ["variables", inVariables],
    ["variables, behind another program", (levels: number) => inVariables(levels).replace("rm x", "foo env rm x")],
    ["aliases", inAliases],
  ])("with code nested in %s", (_name, nested) => {
    for (let levels = 0; levels < 40; levels++) {
      const { complete, touches } = read(nested(levels));
      if (complete) expect(touches).not.toEqual([]);
      if (levels < 10 || levels > 12) expect([levels, complete]).toEqual([levels, levels < 12]);
    }
  });

  test("with an alias that is used more often than its text is read", () => {
    const line = (uses: number) => `alias p='true ${"x".repeat(50)}'\n${"p\n".repeat(uses)}`;
    expect(read(line(5)).complete).toBe(true);
    expect(read(line(500)).complete).toBe(false);
  });

  test("with more commands, or more code, than are read", () => {
    expect(read("a;".repeat(1_000)).complete).toBe(true);
    expect(read("a;".repeat(100_000)).complete).toBe(false);
    expect(read(`${"eval ".repeat(40)}a`).complete).toBe(false);
    expect(read(`a='true ${"x".repeat(500)}'; ${'eval "$a";'.repeat(100)}`).complete).toBe(false);
  });
});

const paths = (line: string) =>
  read(line)
    .touches.flatMap((touch) => ("path" in touch ? [touch.path] : []))
    .toSorted();

describe("a file counts as touched", () => {
  test("if a command behind arithmetic writes it, but not if arithmetic compares it", () => {
    expect(paths("((a > b)); cat x > y")).toEqual(["y"]);
    expect(paths("((a)); cat x > y")).toEqual(["y"]);
  });

  test("under each name that a loop gives it", () => {
    expect(paths("for f in a b/c d; do rm $f; done")).toEqual(["a", "b/c", "d"]);
  });
});
