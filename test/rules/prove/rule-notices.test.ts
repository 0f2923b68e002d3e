import { expect, test } from "bun:test";
import { placeOf } from "../../../src/facts/place.ts";
import { proofTables } from "../../../src/rules/prove/proof-tables.ts";
import { ruleNotices } from "../../../src/rules/prove/rule-notices.ts";
import { readRules } from "../../../src/rules/read/read-rules.ts";

const place = placeOf({ cwd: "/", env: {} });

const ENOUGH = 600_000;

function notices(conditions: readonly object[], time = ENOUGH): string[] {
  const rules = conditions.map((when, index) => ({ name: `r${index}`, deny: "no", when }));
  const read = readRules(rules, ["rules"], { sets: { paths: {}, hosts: {} } });
  expect(read.problems).toEqual([]);
  return ruleNotices(read.rules, { tables: proofTables(), place, effectsOf: () => [], time }).map(({ text }) => text);
}

const SIMILAR = Array.from({ length: 300 }, (_, n) => ({ program: "git", verb: `verb${n}`, writes: `gen${n}/**` }));

test("of three hundred rules, those that others decide are named", () => {
  const found = notices([...SIMILAR, { program: "git", verb: "verb7", writes: "gen7/a" }, { program: "rm" }]);
  expect(found).toEqual(["r300: shadowed by r7"]);
});

test("rules for whose comparison there is no time are counted", () => {
  const reason = "not compared with the other rules, because that takes too long: r0";
  expect(notices(SIMILAR, 0)).toEqual([`${reason} and 299 more rules`]);
  expect(notices(SIMILAR.slice(0, 2), 0)).toEqual([`${reason} and 1 more rule`]);
  expect(notices(SIMILAR.slice(0, 1), 0)).toEqual([reason]);
});

test.each([
  ["guards", "~/.claude/settings.json"],
  ["startup", "~/.bashrc"],
])("%s cover what they list", (set, path) => {
  expect(notices([{ writes: set }, { writes: path }, { writes: "./x" }])).toEqual(["r1: shadowed by r0"]);
});
