import { describe, expect, test } from "bun:test";
import { conditionSet, lineOf, readLine, type Sight } from "../../../src/rules/history/sight.ts";

const SET = conditionSet(["b", "a"]);
const setOf = (id: string) => (id === SET.id ? SET : undefined);
const bare: Sight = { time: 1, event: "pre_tool_use", set: SET, certain: [], possible: [] };
const full: Sight = {
  ...bare,
  tool: "shell",
  agent: "x",
  id: "i",
  input: "d",
  ok: false,
  certain: ["b"],
  possible: ["a"],
};

test("a set of conditions has one name, whatever their order", () => {
  expect(conditionSet(["a", "b"])).toMatchObject({ id: SET.id, keys: ["a", "b"] });
  expect([SET.id.length, conditionSet(["a"]).id === SET.id]).toEqual([16, false]);
});

describe("a line of the store", () => {
  test.each([bare, full, { ...full, ok: true }, { ...bare, possible: ["a", "b"] }])(
    "is read as it was written: %j",
    (sight) => {
      expect(readLine(lineOf(sight), setOf)).toEqual(sight);
    },
  );

  test("has names of bounded length", () => {
    const { tool, agent } = readLine(lineOf({ ...full, tool: "t".repeat(201), agent: "a".repeat(201) }), setOf) ?? {};
    expect([tool, agent]).toEqual(["t".repeat(200), "a".repeat(200)]);
  });

  test.each<[string, unknown]>([
    ["no JSON", undefined],
    ["null", null],
    ["a list", [full]],
    ["time", { time: "1" }],
    ["event", { event: 1 }],
    ["set", { set: 1 }],
    ["a set that is not known", { set: "x" }],
    ["tool", { tool: 1 }],
    ["agent", { agent: 1 }],
    ["id", { id: 1 }],
    ["input", { input: 1 }],
    ["ok", { ok: "true" }],
    ["certain", { certain: "b" }],
    ["a place that is none", { certain: ["0"] }],
    ["a place behind the last", { certain: [2] }],
    ["possible", { possible: 1 }],
    ["a place of what is possible", { possible: [-1] }],
    ["a long line", { tool: "t".repeat(65_536) }],
  ])("is damaged: %s", (_name, change) => {
    const isPart = typeof change === "object" && change !== null && !Array.isArray(change);
    const whole = isPart ? { ...(JSON.parse(lineOf(full)) as object), ...change } : change;
    expect(readLine(whole === undefined ? "{" : JSON.stringify(whole), setOf)).toBeUndefined();
  });
});
