import type { AgentFile } from "../../config/agent/agent-file.ts";
import { hooksOf, teamHooksOf } from "../../config/agent/agent-hooks.ts";
import { checkRouting } from "../../config/agent/check-routing.ts";
import type { AgentOrigin, Agent as AgentSetup } from "../../config/agent/resolve-agent.ts";
import { expandCommand } from "../../config/expansion/expand.ts";
import { hooksOfAgent, rulesOfAgent, type UserHooks } from "../../config/hooks/hook-sources.ts";
import { type ModelContext, resolveModel, selectsModel } from "../../config/models/named-models.ts";
import { mergePermissions, type PermissionRules } from "../../config/permissions/permission-rules.ts";
import type { Document } from "../../config/yaml/document.ts";
import type { DispatchObserver } from "../../engine/dispatch-record.ts";
import { Executor } from "../../engine/executor.ts";
import type { ModelClient } from "../../engine/handlers/model-handler.ts";
import { newRegistry } from "../../engine/registry.ts";
import { homeDirectory } from "../../lib/env.ts";
import { missingVariables } from "../../model/catalog/resolve.ts";
import type { ModelSpec } from "../../model/catalog/spec.ts";
import type { ModelDeps } from "../../model/create-model.ts";
import { modelOffers } from "../../model/model-offers.ts";
import type { BuiltinMemory } from "../../protocol/builtin.ts";
import type { Toolset } from "../../tools/tool.ts";
import { type Agent, type AgentCommand, type AgentLimits, NO_LIMITS, type Team } from "../agent/agent.ts";
import { type Skill, skillsMessage } from "../agent/skill.ts";
import { teamBudgets } from "../budgets/team-budgets.ts";
import { assembleSkills } from "../skills/assemble-skills.ts";
import { discoverSkills } from "../skills/discover-skills.ts";
import { fetchSkills } from "../skills/fetch-skills.ts";
import { meterWith } from "../stream/draw-from-budgets.ts";
import type { RunMeter } from "../stream/run-meter.ts";
import {
  type AgentModels,
  checkCredentials,
  checkPrices,
  createLazyModels,
  fallbacksOf,
  hookModelSpec,
  type LazyModels,
  type ModelSources,
  modelsOf,
  withAgentInErrors,
} from "./agent-models.ts";
import { createHookModelClient } from "./hook-model.ts";
import { createModelPool } from "./model-pool.ts";
import { type ConfiguredToolset, createToolsets, type ToolsetSurroundings } from "./toolsets.ts";

/** The inputs of a team besides its file. */
export interface AssembleOptions extends ToolsetSurroundings {
  userHooks: UserHooks;
  userPermissions?: Partial<PermissionRules> | undefined;
  userDefaultModel?: ModelContext["userDefault"];
  /** `--prompt-file`: added to every agent's `add_prompt_files`. */
  promptFiles?: readonly string[];
  /** Counts the calls of model hooks. If it limits the cost, every model of an agent must have a price. */
  meter?: RunMeter | undefined;
  /** `--max-iterations`: replaces the limit of every agent. */
  maxIterations?: number | undefined;
  models: Pick<ModelDeps, "fetch" | "offline" | "idleTimeoutMs">;
  /** Watch the dispatches of every agent. */
  observers?: readonly DispatchObserver[];
  /** Runs with the hooks of one agent before any toolset starts; if it throws, so does the assembly. */
  beforeTools?: { agent: string; run: (hooks: Executor) => Promise<void> } | undefined;
}

/** A team, and a way to close everything it started. */
export interface AssembledTeam {
  team: Team;
  /** Closes all toolsets. Never throws. */
  close(): Promise<void>;
}

/**
 * Creates the agents of a file with their models, toolsets and hooks. Throws a {@link ConfigError} if an agent cannot
 * work: one error names every missing variable, before any toolset starts; another names a required toolset that does
 * not start. Any other toolset that does not start causes a warning. Closes everything it started before it throws.
 */
