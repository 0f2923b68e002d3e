import type { Agent as AgentSetup } from "../config/agent.ts";
import type { AgentFile } from "../config/agent-file.ts";
import { expandToolsetEnv } from "../config/expand.ts";
import { expandWorkingDir } from "../config/expand-hook.ts";
import { hooksOfAgent, type UserHooks } from "../config/hook-sources.ts";
import { type ModelContext, type NamedModel, resolveModel } from "../config/models.ts";
import { mergePermissions, type PermissionRules } from "../config/permissions.ts";
import { newRegistry } from "../engine/default-registry.ts";
import { Executor } from "../engine/executor.ts";
import type { Log } from "../engine/hook.ts";
import type { Directories, Env } from "../lib/env.ts";
import { ConfigError, errorText } from "../lib/errors.ts";
import { isObject } from "../lib/json.ts";
import type { ModelDeps } from "../model/create.ts";
import { missingVariables } from "../model/resolve.ts";
import type { ModelSpec } from "../model/spec.ts";
import { TOOLSETS } from "../tools/index.ts";
import { applyToolsetOptions, type ToolsetChoice } from "../tools/options.ts";
import type { Toolset, ToolsetRow } from "../tools/tool.ts";
import type { Agent, AgentLimits, Team } from "./agent.ts";
import { createHookModelClient } from "./hook-model.ts";
import { createModelPool, type Fallbacks } from "./model-pool.ts";

/** What a team is put together from beside its file. */
export interface AssembleOptions {
  workingDir: string;
  /** The environment of hooks and tools. */
  env: Env;
  directories: Directories;
  /** The value of a variable in configuration: a key, `${env.NAME}`. */
  lookup: (name: string) => string | undefined;
  userHooks: UserHooks;
  userPermissions?: Partial<PermissionRules> | undefined;
  userDefaultModel?: ModelContext["userDefault"];
  /** `--prompt-file`: added to every agent's `add_prompt_files`. */
  promptFiles?: readonly string[];
  /** `--max-iterations`: in place of every agent's own. */
  maxIterations?: number | undefined;
  /** Expands `${...}` in texts for the model; as they are when absent. */
  expandText?: (text: string, where: string) => string;
  /** The agent file's name without its ending. */
  configName?: string;
  models: Pick<ModelDeps, "fetch" | "offline" | "idleTimeoutMs">;
  log: Log;
  /** Told of what is left out; goes to standard error. */
  warn: (message: string) => void;
}

/** A team and the end of everything it started. */
export interface AssembledTeam {
  team: Team;
  /** Ends toolsets. Never throws. */
  close(): Promise<void>;
}

/**
 * Puts the agents of a file together: models, toolsets, hooks. Throws a {@link ConfigError} for what cannot work, among
 * it one that names every missing variable, before any toolset starts. A toolset that fails to start is a warning.
 *
 * Source: config-and-cli 2.1 (steps 13 to 15).
 */
export async function assembleTeam(file: AgentFile, options: AssembleOptions): Promise<AssembledTeam> {
  const context: ModelContext = {
    file,
    lookup: options.lookup,
    missing: (spec: ModelSpec) => (options.models.offline ? [] : missingVariables([spec], options.lookup, file.providers)),
    ...(options.userDefaultModel === undefined ? {} : { userDefault: options.userDefaultModel }),
  };
  const deps: ModelDeps = { ...options.models, env: options.lookup, providers: file.providers, log: options.log };
  const setups = file.agents.map((agent) => ({ agent, models: modelsOf(agent, context) }));
  checkCredentials(setups.flatMap(({ models }) => models.required), context);
  const agents = new Map<string, Agent>();
  const toolsets: Toolset[] = [];
  for (const { agent, models } of setups) {
    const assembled = await assembleAgent(agent, models, { file, context, deps, options });
    toolsets.push(...assembled.toolsets);
    agents.set(agent.name, assembled);
  }
  return {
    team: { agents, startAgent: file.defaultAgent, permissions: mergePermissions(listsOf(file.permissions), listsOf(options.userPermissions ?? {})) },
    close: async () => void (await Promise.all(toolsets.map((toolset) => toolset.close?.()))),
  };
}

function listsOf(rules: Partial<PermissionRules>) {
  return { allow: [...(rules.allow ?? [])], ask: [...(rules.ask ?? [])], deny: [...(rules.deny ?? [])] };
}

interface AgentModels {
  primary: NamedModel[];
  fallbacks: NamedModel[];
  compaction: NamedModel[];
  /** Those whose credentials must be there before a run. A missing key of a fallback shows when it is used. */
  required: NamedModel[];
}

function modelsOf(agent: AgentSetup, context: ModelContext): AgentModels {
  const resolve = (name: string) => located(agent, () => resolveModel(name, context));
  const primary = resolve(agent.model);
  const fallbacks = (agent.fallback?.models ?? []).flatMap(resolve);
  const named = agent.compaction_model ?? primary.find(({ config }) => config?.compaction_model)?.config?.compaction_model;
  const compaction = named === undefined ? [] : resolve(named);
  return { primary, fallbacks, compaction, required: [...primary, ...compaction] };
}

function located<T>(agent: AgentSetup, make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw new ConfigError(`agents.${agent.name}: ${errorText(error)}`, { cause: error });
  }
}

/** One error with every missing variable. Source: config-and-cli 6.6. */
function checkCredentials(models: readonly NamedModel[], context: ModelContext): void {
  const missing = [...new Set(models.flatMap(({ spec }) => context.missing(spec)))].sort();
  if (missing.length === 0) return;
  const users = models.filter(({ spec }) => context.missing(spec).length > 0).map(({ spec }) => `${spec.provider}/${spec.model}`);
  throw new ConfigError(
    `not set: ${missing.join(", ")}: needed by ${[...new Set(users)].join(", ")}; set them in the environment, or in a file given with --env-from-file`,
  );
}

