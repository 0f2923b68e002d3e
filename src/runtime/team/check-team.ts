import type { AgentFile } from "../../config/agent/agent-file.ts";
import { AUTO_MODELS } from "../../config/models/auto-model.ts";
import type { ModelContext, NamedModel } from "../../config/models/named-models.ts";
import type { Env } from "../../lib/env.ts";
import { keyLines } from "../../model/catalog/key-pages.ts";
import { resolveModel } from "../../model/catalog/resolve.ts";
import { locateServer } from "../../model/local/find-local-models.ts";
import { checkCredentials, fallbacksOf, modelsOf, withAgentInErrors } from "./agent-models.ts";
import { type AssembleOptions, placeOf } from "./assemble.ts";
import { createModelPool } from "./model-pool.ts";
import { NoModelError } from "./no-model-error.ts";

/** The part of {@link AssembleOptions} that the models of a team depend on. */
export type CheckOptions = Pick<AssembleOptions, "lookup" | "models" | "userDefaultModel" | "log"> & {
  env: Env;
  /** Receives the problem of a model server on this machine that an agent names and that does not answer. By default an error. */
  onSilentServer?: (problem: string) => void;
};

/**
 * Throws a `ConfigError` if the models of a team cannot work: a missing key, a setting that the model refuses, or a model
 * server on this machine that does not answer. Sends no request to any other server. A server is not checked for an agent
 * that has fallback models.
 */
export async function checkTeam(file: AgentFile, options: CheckOptions): Promise<void> {
  const setups = checkKeys(file, options);
  for (const { agent, models, place } of setups)
    withAgentInErrors(agent, () => createModelPool(models.primary, fallbacksOf(agent, models), place.deps));
  if (options.models.offline) return;
  for (const { models, place } of setups)
    if (models.fallbacks.length === 0) await checkServers(models.primary, place.context, options);
}

/** Returns the agents with their models. Throws a `ConfigError` that names every missing key. */
export function checkKeys(file: AgentFile, options: Omit<CheckOptions, "env">) {
  const setups = file.agents.map((agent) => {
    const place = placeOf(agent.origin ?? file, options);
    return { agent, place, models: modelsOf(agent, place.context) };
  });
  checkCredentials(...setups.map(({ models, place }) => ({ models: models.required, context: place.context })));
  return setups;
}

/** Throws a {@link NoModelError} if the local server of a model does not answer. */
async function checkServers(
  models: readonly NamedModel[],
  context: ModelContext,
  { env, onSilentServer }: CheckOptions,
): Promise<void> {
  for (const { name, spec, config } of models) {
    const { row, rowName, hasCustomBaseUrl } = resolveModel(spec, context.lookup, context.file.providers);
    if (row.startCommand === undefined || hasCustomBaseUrl) continue;
    const { url, answers } = await locateServer(rowName, { lookup: context.lookup, env });
    if (answers) continue;
    const isChosen = name !== `${spec.provider}/${spec.model}` && config?.provider === undefined;
    if (isChosen)
      throw new NoModelError(noModelText(`no provider has a key, and ${row.summary} does not answer at ${url}`));
    const problem = `${spec.provider}/${spec.model}: ${row.summary} does not answer at ${url}; start it with \`${row.startCommand}\``;
    if (!onSilentServer) throw new NoModelError(problem);
    onSilentServer(problem);
  }
}

/** The providers whose keys are proposed if none is set: the first that `auto` tries. */
export const PROPOSED_PROVIDERS: readonly string[] = AUTO_MODELS.slice(0, 3).map(({ provider }) => provider);

function noModelText(problem: string): string {
  return [`${problem}; set one of`, ...keyLines(PROPOSED_PROVIDERS).map((line) => `  ${line}`)].join("\n");
}
