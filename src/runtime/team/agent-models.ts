import type { Agent as AgentSetup } from "../../config/agent/resolve-agent.ts";
import { type ModelContext, type NamedModel, resolveModel } from "../../config/models/named-models.ts";
import type { Log } from "../../engine/handler.ts";
import { ConfigError, errorText } from "../../lib/errors.ts";
import { keyPages } from "../../model/catalog/key-pages.ts";
import type { ModelSpec } from "../../model/catalog/spec.ts";
import type { ModelDeps } from "../../model/create-model.ts";
import { createModelPool, type Fallbacks, type ModelPool } from "./model-pool.ts";
import { NoModelError } from "./no-model-error.ts";

export interface ModelSources {
  context: ModelContext;
  deps: ModelDeps;
  log: Log;
}

/** The models that an agent's own keys name. */
export interface AgentModels {
  primary: NamedModel[];
  fallbacks: NamedModel[];
  compaction: NamedModel[];
  /** Models whose credentials must be set before a run. A missing key of a fallback shows when it is used. */
  required: NamedModel[];
}

/** Resolves the models that an agent names. Throws a {@link ConfigError} that names the agent. */
export function modelsOf(agent: AgentSetup, context: ModelContext): AgentModels {
  const resolve = (name: string) => withAgentInErrors(agent, () => resolveModel(name, context));
  const primary = resolve(agent.model);
  const fallbacks = (agent.fallback?.models ?? []).flatMap(resolve);
  const ofModel = primary.find(({ config }) => config?.compaction_model)?.config?.compaction_model;
  const { providers } = context.file;
  const ofProvider = primary.flatMap(({ spec }) => providers[spec.provider]?.compaction_model ?? [])[0];
  const named = agent.compaction_model ?? ofModel ?? ofProvider;
  const compaction = named === undefined ? [] : resolve(named);
  return { primary, fallbacks, compaction, required: [...primary, ...compaction] };
}

/** Runs `make` and adds the agent's name to its errors. */
export function withAgentInErrors<T>(agent: Pick<AgentSetup, "name">, make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw new ConfigError(`agents.${agent.name}: ${errorText(error)}`, { cause: error });
  }
}

/** Throws one {@link ConfigError} that names every missing variable. */
export function checkCredentials(...needs: readonly { models: readonly NamedModel[]; context: ModelContext }[]): void {
  const users = needs
    .flatMap(({ models, context }) => models.map(({ spec }) => ({ spec, missing: context.missing(spec) })))
    .filter(({ missing }) => missing.length > 0);
  if (users.length === 0) return;
  const missing = [...new Set(users.flatMap((user) => user.missing))].sort();
  const names = new Set(users.map(({ spec }) => `${spec.provider}/${spec.model}`));
  throw new NoModelError(
    [
      `not set: ${missing.join(", ")}: needed by ${[...names].join(", ")}; ` +
        `set ${missing.length === 1 ? "it" : "them"} in the environment, or in a file given with --env-from-file`,
      ...keyPages(missing).map((line) => `  ${line}`),
    ].join("\n"),
  );
}

/** Throws a {@link ConfigError} for `--max-cost` that names every model whose calls have no known cost. */
export function checkPrices(
  setups: readonly { agent: Pick<AgentSetup, "name">; models: AgentModels }[],
  limit: string,
): void {
  const without = setups.flatMap(({ agent, models: { primary, fallbacks, compaction } }) =>
    [...primary, ...fallbacks, ...compaction]
      .filter(({ spec }) => spec.cost === undefined || spec.track_usage === false)
      .map(({ spec }) => `${spec.provider}/${spec.model} (agents.${agent.name})`),
  );
  if (without.length === 0) return;
  throw new ConfigError(
    `${limit} needs the price of every model, and these have none: ${[...new Set(without)].join(", ")}; ` +
      "give each an entry under models with cost: {input: ..., output: ...} in US dollars per million tokens, and without track_usage: false",
  );
}

/** Returns the model that a model hook names; the first if the name means several. */
export function hookModelSpec(name: string, context: ModelContext): ModelSpec {
  const [first] = resolveModel(name, context);
  if (!first) throw new ConfigError(`no model ${JSON.stringify(name)}`);
  return first.spec;
}

/** Returns how an agent's model calls are retried, and with which models. */
export function fallbacksOf({ fallback }: AgentSetup, models: AgentModels): Fallbacks {
  return {
    models: models.fallbacks,
    retries: fallback?.retries,
    cooldownMs: fallback?.cooldown,
    maxWaitMs: fallback?.max_wait,
  };
}

/** The models that toolsets and skills name, created when first needed. */
export interface LazyModels {
  /** Returns undefined for a model that cannot be used, and logs why. */
  pool(reference: string): ModelPool | undefined;
  prices: ModelPool["prices"];
}

/** Resolves a model when it is first asked for. Neither this function nor its result throws. */
export function createLazyModels(agentName: string, { context, deps, log }: ModelSources): LazyModels {
  const pools = new Map<string, ModelPool | undefined>();
  const make = (reference: string): ModelPool | undefined => {
    try {
      const models = resolveModel(reference, context);
      checkCredentials({ models, context });
      return createModelPool(models, { models: [] }, deps);
    } catch (error) {
      log("warn", `agents.${agentName}: the model ${reference} is not used: ${errorText(error)}`);
      return undefined;
    }
  };
  return {
    pool: (reference) => {
      if (!pools.has(reference)) pools.set(reference, make(reference));
      return pools.get(reference);
    },
    prices: (id) => [...pools.values()].map((pool) => pool?.prices(id)).find((prices) => prices !== undefined),
  };
}
