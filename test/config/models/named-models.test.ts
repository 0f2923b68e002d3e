import { describe, expect, test } from "bun:test";
import type { ModelConfig, ProviderConfig } from "../../../src/config/models/model-schema.ts";
import { type ModelContext, resolveModel } from "../../../src/config/models/named-models.ts";
import { missingVariables } from "../../../src/model/catalog/resolve.ts";

interface Given {
  models?: Record<string, ModelConfig>;
  providers?: Record<string, ProviderConfig>;
  env?: Record<string, string>;
  userDefault?: string | ModelConfig;
}

function context({ models = {}, providers = {}, env = {}, userDefault }: Given = {}): ModelContext {
  const lookup = (name: string) => env[name];
  return {
    file: { models, providers },
    lookup,
    userDefault,
    missing: (spec) => missingVariables([spec], lookup, providers),
  };
}

/** `provider/model` of every model that a reference names. */
function resolved(reference: string, given?: Given): string[] {
  return resolveModel(reference, context(given)).map(({ spec }) => `${spec.provider}/${spec.model}`);
}

describe("a reference", () => {
  const models: Record<string, ModelConfig> = {
    a: { provider: "openai", model: "gpt-4o", temperature: 0.5 },
    pool: { model: "a, groq/llama" },
    loop: { model: "loop, a" },
  };

  test.each([
    ["a", ["openai/gpt-4o"]],
    ["dmr/ai/qwen3:latest", ["dmr/ai/qwen3:latest"]],
    ["a,groq/llama", ["openai/gpt-4o", "groq/llama"]],
    ["pool", ["openai/gpt-4o", "groq/llama"]],
    ["pool,a", ["openai/gpt-4o", "groq/llama", "openai/gpt-4o"]],
  ])("%s names %j", (reference, expected) => {
    expect(resolved(reference, { models })).toEqual(expected);
  });

  test("to an entry has its settings, and parallel tool calls unless they are off", () => {
    expect(resolveModel("a", context({ models }))[0]).toMatchObject({
      name: "a",
      config: { temperature: 0.5 },
      spec: { temperature: 0.5, parallel_tool_calls: true },
    });
    expect(resolveModel("openai/x", context())[0]?.spec.parallel_tool_calls).toBeUndefined();
    const providers = { p: { base_url: "http://x", parallel_tool_calls: false } };
    expect(
      resolveModel("m", context({ models: { m: { provider: "p", model: "x" } }, providers }))[0]?.spec
        .parallel_tool_calls,
    ).toBe(false);
  });

  test("to an undefined or a circular entry is an error", () => {
    expect(() => resolved("nobody", { models })).toThrow(
      'no model "nobody"; write PROVIDER/MODEL, or one of a, pool, loop',
    );
    expect(() => resolved("pol", { models })).toThrow('no model "pol"; did you mean "pool"?');
    expect(() => resolved("gpt-4o", { models })).toThrow('no model "gpt-4o"; did you mean "openai/gpt-4o"?');
    expect(() => resolved("loop", { models })).toThrow("models.loop: refers to itself: loop -> loop");
    expect(() => resolved("", { models })).toThrow("expected a name");
  });
});

describe("first_available", () => {
  const models: Record<string, ModelConfig> = {
    pick: { description: "any", first_available: ["anthropic/claude", "named", "dmr/ai/x"] },
    named: { provider: "openai", model: "gpt-4o", description: "own" },
    strict: { first_available: ["anthropic/claude", "named"] },
    open: { first_available: ["mine/x"] },
  };
  const providers = { mine: { base_url: "http://localhost:1" } };

  test.each([
    ["pick", { ANTHROPIC_API_KEY: "k" }, ["anthropic/claude"]],
    ["pick", { OPENAI_API_KEY: "k" }, ["openai/gpt-4o"]],
    ["pick", {}, ["dmr/ai/x"]],
    ["open", {}, ["mine/x"]],
  ])("%s with %j is %j", (name, env, expected) => {
    expect(resolved(name, { models, providers, env })).toEqual(expected);
  });

  test("keeps the name and the description of the selector", () => {
    const [model] = resolveModel("pick", context({ models, env: { OPENAI_API_KEY: "k" } }));
    expect(model).toMatchObject({ name: "pick", config: { description: "any" }, spec: { model: "gpt-4o" } });
  });

  test("lists what every candidate lacks if none is available", () => {
    expect(() => resolved("strict", { models })).toThrow(
      "models.strict: no model is available: anthropic/claude lacks ANTHROPIC_API_KEY; named lacks OPENAI_API_KEY",
    );
  });
});

describe("auto", () => {
  const cases: [string, Given, string][] = [
    [
      "a variable",
      { env: { HOOKSH_DEFAULT_MODEL: "groq/a", CAGENT_DEFAULT_MODEL: "groq/b" }, userDefault: "groq/c" },
      "groq/a",
    ],
    ["the user's default", { env: { OPENAI_API_KEY: "k" }, userDefault: "groq/c" }, "groq/c"],
    ["the user's default with settings", { userDefault: { provider: "groq", model: "d" } }, "groq/d"],
    [
      "the first provider with a key",
      { env: { OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k" } },
      "anthropic/claude-sonnet-4-6",
    ],
    ["a local model when a token is for GitHub only", { env: { GITHUB_TOKEN: "k" } }, "dmr/ai/qwen3:latest"],
    ["a local model without any key", {}, "dmr/ai/qwen3:latest"],
  ];
  test.each(cases)("is %s", (_name, given, expected) => {
    expect(resolved("auto", given)).toEqual([expected]);
  });

  test("has a completion budget, a smaller one for a local model", () => {
    expect(resolveModel("auto", context({ env: { OPENAI_API_KEY: "k" } }))[0]?.spec.max_tokens).toBe(32_000);
    expect(resolveModel("auto", context())[0]?.spec.max_tokens).toBe(16_000);
  });
});