interface Surroundings {
  file: AgentFile;
  context: ModelContext;
  deps: ModelDeps;
  options: AssembleOptions;
}

async function assembleAgent(setup: AgentSetup, models: AgentModels, { file, context, deps, options }: Surroundings): Promise<Agent> {
  const { name } = setup;
  const expand = (text: string, key: string) => options.expandText?.(text, `agents.${name}.${key}`) ?? text;
  const pool = located(setup, () => createModelPool(models.primary, fallbacksOf(setup, models), deps));
  const summariser = models.compaction.length > 0 ? located(setup, () => createModelPool(models.compaction, { models: [] }, deps)) : undefined;
  const promptFiles = [...new Set([...(setup.add_prompt_files ?? []), ...(options.promptFiles ?? [])])];
  const entries = await hooksOfAgent(
    { document: file.document, path: [...setup.path, "hooks"], value: setup.hooks, defaults: { ...setup, add_prompt_files: promptFiles } },
    options.userHooks,
  );
  const client = createHookModelClient((model) => firstSpec(model, context), deps);
  const hooks = new Executor(entries, { ...options, registry: newRegistry(client) });
  const threshold = pool.compactionThreshold ?? setup.compaction_threshold;
  return {
    name,
    description: expand(setup.description ?? "", "description"),
    instruction: expand(setup.instruction, "instruction"),
    toolsets: await createToolsets(setup, options, expand),
    hooks,
    chooseModel: () => pool.choose(),
    models: pool.chain,
    modelEndpoints: pool.endpoints,
    prices: (id) => pool.prices(id),
    limits: limitsOf(setup, options),
    compaction: {
      enabled: setup.session_compaction !== false,
      ...(threshold === undefined ? {} : { threshold }),
      ...(summariser ? { model: summariser.choose() } : {}),
    },
    subAgents: setup.sub_agents ?? [],
    handoffs: setup.handoffs ?? [],
    ...(setup.force_handoff ? { forceHandoff: setup.force_handoff } : {}),
    ...(setup.structured_output ? { structuredOutput: setup.structured_output as NonNullable<Agent["structuredOutput"]> } : {}),
    ...(setup.welcome_message ? { welcomeMessage: expand(setup.welcome_message, "welcome_message") } : {}),
  };
}

function firstSpec(name: string, context: ModelContext): ModelSpec {
  const [first] = resolveModel(name, context);
  if (!first) throw new ConfigError(`no model ${JSON.stringify(name)}`);
  return first.spec;
}

function fallbacksOf(setup: AgentSetup, models: AgentModels): Fallbacks {
  return { models: models.fallbacks, retries: setup.fallback?.retries, cooldownMs: setup.fallback?.cooldown };
}

function limitsOf(setup: AgentSetup, options: AssembleOptions): AgentLimits {
  return {
    maxIterations: options.maxIterations ?? setup.max_iterations ?? 0,
    maxConsecutiveToolCalls: setup.max_consecutive_tool_calls ?? 0,
    historyItems: setup.num_history_items ?? 0,
    oldToolCallTokens: setup.max_old_tool_call_tokens ?? 0,
    toolResultTokens: setup.max_tool_result_tokens ?? 0,
  };
}

/** Creates the toolsets of an agent in order. One that fails is left out with a warning. */
async function createToolsets(
  setup: AgentSetup,
  options: AssembleOptions,
  expand: (text: string, key: string) => string,
): Promise<Toolset[]> {
  const { workingDir, env, directories, log, warn, configName } = options;
  const context = { workingDir, env, dataDir: directories.data, log, ...(configName === undefined ? {} : { configName }) };
  const toolsets: Toolset[] = [];
  const rows: Readonly<Record<string, ToolsetRow>> = TOOLSETS;
  for (const [index, entry] of setup.toolsets.entries()) {
    const row = Object.hasOwn(rows, entry.type) ? rows[entry.type] : undefined;
    const where = `agents.${setup.name}.toolsets[${index}] (${entry.type})`;
    if (!row) {
      warn(`${where} is not supported yet: its tools are missing`);
      continue;
    }
    try {
      const toolset = await row.create(expandEntry(entry, options), context);
      const instruction = typeof entry["instruction"] === "string" ? { instruction: expand(entry["instruction"], `toolsets[${index}].instruction`) } : {};
      const choice: ToolsetChoice = { ...(entry as ToolsetChoice), readonly: setup.readonly || entry["readonly"] === true, ...instruction };
      toolsets.push(applyToolsetOptions(toolset, choice, (message) => warn(`${where}: ${message}`)));
    } catch (error) {
      warn(`${where} did not start, its tools are missing: ${errorText(error)}`);
    }
  }
  return toolsets;
}

/** A toolset's entry with the variables of its `env`, `working_dir` and `path` expanded. Source: config-and-cli 3. */
function expandEntry(entry: AgentSetup["toolsets"][number], options: AssembleOptions): Record<string, unknown> {
  const expanded: Record<string, unknown> = { ...entry };
  if (isTexts(entry["env"])) {
    const { env, missing } = expandToolsetEnv(entry["env"], options.lookup);
    if (missing.length > 0) throw new ConfigError(`env: not set: ${missing.join(", ")}`);
    expanded["env"] = env;
  }
  for (const key of ["working_dir", "path"]) {
    const value = entry[key];
    if (typeof value === "string") expanded[key] = expandWorkingDir(value, options.workingDir, options.env, options.warn);
  }
  return expanded;
}

function isTexts(value: unknown): value is Record<string, string> {
  return isObject(value) && Object.values(value).every((inner) => typeof inner === "string");
}