export async function assembleTeam(file: AgentFile, options: AssembleOptions): Promise<AssembledTeam> {
  await checkRouting(file, options.userHooks.entries);
  const setups = file.agents.map((agent) => {
    const place = placeOf(agent.origin ?? file, options);
    return { agent, place, models: modelsOf(agent, place.context) };
  });
  checkCredentials(...setups.map(({ models, place }) => ({ models: models.required, context: place.context })));
  if (options.meter?.limits.maxCost !== undefined) checkPrices(setups, "--max-cost");
  const budgetsOf = teamBudgets(file);
  for (const setup of setups) {
    const budget = budgetsOf(setup.agent).find(({ limitsCost }) => limitsCost);
    if (budget) checkPrices([setup], `${budget.name}.max_cost`);
  }
  const agents = new Map<string, Agent>();
  const started: Toolset[] = [];
  const close = async () => void (await Promise.all(started.map((toolset) => toolset.close?.())));
  const found = { localSkills: skillFinder(options), remoteSkills: skillFetcher(options) };
  // The agents of a team work in the same sessions, so their builtins share a memory.
  const memory: BuiltinMemory = new Map();
  const shared = { team: file, options, started, memory, budgetsOf, isOwnFile: file.folder !== undefined, ...found };
  try {
    const first = setups.find(({ agent }) => agent.name === options.beforeTools?.agent);
    if (first) await options.beforeTools?.run(await executorOf(first.agent, { ...shared, ...first.place }));
    for (const { agent, models, place } of setups) {
      agents.set(agent.name, await assembleAgent(agent, models, { ...shared, ...place }));
    }
  } catch (error) {
    await close();
    throw error;
  }
  const permissionSources = new Map([
    ["agent file", listsOf(file.permissions)],
    ["config.yaml", listsOf(options.userPermissions ?? {})],
  ]);
  const permissions = mergePermissions(...permissionSources.values());
  return { team: { agents, startAgent: file.defaultAgent, permissions, permissionSources }, close };
}

/** Returns the model sources of a file: the team's own, or one that an agent was taken from. */
export function placeOf(
  file: AgentOrigin,
  options: Pick<AssembleOptions, "lookup" | "models" | "userDefaultModel" | "log">,
): ModelSources & { file: AgentOrigin } {
  const { lookup, models, userDefaultModel, log } = options;
  const context: ModelContext = {
    file,
    lookup,
    missing: (spec: ModelSpec) => (models.offline ? [] : missingVariables([spec], lookup, file.providers)),
    ...(userDefaultModel === undefined ? {} : { userDefault: userDefaultModel }),
  };
  return { file, context, deps: { ...models, env: lookup, providers: file.providers, log }, log };
}

function listsOf(rules: Partial<PermissionRules>) {
  return { allow: [...(rules.allow ?? [])], ask: [...(rules.ask ?? [])], deny: [...(rules.deny ?? [])] };
}

interface Surroundings extends ModelSources {
  /** The file of the team. */
  team: AgentFile;
  /** The file that defines the agent. */
  file: AgentOrigin;
  options: AssembleOptions;
  /** All toolsets that must be closed. */
  started: Toolset[];
  memory: BuiltinMemory;
  budgetsOf: ReturnType<typeof teamBudgets>;
  /** True if the team's file is on this machine, so its URLs may point at this machine. */
  isOwnFile: boolean;
  localSkills: () => Promise<readonly Skill[]>;
  remoteSkills: (url: string, isOwn: boolean) => Promise<readonly Skill[]>;
}

/** Returns a function that finds the local skills on its first call. */
function skillFinder({ workingDir, env, warn }: AssembleOptions): () => Promise<readonly Skill[]> {
  let found: Promise<readonly Skill[]> | undefined;
  return () => (found ??= discoverSkills(workingDir, homeDirectory(env), warn));
}

/** Returns a function that fetches the skills of each URL once. */
function skillFetcher({ env, directories, warn, signal, onLeftOut }: AssembleOptions): Surroundings["remoteSkills"] {
  const fetched = new Map<string, Promise<readonly Skill[]>>();
  const rest = { env, warn, cacheDir: directories.cache, ...(signal ? { signal } : {}) };
  return async (url, isOwn) => {
    if (onLeftOut) {
      onLeftOut(`skills from ${url}`);
      return [];
    }
    const key = `${isOwn} ${url}`;
    const skills = fetched.get(key) ?? fetchSkills(url, { ...rest, isOwn });
    fetched.set(key, skills);
    return skills;
  };
}

