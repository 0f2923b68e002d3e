import { describe, expect, test } from "bun:test";
import { mergeRules, tightened } from "../../src/engine/merge-rules.ts";
import type { RulesVerdict } from "../../src/engine/rules.ts";
import { rulesDeny } from "../../src/engine/rules.ts";
import type { AnyResult } from "../../src/protocol/result.ts";

const verdict = (decision: RulesVerdict["decision"], more: Partial<RulesVerdict> = {}): RulesVerdict => ({
  decision,
  messages: decision === undefined ? [] : [`rule says ${decision}`],
  warnings: [],
  contexts: [],
  hits: [],
  ...more,
});

const HOOKS: Record<string, AnyResult> = {
  nothing: { allowed: true },
  allow: { allowed: true, decision: "allow", decision_reason: "hook says allow" },
  ask: { allowed: true, decision: "ask", decision_reason: "hook says ask" },
  deny: { allowed: false, decision: "deny", message: "hook says deny" },
};

describe("the stricter of rules and hooks wins", () => {
  const table: [RulesVerdict["decision"], string, Partial<AnyResult>][] = [
    [
      "deny",
      "nothing",
      { allowed: false, decision: "deny", message: "rule says deny", decision_reason: "rule says deny" },
    ],
    ["stop", "allow", { allowed: false, decision: "deny", message: "rule says stop" }],
    ["deny", "deny", { allowed: false, message: "rule says deny\nhook says deny" }],
    ["ask", "nothing", { allowed: true, decision: "ask", decision_reason: "rule says ask" }],
    ["ask", "allow", { allowed: true, decision: "ask", decision_reason: "rule says ask" }],
    ["ask", "deny", { allowed: false, decision: "deny", message: "hook says deny" }],
    ["allow", "nothing", { allowed: true, decision: "allow", decision_reason: "rule says allow" }],
    ["allow", "ask", { allowed: true, decision: "ask", decision_reason: "hook says ask" }],
    ["allow", "deny", { allowed: false, decision: "deny", message: "hook says deny" }],
    [undefined, "allow", { allowed: true, decision: "allow", decision_reason: "hook says allow" }],
  ];
  test.each(table)("rules: %s, hooks: %s", (decision, hooks, expected) => {
    expect(mergeRules("pre_tool_use", HOOKS[hooks]!, verdict(decision))).toMatchObject(expected);
  });
});

test("warnings and context of rules stand before those of hooks", () => {
  const hooks = { allowed: true, system_message: "of a hook", additional_context: "for the model" };
  const rules = verdict(undefined, { warnings: ["of a rule"], contexts: ["first"] });
  expect(mergeRules("post_tool_use", hooks, rules)).toEqual({
    allowed: true,
    system_message: "of a rule\nof a hook",
    additional_context: "first\nfor the model",
  });
});

test("on permission_request an allow answers the question, and a denial takes it back", () => {
  expect(mergeRules("permission_request", { allowed: true }, verdict("allow"))).toEqual({
    allowed: true,
    permission_allowed: true,
    decision_reason: "rule says allow",
  });
  const denied = mergeRules("permission_request", { allowed: true, permission_allowed: true }, verdict("deny"));
  expect(denied).toEqual({ allowed: false, message: "rule says deny" });
});

describe("a rewrite can only tighten", () => {
  test.each([
    [undefined, "ask", "ask"],
    ["allow", undefined, undefined],
    ["allow", "deny", "deny"],
    ["ask", "allow", "ask"],
    ["ask", undefined, "ask"],
    [undefined, "allow", undefined],
  ] as const)("%s, then %s: %s", (before, after, decision) => {
    expect(tightened(verdict(before), verdict(after)).decision).toBe(decision);
  });

  test("what both say is said once", () => {
    const hit = { name: "a", source: "h.yaml:1", verdict: "warn", sure: "certain", facts: {} } as const;
    const both = verdict(undefined, { warnings: ["w"], hits: [hit] });
    expect(tightened(both, both)).toEqual(both);
  });
});

test("deny and stop keep hooks from running", () => {
  expect((["stop", "deny", "ask", "allow", undefined] as const).map((one) => rulesDeny(verdict(one)))).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});
