import { describe, expect, test } from "bun:test";
import { PatternError } from "../../src/pattern/pattern.ts";
import { compileSearch } from "../../src/pattern/search.ts";
import { expectLinear } from "../helpers/growth.ts";

const found = (expression: string, text: string) => compileSearch(expression, "\0")(text);

describe("a search finds a match anywhere", () => {
  test.each([
    ["prod|live", "my-production", "all"],
    ["prod|live", "staging", "none"],
    ["^prod", "my-prod", "none"],
    ["^prod", "production", "all"],
    ["prod$", "production", "none"],
    ["(?i)PROD", "a prod b", "all"],
    ["", "", "all"],
    ["a", "", "none"],
    ["\\bprod\\b", "x prod y", "all"],
    ["\\bprod\\b", "product", "none"],
    ["(?m)^b$", "a\nb\nc", "all"],
    ["\\Qa.b", "xa.by", "all"],
    ["\\Qa.b", "xacby", "none"],
    ["\\B", "a", "none"],
  ] as const)("%j in %j: %s", (expression, text, expected) => {
    expect(found(expression, text)).toBe(expected);
  });
});

describe("what stands in a hole decides", () => {
  test.each([
    ["prod", "\0", "some"],
    ["prod", "prod-\0", "all"],
    ["prod", "\0-prod", "all"],
    ["prod", "pr\0", "some"],
    ["prod", "pr\0d", "some"],
    ["^git", "npm \0", "none"],
    ["^git", "\0 push", "some"],
    ["^git", "\0\0git", "some"],
    ["^git", "git\0", "all"],
    ["push$", "push \0", "some"],
    ["push$", "\0 pull", "none"],
    ["push$", "\0 push", "all"],
    ["push$", "push\0", "some"],
    ["^a.*b$", "a\0b", "all"],
    ["^a[^c]*b$", "a\0b", "some"],
    ["^a.b$", "a\0b", "some"],
    ["^src/", "src/\0", "all"],
    ["^src/[a-z]+$", "src/\0", "some"],
    ["^src/[a-z]+$", "lib/\0", "none"],
    ["\\bprod\\b", "prod\0", "some"],
    ["^$", "\0", "some"],
    ["(?m)^x", "a\0x", "some"],
  ] as const)("%j in %j: %s", (expression, text, expected) => {
    expect(found(expression, text)).toBe(expected);
  });
});

test.each(["(", "a)|(b", "(a)\\1", "(?=a)", "a{1001}"])("%j is no expression", (expression) => {
  expect(() => compileSearch(expression, "\0")).toThrow(PatternError);
});

test("a search takes time in proportion to the text", async () => {
  const search = compileSearch("(a|a)*b\\d+c", "\0");
  await expectLinear(65_536, (size) => {
    const text = "a1".repeat(size / 2);
    return () => void search(text);
  });
});
