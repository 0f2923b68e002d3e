import { describe, expect, test } from "bun:test";
import { mayHold } from "../../src/rules/may-hold.ts";
import { readRules } from "../../src/rules/read/read-rules.ts";

const SHELL = { tools: ["shell", "Bash"], class: "runs-commands" };
const MCP = { tools: ["github__create", "mcp:github:create"], class: "other" };

function ruleWhen(when: unknown) {
  const { rules, problems } = readRules([{ deny: "no", when }], ["rules"], {
    sets: { paths: {}, hosts: {} },
    agents: undefined,
  });
  expect(problems).toEqual([]);
  const [rule] = rules;
  if (!rule) throw new Error("the rule cannot be read");
  return rule;
}

describe("a rule that cannot hold for a tool is told by its names and class", () => {
  test.each<[when: unknown, shell: boolean, mcp: boolean]>([
    [{ class: "runs-commands" }, true, false],
    [{ class: ["other", "network"] }, false, true],
    [{ class: { not_in: ["other"] } }, true, true],
    [{ not: { class: "other" } }, true, false],
    [{ not: { not: { class: "other" } } }, false, true],
    [{ tool: "bash" }, true, false],
    [{ tool: "mcp:github:*" }, false, true],
    [{ not: { tool: "mcp:*" } }, true, false],
    [{ all: [{ class: "network" }, { effect: "sends" }] }, false, false],
    [{ any: [{ class: "network" }, { effect: "sends" }] }, true, true],
    [{ any: [{ class: "network" }, { tool: "shell" }] }, true, false],
    [{ not: { any: [{ class: "other" }, { effect: "sends" }] } }, true, false],
    [{ not: { all: [{ class: "other" }, { effect: "sends" }] } }, true, true],
    [{ effect: "sends" }, true, true],
    [{ program: "git", class: "other" }, false, true],
  ])("%j", (when, shell, mcp) => {
    const rule = ruleWhen(when);
    expect([mayHold(rule, SHELL), mayHold(rule, MCP)]).toEqual([shell, mcp]);
  });

  test("one without conditions may hold for every tool", () => {
    expect(mayHold({ when: undefined }, SHELL)).toBe(true);
  });
});
