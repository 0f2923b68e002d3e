import type { Agent as AgentSetup } from "../../config/agent/resolve-agent.ts";
import { type ModelContext, type NamedModel, resolveModel } from "../../config/models/named-models.ts";
import type { Log } from "../../engine/hook.ts";
import { ConfigError, errorText } from "../../lib/errors.ts";
import type { ModelSpec } from "../../model/catalog/spec.ts";
import type { ModelDeps } from "../../model/create-model.ts";
import { createModelPool, type Fallbacks, type ModelPool } from "./model-pool.ts";

/** What the models of a team are made from. */
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
  /** Those whose credentials must be there before a run. A missing key of a fallback shows when it is used. */
  required: NamedModel[];
}

/** Resolves what an agent names; throws a {@link ConfigError} that says which agent it was. */
export function modelsOf(agent: AgentSetup, context: ModelContext): AgentModels {
  const resolve = (name: string) => withAgentInErrors(agent, () => resolveModel(name, context));
  const primary = resolve(agent.model);
  const fallbacks = (agent.fallback?.models ?? []).flatMap(resolve);
  const ofModel = primary.find(({ config }) => config?.compaction_model)?.config?.compaction_model;
  const named = agent.compaction_model ?? ofModel;
  const compaction = named === undefined ? [] : resolve(named);
  return { primary, fallbacks, compaction, required: [...primary, ...compaction] };
}

/** Says of a {@link ConfigError} which agent it concerns. */
export function withAgentInErrors<T>(agent: Pick<AgentSetup, "name">, make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw new ConfigError(`agents.${agent.name}: ${errorText(error)}`, { cause: error });
  }
}

/** Throws one {@link ConfigError} with every missing variable. Source: config-and-cli 6.6. */
export function checkCredentials(...needs: readonly { models: readonly NamedModel[]; context: ModelContext }[]): void {
  const users = needs
    .flatMap(({ models, context }) => models.map(({ spec }) => ({ spec, missing: context.missing(spec) })))
    .filter(({ missing }) => missing.length > 0);
  if (users.length === 0) return;
  const missing = [...new Set(users.flatMap((user) => user.missing))].sort();
  const names = new Set(users.map(({ spec }) => `${spec.provider}/${spec.model}`));
  throw new ConfigError(
    `not set: ${missing.join(", ")}: needed by ${[...names].join(", ")}; ` +
      "set them in the environment, or in a file given with --env-from-file",
  );
}

/** What a model hook means by a name: of several the first. */
export function hookModelSpec(name: string, context: ModelContext): ModelSpec {
  const [first] = resolveModel(name, context);
  if (!first) throw new ConfigError(`no model ${JSON.stringify(name)}`);
  return first.spec;
}

/** How an agent's model calls are retried, and by which models. */
export function fallbacksOf({ fallback }: AgentSetup, models: AgentModels): Fallbacks {
  return {
    models: models.fallbacks,
    retries: fallback?.retries,
    cooldownMs: fallback?.cooldown,
    maxWaitMs: fallback?.max_wait,
  };
}

/** Models that toolsets and skills name, made when they are first needed. */
export interface LazyModels {
  /** Undefined for one that cannot be used, with a word to the log. */
  pool(reference: string): ModelPool | undefined;
  prices: ModelPool["prices"];
}

/** Nothing is resolved before it is asked for. Never throws, then or later. */
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
