import { ConfigError } from "../../lib/errors.ts";
import { parseModelReference } from "../../model/catalog/model-reference.ts";
import { findProvider, PROVIDERS, type ProviderRow } from "../../model/catalog/providers.ts";
import type { ModelSpec } from "../../model/catalog/spec.ts";
import type { ModelConfig } from "./model-schema.ts";

/** The variables that name the default model. The first one that is set wins. */
const VARIABLES = ["HOOKSH_DEFAULT_MODEL", "DOCKER_AGENT_DEFAULT_MODEL", "CAGENT_DEFAULT_MODEL"] as const;

/** `max_tokens` for providers without a default of their own. */
const DEFAULT_MAX_TOKENS = 32_000;

/** The models that `auto` and the built-in agent try, in this order. */
export const AUTO_MODELS: readonly ModelSpec[] = Object.entries<ProviderRow>(PROVIDERS)
  .toSorted(([, { autoRank: one = 0 }], [, { autoRank: other = 0 }]) => one - other)
  .flatMap(([provider, row]) =>
    row.defaultModel === undefined ? [] : [withBudget({ provider, model: row.defaultModel })],
  );

/** The environment in which `auto` chooses a model. */
export interface AutoOptions {
  /** Returns the value of a variable. */
  lookup: (name: string) => string | undefined;
  /** Returns the variables that a model needs and that are not set. */
  missing: (spec: ModelSpec) => readonly string[];
  /** `default_model` of the user's configuration. */
  userDefault?: string | ModelConfig | undefined;
}

/** Returns the model that `auto` chooses: a local one if no provider has credentials. */
export function autoModel({ lookup, missing, userDefault }: AutoOptions): ModelSpec {
  const named = VARIABLES.map(lookup).find((value) => value) ?? userDefault;
  if (typeof named === "object" && named.provider && named.model)
    return { ...named, provider: named.provider, model: named.model };
  const reference = typeof named === "string" ? parseModelReference(named) : undefined;
  if (reference) return withBudget(reference);
  const ready = AUTO_MODELS.find((spec) => missing(spec).length === 0);
  if (!ready) throw new ConfigError("auto: no provider has credentials; set the API key of one, or name a model");
  return ready;
}

function withBudget(spec: { provider: string; model: string }): ModelSpec {
  return { ...spec, max_tokens: findProvider(spec.provider)?.defaultMaxTokens ?? DEFAULT_MAX_TOKENS };
}