async function assembleAgent(setup: AgentSetup, models: AgentModels, surroundings: Surroundings): Promise<Agent> {
  const { deps, options } = surroundings;
  const { name, readonly = false, add_description_parameter: describe = false, structured_output: structured } = setup;
  const expand = (text: string, key: string) => options.expandText?.(text, `agents.${name}.${key}`) ?? text;
  let reference = setup.model;
  let pool = withAgentInErrors(setup, () => createModelPool(models.primary, fallbacksOf(setup, models), deps));
  const summariser = summariserOf(setup, models, deps);
  const hooks = await executorOf(setup, surroundings);
  const owner = { where: `agents.${name}`, entries: setup.toolsets, readonly, describe };
  const toolsets = await createToolsets(owner, options);
  surroundings.started.push(...toolsets.map(({ toolset }) => toolset));
  const others = createLazyModels(name, surroundings);
  const skills = await skillsOf(setup, others, surroundings);
  const background = toolsets.find((configured) => configured.background)?.background;
  const threshold = pool.compactionThreshold ?? setup.compaction_threshold;
  return {
    name,
    description: expand(setup.description ?? "", "description"),
    instruction: expand(setup.instruction, "instruction"),
    toolsets: [
      ...toolsets.map(({ toolset }) => toolset),
      ...(skills.length > 0 ? [{ tools: [], instructions: skillsMessage(skills) }] : []),
    ],
    hooks,
    chooseModel: () => pool.choose(),
    offers: modelOffers(deps),
    useModel: (name) => {
      const primary = resolveModel(name, surroundings.context);
      checkCredentials({ models: primary, context: surroundings.context });
      pool = createModelPool(primary, fallbacksOf(setup, models), deps);
      reference = name;
      return pool.choose().id;
    },
    get modelName() {
      return selectsModel(reference, surroundings.context) ? reference : pool.choose().id;
    },
    get models() {
      return pool.chain;
    },
    get modelEndpoints() {
      return pool.endpoints;
    },
    prices: (id) => pool.prices(id) ?? summariser?.prices(id) ?? others.prices(id),
    modelAfter: (tool) => modelOfToolset(toolsets, tool, others),
    limits: limitsOf(setup, options),
    budgets: surroundings.budgetsOf(setup),
    compaction: {
      enabled: setup.session_compaction !== false,
      ...(threshold === undefined ? {} : { threshold }),
      ...(summariser ? { model: summariser.choose() } : {}),
    },
    subAgents: setup.sub_agents ?? [],
    handoffs: setup.handoffs ?? [],
    skills,
    commands: new Map(Object.entries(setup.commands).map(([key, command]) => [key, commandOf(command, options)])),
    ...(background ? { background } : {}),
    ...(setup.routing ? { routes: setup.routing.allowed_agents } : {}),
    ...(setup.force_handoff ? { forceHandoff: setup.force_handoff } : {}),
    ...(setup.harness ? { harness: setup.harness.type } : {}),
    ...(structured ? { structuredOutput: structured as NonNullable<Agent["structuredOutput"]> } : {}),
    ...(setup.welcome_message ? { welcomeMessage: expand(setup.welcome_message, "welcome_message") } : {}),
  };
}

function summariserOf(setup: AgentSetup, { compaction }: AgentModels, deps: ModelDeps) {
  return compaction.length > 0
    ? withAgentInErrors(setup, () => createModelPool(compaction, { models: [] }, deps))
    : undefined;
}

