import { expect, test } from "bun:test";
import { familyOf } from "../../../src/model/catalog/families.ts";
import { createModel } from "../../../src/model/create-model.ts";
import { type Effort, parseThinkingBudget, reasoningEffort } from "../../../src/model/settings/thinking.ts";

test.each<[string, unknown, Effort | undefined]>([
  ["gpt-5.6", "high", "high"],
  ["gpt-5.6", "HIGH", "high"],
  ["gpt-5.6", "none", "none"],
  ["gpt-5.6", 0, "none"],
  ["gpt-5.1", "none", null],
  ["gpt-5", 0, null],
  ["gpt-5", undefined, null],
  ["o3", undefined, "medium"],
  ["openai/o4-mini", undefined, "medium"],
  ["gpt-5", "max", "high"],
  ["gpt-5", "minimal", "minimal"],
  ["gpt-5-codex", "minimal", "low"],
  ["gpt-5-pro", "low", "high"],
  ["gpt-5.1", "xhigh", "high"],
  ["gpt-5.1-codex-max", "xhigh", "xhigh"],
  ["gpt-5.2", "max", "xhigh"],
  ["o3", "minimal", "low"],
  ["gpt-5", "adaptive/low", "low"],
  ["gpt-5", { effort: "medium" }, "medium"],
  ["gpt-4o", "high", undefined],
  ["gpt-4o", 1024, undefined],
  ["gpt-5-chat-latest", "high", undefined],
])("%s with thinking_budget %j is sent %j", (model, setting, effort) => {
  expect(reasoningEffort(familyOf(model), setting)).toBe(effort as never);
});

test("a call with minimal thinking gets the model's lowest effort", () => {
  expect(reasoningEffort(familyOf("gpt-5.6"), "high", true)).toBe("none");
  expect(reasoningEffort(familyOf("gpt-5"), "high", true)).toBe("low");
  expect(reasoningEffort(familyOf("gpt-4o"), "high", true)).toBeUndefined();
});

test("a number of tokens for an OpenAI reasoning model, or an unknown level, fails before any call", () => {
  const create = (thinking_budget: unknown) => () =>
    createModel({ provider: "openai", model: "gpt-5.6", thinking_budget }, { env: () => undefined, log: () => {} });
  expect(create(1024)).toThrow('openai/gpt-5.6: thinking_budget: expected a level such as "medium" but received 1024');
  expect(create("loud")).toThrow('thinking_budget: "loud" is neither');
  expect(create("high")).not.toThrow();
});

test("tokens, levels and adaptive levels are distinguished", () => {
  expect(parseThinkingBudget(-1)).toEqual({ kind: "tokens", tokens: -1 });
  expect(parseThinkingBudget("24576")).toEqual({ kind: "tokens", tokens: 24576 });
  expect(parseThinkingBudget("adaptive")).toEqual({ kind: "level", level: "high", adaptive: true });
  expect(parseThinkingBudget("adaptive/max")).toEqual({ kind: "level", level: "max", adaptive: true });
  expect(parseThinkingBudget("none")).toEqual({ kind: "off" });
});
