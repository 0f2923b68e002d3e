import { expect, test } from "bun:test";
import { matcherProblem } from "../../../src/config/hooks/hook-filter.ts";
import { BUILT_IN_TOOLS } from "../../../src/config/toolsets/built-in-tools.ts";
import { COMMON_TOOLS } from "../../../src/guard/quick/common-tools.ts";
import { arePlainMatchers } from "../../../src/guard/quick/plain-matcher.ts";
import { compilePattern } from "../../../src/pattern/pattern.ts";
import { simpleTest } from "../../../src/pattern/simple-test.ts";
import { diceFrom, pick } from "../../helpers/dice.ts";

test("the common tools are tools of hooksh", () => {
  expect(COMMON_TOOLS.filter((tool) => !BUILT_IN_TOOLS.includes(tool))).toEqual([]);
});

test("a plain matcher is valid, and matches what the engine's matcher matches: random ones", () => {
  const dice = diceFrom(7);
  const parts = [
    "shell",
    "mcp",
    "mcp:a",
    "mcp:a:b",
    "mcp__a",
    "mcp__a__b",
    "edit_",
    "a-b",
    "x",
    ".*",
    "(?i)",
    "[",
    "|",
    " ",
    "\n",
    "*",
    ".",
  ];
  const names = ["shell", "mcp:a:b", "mcp__a__b", "edit_file", "a-b", "x", "", "shell\nx", "xshell"];
  let plain = 0;
  for (let round = 0; round < 20_000; round++) {
    const matcher = Array.from({ length: 1 + dice(6) }, () => pick(dice, parts)).join(pick(dice, ["", "|"]));
    if (!arePlainMatchers([matcher])) continue;
    plain++;
    expect([matcher, matcherProblem(matcher)]).toEqual([matcher, undefined]);
    const compiled = compilePattern(matcher);
    for (const name of names)
      expect([matcher, name, simpleTest(matcher)?.(name)]).toEqual([matcher, name, compiled.test(name)]);
  }
  expect(plain).toBeGreaterThan(500);
});

test.each([
  "shel",
  "(shell|fetch)",
  "Bash",
  "mcp__github",
  "mcp:x",
  "shell(",
  "(?i)shell",
  "shell ",
  "shell,fetch",
  `${"x".repeat(500)}.*|shell`,
])("not plain: %j", (matcher) => {
  expect(arePlainMatchers([matcher])).toBe(false);
});
