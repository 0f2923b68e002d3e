import { describe, expect, test } from "bun:test";
import { parseYaml } from "../../src/lib/platform.ts";
import { eachReferences, withItem } from "../../src/testing/each.ts";
import { containsDeep, expressionOf, isExpected } from "../../src/testing/expected-value.ts";
import { maskExpressions } from "../../src/testing/unquoted-expressions.ts";

describe("expected values", () => {
  test.each<[unknown, unknown, boolean]>([
    ["a", "a", true],
    ["a", "ab", false],
    ["/a/", "xay", true],
    ["/^a$/", "xay", false],
    ["/A/i", "xay", true],
    ["/a.b/", "a\nb", true],
    ["/(?-s)a.b/", "a\nb", false],
    ["/a\\/b/", "a/b", true],
    ["/[/]/", "a/b", true],
    ["/usr/bin/", "/usr/bin/", true],
    ["/usr/bin/", "usr/bin", false],
    ["/1/", 1, false],
    [1, 1, true],
    [1, "1", false],
    [null, null, true],
    [[1, "/b/"], [1, "abc"], true],
    [[1], [1, 2], false],
    [{ a: { b: "/x/" } }, { a: { b: "xx" } }, true],
    [{ a: 1 }, { a: 1, b: 2 }, false],
    [{ a: 1 }, [1], false],
    ["toString", {}, false],
  ])("%j of %j: %p", (expected, actual, holds) => expect(isExpected(expected, actual)).toBe(holds));

  test("a part of a mapping may have more keys, at every depth, but lists are whole", () => {
    expect(containsDeep({ a: { b: 1 } }, { a: { b: 1, c: 2 }, d: 3 })).toBe(true);
    expect(containsDeep({ a: { b: 2 } }, { a: { b: 1 } })).toBe(false);
    expect(containsDeep({ a: [1] }, { a: [1, 2] })).toBe(false);
    expect(containsDeep({ toString: 1 }, {})).toBe(false);
    expect(containsDeep("/a/", "bab")).toBe(true);
  });

  test("only a text between slashes is an expression", () => {
    expect(["/a/", "/a/is", "a", "/a", "/a/x", "//", 5].map(expressionOf)).toEqual([
      "a",
      "(?is:a)",
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe("expressions without quotes", () => {
  const read = (text: string) => {
    const { text: masked, restore } = maskExpressions(text);
    expect(masked).toHaveLength(text.length);
    return restore(parseYaml(masked));
  };

  test.each<[string, unknown]>([
    ["{ a: /\\[x\\]/ }", { a: "/\\[x\\]/" }],
    ["{ a: /x{2,3}/i, b: 1 }", { a: "/x{2,3}/i", b: 1 }],
    ["a: /b: c/ # why", { a: "/b: c/" }],
    ["a: /b #c/", { a: "/b #c/" }],
    ["- /[/,]/", ["/[/,]/"]],
    ["[/[a]/, /[b]/]", ["/[a]/", "/[b]/"]],
    ['a: "x, /[b]\\t/"', { a: "x, /[b]\t/" }],
    ["a: '{ b: /[c]/ }'", { a: "{ b: /[c]/ }" }],
    ["a: 1 # b: /[c]/", { a: 1 }],
    ["a: |\n  b: /[c]/\n", { a: "b: /[c]/\n" }],
    ["a: don't\nb: { c: /[d]/ }", { a: "don't", b: { c: "/[d]/" } }],
    ["a: /usr/bin", { a: "/usr/bin" }],
    ["a: [ /usr/bin, /etc ]", { a: ["/usr/bin", "/etc"] }],
    ["a: \ue000\nb: { c: /[d]/ }", { a: "\ue000", b: { c: "/[d]/" } }],
  ])("%s", (text, value) => expect(read(text)).toEqual(value));
});

describe("$each", () => {
  test.each<[unknown, unknown, unknown]>([
    ["$each", 5, 5],
    ["$each", { a: 1 }, { a: 1 }],
    ["a $each b", "x", "a x b"],
    ["$each$each", 1, "11"],
    ["$each.a-$each.b", { a: "x", b: 2 }, "x-2"],
    ["$each.a", { a: [1] }, [1]],
    ["$eaches $each_", "x", "$eaches $each_"],
    [{ $each: ["$each"] }, "k", { k: ["k"] }],
    ["/^$each$/", "a.b+c", "/^a\\.b\\+c$/"],
    ["$each", "$each", "$each"],
    ["$each", "$&", "$&"],
    ["x$each", "$&", "x$&"],
  ])("%j with %j is %j", (value, item, replaced) => expect(withItem(value, item)).toEqual(replaced));

  test("all its places are found", () => {
    expect(eachReferences({ "$each.k": ["$each", { a: "x$each.b y" }] })).toEqual(["k", undefined, "b"]);
    expect(eachReferences([1, null, "$eachx"])).toEqual([]);
  });
});
