import { expect, test } from "bun:test";
import { computeCost } from "../../../src/model/catalog/cost.ts";
import { contextWindow, familyOf } from "../../../src/model/catalog/families.ts";
import { parseModelReference, splitAlloy } from "../../../src/model/catalog/model-reference.ts";

test("a reference splits at the first slash only", () => {
  expect(parseModelReference("dmr/ai/qwen3:latest")).toEqual({ provider: "dmr", model: "ai/qwen3:latest" });
  expect(parseModelReference("fast")).toBeUndefined();
  expect(() => parseModelReference("openai/")).toThrow('Model reference "openai/": expected provider/model');
});

test("an alloy splits at commas", () => {
  expect(splitAlloy("openai/gpt-4o, anthropic/claude-sonnet-4-0,")).toEqual([
    "openai/gpt-4o",
    "anthropic/claude-sonnet-4-0",
  ]);
});

test("the context window is the declared one, else the family's, else unknown", () => {
  expect(contextWindow(familyOf("gpt-4o-mini"))).toBe(128_000);
  expect(contextWindow(familyOf("anthropic/Claude-Sonnet-4"))).toBe(200_000);
  expect(contextWindow(familyOf("gpt-4o"), { context_size: 4096 })).toBe(4096);
  expect(contextWindow(familyOf("home-made"))).toBe(0);
});

test("the cost of a call is its tokens times the prices", () => {
  const usage = {
    input_tokens: 1_000_000,
    output_tokens: 500_000,
    cached_input_tokens: 2_000_000,
    cached_write_tokens: 100_000,
  };
  expect(computeCost(usage, { input: 2, output: 8, cache_read: 0.5, cache_write: 3 })).toBeCloseTo(7.3, 9);
});

test("the cost is 0 for a free model, and unknown without prices or usage", () => {
  expect(computeCost({ input_tokens: 5 }, { input: 0, output: 0 })).toBe(0);
  expect(computeCost({ input_tokens: 5 }, undefined)).toBeUndefined();
  expect(computeCost(undefined, { input: 1 })).toBeUndefined();
});