async function executorOf(
  setup: AgentSetup,
  { team, options, memory, budgetsOf, ...own }: Surroundings,
): Promise<Executor> {
  const promptFiles = [...new Set([...(setup.add_prompt_files ?? []), ...(options.promptFiles ?? [])])];
  const hooks = { ...hooksOf(team, setup), defaults: { ...setup, add_prompt_files: promptFiles } };
  const others = teamHooksOf(team, setup).filter(({ document }) => document !== own.file.document);
  const entries = (await hooksOfAgent(hooks, options.userHooks)).map((entry) => {
    const isForeign = entry.hook.type === "model" && others.some(({ document }) => document === entry.document);
    return isForeign
      ? { ...entry, hook: { ...entry.hook, model: modelOfFile(entry.document, entry.hook.model) } }
      : entry;
  });
  const clientOf = ({ context, deps }: ModelSources) =>
    createHookModelClient((model) => hookModelSpec(model, context), deps, meterWith(options.meter, budgetsOf(setup)));
  const ownClient = clientOf(own);
  const client: ModelClient = {
    ...ownClient,
    ask: (name, ...question) => {
      const other = others.find(({ document }) => name.startsWith(modelOfFile(document, "")));
      if (!other) return ownClient.ask(name, ...question);
      const rest = name.slice(modelOfFile(other.document, "").length);
      return clientOf(placeOf(other.origin, options)).ask(rest, ...question);
    },
  };
  const rules = await rulesOfAgent(hooks, options.userHooks);
  return new Executor(entries, { ...options, memory, rules, agent: setup.name, registry: newRegistry(client) });
}

/** The name of a model that a hook of another file asks: that file defines it, and may define it differently. */
function modelOfFile(document: Document | undefined, model: string): string {
  return `${document?.file}: ${model}`;
}

function limitsOf(setup: AgentSetup, options: AssembleOptions): AgentLimits {
  return {
    maxIterations: options.maxIterations ?? setup.max_iterations ?? 0,
    maxConsecutiveToolCalls: setup.max_consecutive_tool_calls ?? 0,
    maxGuardRetries: setup.max_guard_retries ?? NO_LIMITS.maxGuardRetries,
    historyItems: setup.num_history_items ?? 0,
    oldToolCallTokens: setup.max_old_tool_call_tokens ?? 0,
    toolResultTokens: setup.max_tool_result_tokens ?? 0,
  };
}

/** Returns the model that a tool's toolset names for the next call. */
function modelOfToolset(toolsets: readonly ConfiguredToolset[], tool: string, others: LazyModels) {
  const reference = toolsets.find(({ toolset }) => toolset.tools.some(({ name }) => name === tool))?.model;
  return reference === undefined ? undefined : others.pool(reference)?.choose();
}

async function skillsOf(setup: AgentSetup, others: LazyModels, surroundings: Surroundings) {
  const { file, options, started } = surroundings;
  const groups = new Map<string, Promise<Toolset[]>>();
  const start = async (group: string, entry: AgentSetup["toolsets"][number]): Promise<Toolset[]> => {
    const where = `agents.${setup.name}.skills, toolsets.${group}`;
    const created = await createToolsets({ where, entries: [entry], readonly: setup.readonly ?? false }, options);
    const toolsets = created.map(({ toolset }) => toolset);
    started.push(...toolsets);
    return toolsets;
  };
  const skills = assembleSkills(setup, {
    local: surroundings.localSkills,
    remote: (url) => surroundings.remoteSkills(url, surroundings.isOwnFile && setup.origin === undefined),
    model: (reference) => others.pool(reference)?.choose(),
    toolsets: (group) => {
      const entry = Object.hasOwn(file.toolsets, group) ? file.toolsets[group] : undefined;
      if (entry && !groups.has(group)) groups.set(group, start(group, entry));
      return groups.get(group);
    },
    warn: options.warn,
  });
  await skills.catch(() => {}); // rethrown below, once no group is still starting
  await Promise.allSettled(groups.values());
  return skills;
}

function commandOf(command: AgentSetup["commands"][string], { lookup }: AssembleOptions): AgentCommand {
  const { instruction, description, agent, url } = command;
  return {
    description,
    ...(agent === undefined ? {} : { agent }),
    ...(url === undefined ? {} : { url }),
    expand: (typed, callTool) => expandCommand(instruction, { lookup, typed, callTool }),
  };
}
