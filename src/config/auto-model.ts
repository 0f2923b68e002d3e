import { findProvider } from "../model/providers.ts";
import { parseModelReference } from "../model/reference.ts";
import type { ModelSpec } from "../model/spec.ts";
import type { ModelConfig } from "./model-schema.ts";

/** The providers that `auto` tries, in order. GitHub Copilot is not among them: a CI token is no wish to use it. */
export const AUTO_PROVIDERS = [
  "anthropic",
  "openai",
  "google",
  "mistral",
  "openrouter",
  "baseten",
  "ovhcloud",
  "groq",
  "fireworks",
  "deepseek",
  "cerebras",
  "together",
  "huggingface",
  "moonshot",
  "vercel",
  "amazon-bedrock",
  "opencode-zen",
  "opencode-go",
] as const;

/** Variables that name the default model, the first that is set wins. Source: config-and-cli 6.2. */
const VARIABLES = ["HOOKSH_DEFAULT_MODEL", "DOCKER_AGENT_DEFAULT_MODEL", "CAGENT_DEFAULT_MODEL"] as const;

const BUDGET = 32_000;
const LOCAL_BUDGET = 16_000;

/** What `auto` depends on. */
export interface AutoOptions {
  /** The value of a variable. */
  lookup: (name: string) => string | undefined;
  /** The variables that a model needs and that are not set. */
  missing: (spec: ModelSpec) => readonly string[];
  /** `default_model` of the user's configuration. */
  userDefault?: string | ModelConfig | undefined;
}

/** The model that `auto` stands for; a local one when no provider has credentials. Source: config-and-cli 6.2. */
export function autoModel({ lookup, missing, userDefault }: AutoOptions): ModelSpec {
  const named = VARIABLES.map(lookup).find((value) => value) ?? userDefault;
  if (typeof named === "object" && named.provider && named.model)
    return { ...named, provider: named.provider, model: named.model };
  const reference = typeof named === "string" ? parseModelReference(named) : undefined;
  if (reference) return withBudget(reference);
  const ready = AUTO_PROVIDERS.map(defaultOf).find((spec) => spec !== undefined && missing(spec).length === 0);
  return ready ?? defaultOf("dmr") ?? withBudget({ provider: "dmr", model: "ai/qwen3:latest" });
}

function defaultOf(provider: string): ModelSpec | undefined {
  const row = findProvider(provider);
  return row?.defaultModel === undefined || row.client === "unsupported"
    ? undefined
    : withBudget({ provider, model: row.defaultModel });
}

function withBudget(spec: { provider: string; model: string }): ModelSpec {
  return { ...spec, max_tokens: spec.provider === "dmr" ? LOCAL_BUDGET : BUDGET };
}
