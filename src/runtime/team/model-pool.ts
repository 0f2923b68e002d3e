import type { NamedModel } from "../../config/models/named-models.ts";
import { type ChainOptions, createModelChain, type ModelChain } from "../../model/calls/chain.ts";
import type { Prices } from "../../model/catalog/cost.ts";
import { createModel, type ModelDeps } from "../../model/create-model.ts";
import type { Model } from "../../model/model.ts";
import type { ModelEndpoint } from "../../protocol/fields.ts";

/** The models of an agent: those that turns use, with their retries and fallbacks. */
export interface ModelPool {
  /** Returns the model of the next turn, at random if there are several. */
  choose(): Model;
  chain: ModelChain;
  endpoints: readonly ModelEndpoint[];
  prices(modelId: string): Prices | undefined;
  /** The compaction threshold that the models set. */
  compactionThreshold: number | undefined;
}

/** The retries and fallback models of a pool. */
export type Fallbacks = Omit<ChainOptions, "fallbacks"> & { models: readonly NamedModel[] };

/** Creates the models of a pool. Throws a `ConfigError` for settings that can never work. */
export function createModelPool(models: readonly NamedModel[], fallbacks: Fallbacks, deps: ModelDeps): ModelPool {
  const all = [...models, ...fallbacks.models];
  const primaries = models.map(({ spec }) => createModel(spec, deps));
  return {
    choose: () => {
      const chosen = primaries[Math.floor(Math.random() * primaries.length)];
      if (!chosen) throw new Error("a model pool is never empty");
      return chosen;
    },
    chain: createModelChain({
      ...fallbacks,
      fallbacks: fallbacks.models.map(({ spec }) => createModel(spec, deps)),
      skipsWaits: deps.offline,
    }),
    endpoints: models.map(({ spec }) => endpointOf(spec, deps)),
    prices: (id) =>
      all.find(({ spec }) => `${spec.provider}/${spec.model}` === id && spec.track_usage !== false)?.spec.cost,
    compactionThreshold: models.map(({ config }) => config?.compaction_threshold).find((value) => value !== undefined),
  };
}

/** Returns a model as the input of `on_agent_switch` describes it. */
function endpointOf(spec: NamedModel["spec"], { providers }: ModelDeps): ModelEndpoint {
  const provider = providers && Object.hasOwn(providers, spec.provider) ? providers[spec.provider] : undefined;
  const baseUrl = spec.base_url ?? provider?.base_url;
  const unloadApi = spec.provider_opts?.["unload_api"] ?? provider?.unload_api;
  return {
    provider: spec.provider,
    model: spec.model,
    ...(baseUrl ? { base_url: baseUrl } : {}),
    ...(typeof unloadApi === "string" && unloadApi ? { unload_api: unloadApi } : {}),
  };
}
