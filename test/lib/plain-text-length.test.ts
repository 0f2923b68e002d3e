import { describe, expect, test } from "bun:test";
import { plainTextLength } from "../../src/lib/json.ts";

describe("the size of a plain value", () => {
  test.each([
    ["abc", 3],
    ["", 0],
    [7, 0],
    [null, 0],
    [true, 0],
    [[], 0],
    [{}, 0],
    [["ab", { c: "d" }], 4],
    [{ a: undefined, b: ["x"] }, 3],
    [JSON.parse('{"__proto__":"ab"}'), 11],
    [Object.assign(Object.create(null), { a: "b" }), 2],
  ])("%j is %d", (value, size) => expect(plainTextLength(value)).toBe(size));

  test("counts a value once for each place", () => {
    const shared = ["abcd"];
    expect(plainTextLength([shared, shared])).toBe(8);
  });
});

describe("a value is not plain", () => {
  class Point {
    x = 1;
  }
  test.each<[string, unknown]>([
    ["a date", new Date()],
    ["a map", [new Map()]],
    ["an object of a class", { deep: [new Point()] }],
    ["a big integer", 1n],
    ["NaN", [NaN]],
    ["a function", { f: () => 1 }],
    ["a symbol", Symbol("x")],
    ["undefined in a list", [undefined]],
    ["undefined", undefined],
    ["bytes", new Uint8Array(2)],
  ])("if it holds %s", (_name, value) => expect(plainTextLength(value)).toBeUndefined());

  test("if it contains itself, however often", () => {
    const cycle: unknown[] = [];
    cycle.push(cycle, { cycle }, cycle);
    expect(plainTextLength(cycle)).toBeUndefined();
    const ring: Record<string, unknown> = {};
    ring["ring"] = ring;
    expect(plainTextLength(ring)).toBeUndefined();
  });

  test("if it nests a hundred thousand deep", () => {
    let deep: unknown = "x";
    for (let level = 0; level < 100_000; level++) deep = [deep];
    expect(plainTextLength(deep)).toBeUndefined();
  });
});
