import { expect, test } from "bun:test";
import { compileText } from "../../../src/rules/evaluate/text-pattern.ts";
import { HOLE } from "../../helpers/rule-facts.ts";

test.each([
  ["git", "git", "all"],
  ["git", "Git", "none"],
  ["git", "gits", "none"],
  ["g*", "git", "all"],
  ["g?t", "git", "all"],
  ["g?t", "gt", "none"],
  ["g[ij]t", "gjt", "all"],
  ["*", "", "all"],
  ["*", "a\nb/c", "all"],
  ["C:\\Temp", "C:\\Temp", "all"],
  ["a\\*b", "a*b", "all"],
  ["a\\*b", "axb", "none"],
  ["main", HOLE, "some"],
  ["main", `ma${HOLE}`, "some"],
  ["main", `${HOLE}in`, "some"],
  ["main", `m${HOLE}i${HOLE}n`, "some"],
  ["main", `feature-${HOLE}`, "none"],
  ["main", `main${HOLE}`, "some"],
  ["*", HOLE, "all"],
  ["feature-*", `feature-${HOLE}`, "all"],
  ["*-x", `${HOLE}-x`, "all"],
  ["*-x", `a${HOLE}`, "some"],
  ["a?b", `a${HOLE}b`, "some"],
] as const)("%j on %j: %s", (pattern, text, expected) => {
  expect(compileText(pattern)(text)).toBe(expected);
});

test("any case", () => {
  expect(compileText("Git", true)("gIT")).toBe("all");
  expect(compileText("[A-C]*", true)("bx")).toBe("all");
});
