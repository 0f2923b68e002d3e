import { describe, expect, test } from "bun:test";
import { canMatch } from "../../src/pattern/can-match.ts";

describe("whether a regular expression can match at all", () => {
  test.each([
    "",
    "a",
    "a|b^c",
    "^$",
    "a\\bz?",
    "(?m)a\n^b",
    "(?m)a$\\s^b",
    "[^a]",
    "\\[REDACTED\\]",
    "é\\b.",
    "[\\x{4e00}-\\x{9fff}]",
    "\\p{Greek}",
    "(a^)*b",
  ])("%j can", (expression) => expect(canMatch(expression)).toBe(true));

  test.each([
    "a^b",
    "a^",
    "$a",
    "a\\Bb$c",
    "a\\bb",
    "\\w\\b\\w",
    " \\b ",
    "[^\\x00-\\x{10FFFF}]",
    "(a^)+b",
    "(?m)a^b",
    "x[^\\s\\S]",
    "a\\b\\B",
  ])("%j cannot", (expression) => expect(canMatch(expression)).toBe(false));
});
