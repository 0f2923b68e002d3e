import { isObject } from "../../lib/json.ts";
import type { Evaluators } from "../../model/evaluators/evaluator.ts";
import { isEventName } from "../../protocol/events.ts";
import { evaluatorProblems, type RoutingAgent } from "../hooks/evaluator-hooks.ts";
import { checkHooksBlock, HOOK_CHECKS } from "../hooks/hook-checks.ts";
import { readHooks } from "../hooks/read-hooks.ts";
import { checkEvaluators } from "../models/check-evaluators.ts";
import { checkModels } from "../models/check-models.ts";
import type { BudgetConfig, ModelConfig, ProviderConfig } from "../models/model-schema.ts";
import { checkPermissions, mergePermissions, type PermissionRules } from "../permissions/permission-rules.ts";
import type { SafetyMode } from "../permissions/safety-modes.ts";
import { checkRules, noRulesNotice } from "../rules/load-rules.ts";
import { checkServer, checkToolset, type ToolsetNames } from "../toolsets/check-toolsets.ts";
import type { ToolsetConfig } from "../toolsets/toolset-schema.ts";
import { checkSchema, type Notice, SCHEMA_VERSION } from "../yaml/check-schema.ts";
import { type Document, keysInOrder, type Path, type Problem, renderProblems } from "../yaml/document.ts";
import { ProblemReport } from "../yaml/problem-report.ts";
import { type AgentConfig, type AgentFileConfig, AgentFileSchema } from "./agent-schema.ts";
import { checkAgents, namesOfAgents } from "./check-agents.ts";
import { applyModelOverrides } from "./model-override.ts";
import { type Agent, type RuleKeys, resolveAgent } from "./resolve-agent.ts";
import { declaredVersion, upgradeAgentFile } from "./upgrade.ts";

/** Options of {@link checkAgentFile}. */
export interface AgentFileOptions {
  /** The user's `providers`, for names that the file does not define. */
  userProviders?: Readonly<Record<string, ProviderConfig>>;
  /** The values of `--model`, in flag order. */
  modelOverrides?: readonly string[];
  /**
   * Makes a key newer than the declared version, and a restriction that is not enforced, an error
   * (`--strict-version`).
   */
  strictVersion?: boolean;
  /** The texts of remote instruction files, by the path in the agent file. */
  fetched?: ReadonlyMap<string, string> | undefined;
}

/** A checked agent file with its shorthands expanded. */
export interface AgentFile {
  document: Document;
  /** The base of relative paths in the file; undefined for the built-in agent. */
  folder: string | undefined;
  version: number;
  /** In the order of the file. */
  agents: readonly Agent[];
  /** The name of the agent that starts: `root`, else the first. */
  defaultAgent: string;
  models: Readonly<Record<string, ModelConfig>>;
  /** The providers of the file, and the user's for names that the file does not define. */
  providers: Readonly<Record<string, ProviderConfig>>;
  permissions: PermissionRules;
  /** The toolset groups that agents and forked skills refer to. */
  toolsets: Readonly<Record<string, ToolsetConfig>>;
  /** Ready to be asked by hooks of the file. */
  evaluators: Evaluators;
  /** What all agents may use together. */
  budget: BudgetConfig | undefined;
  /** What the agents that name it may use together, by name. */
  budgets: Readonly<Record<string, BudgetConfig>>;
  /** The top-level `hooks`, which hold for every agent of the team. */
  hooks: unknown;
  /** The top-level `rules` and `sets`, which hold for every agent of the team. */
  ruleKeys: RuleKeys;
  /** `runtime.safety`. */
  safety: SafetyMode | undefined;
  metadata: NonNullable<AgentFileConfig["metadata"]>;
  /** One line each, printed on every run. */
  warnings: readonly string[];
  /**
   * One line for each restriction in the file that hooksh does not enforce. Without consent such an agent must not
   * run.
   */
  unenforced: readonly string[];
}

/** The result of {@link checkAgentFile}. `file` is undefined if there are problems. */
export interface CheckedAgentFile {
  file: AgentFile | undefined;
  problems: readonly Problem[];
  notices: readonly Notice[];
}

/** Checks a parsed agent file and lists all problems. Throws a `UsageError` for an invalid `--model` flag. */
export async function checkAgentFile(
  document: Document,
  folder: string | undefined,
  options: AgentFileOptions = {},
): Promise<CheckedAgentFile> {
  if (!isObject(document.value))
    return rejected([{ path: [], message: "expected an agent file, which is a mapping with agents" }]);
  if (!("agents" in document.value) && Object.keys(document.value).some((key) => isEventName(key) || key === "rules"))
    return rejected([{ path: [], message: "this is a hooks file, not an agent file: name it with --hooks-file" }]);
  const version = declaredVersion(document.value);
  if (version === undefined) {
    const written = String(document.value["version"]);
    const reason =
      written === "17" ? "docker-agent's decision workflows, not released" : `valid: 0 … ${SCHEMA_VERSION}`;
    const message = `unsupported config version: ${written} (${reason})`;
    return rejected([{ path: ["version"], message }]);
  }
  const upgraded = upgradeAgentFile(document.value, version);
  const checked = checkSchema(AgentFileSchema, upgraded.value, [], version);
  const report = new ProblemReport();
  report.problems.push(...upgraded.problems, ...checked.problems, ...hookProblems(upgraded.value));
  const agents = namesOfAgents(upgraded.value["agents"]);
  const rules = await checkRules({ path: [], value: upgraded.value, agents });
  report.problems.push(...rules.problems);
  if (agents !== undefined)
    report.notices.push(...rules.notices.map((notice) => ({ kind: "advice", ...notice }) as const));
  report.notices.push(...upgraded.notices, ...checked.notices);
  const order = await keysInOrder(document, ["agents"]);
  const built = checked.value && (await build(checked.value, { order, folder, options, report }));
  const fatalNotices = report.notices.filter(({ kind }) => options.strictVersion === true && kind !== "advice");
  const problems = [...report.problems, ...fatalNotices];
  if (!built || problems.length > 0) return { file: undefined, problems, notices: report.notices };
  const lines = async (notices: readonly Notice[]) => [...new Set(await renderProblems(document, notices))];
  const noRules = noRulesNotice({ document, path: [], value: built.ruleKeys });
  const warnings = [
    ...(noRules === undefined ? [] : [noRules]),
    ...(await lines(report.notices.filter(({ kind }) => kind !== "unenforced"))),
  ];
  const unenforced = await lines(report.notices.filter(({ kind }) => kind === "unenforced"));
  return { file: { document, folder, version, ...built, warnings, unenforced }, problems, notices: report.notices };
}

/** Checks the hooks as written, so that a problem elsewhere in the file does not hide a problem with a guard. */
function hookProblems({ agents, hooks }: Readonly<Record<string, unknown>>): Problem[] {
  return [
    ...checkHooksBlock(hooks, ["hooks"]),
    ...Object.entries(isObject(agents) ? agents : {}).flatMap(([name, agent]) =>
      isObject(agent) ? checkHooksBlock(agent["hooks"], ["agents", name, "hooks"]) : [],
    ),
  ];
}

function rejected(problems: Problem[]): CheckedAgentFile {
  return { file: undefined, problems, notices: [] };
}

interface BuildContext {
  order: readonly string[];
  folder: string | undefined;
  options: AgentFileOptions;
  report: ProblemReport;
}

async function build(config: AgentFileConfig, { order, folder, options, report }: BuildContext) {
  const providers = { ...options.userProviders, ...config.providers };
  const models = config.models ?? {};
  const names: ToolsetNames = {
    models,
    providers,
    mcps: Object.keys(config.mcps ?? {}),
    sources: Object.keys(config.rag ?? {}),
  };
  checkModels(config, names, report);
  const evaluators = checkEvaluators(config.evaluators ?? {}, names, report);
  checkEvaluatorHooks(config, evaluators, report);
  await checkSharedToolsets(config, names, report);
  await checkAgents(config, names, report);
  checkPermissions(config.permissions, ["permissions"], report);
  const inOrder = order.flatMap((name): [string, AgentConfig][] => {
    const agent = config.agents?.[name];
    return agent ? [[name, agent]] : [];
  });
  const agents = inOrder.map(([name, agent]) =>
    resolveAgent(name, agent, config, { files: { folder, fetched: options.fetched }, report }),
  );
  return {
    agents: applyModelOverrides(agents, options.modelOverrides ?? []),
    defaultAgent: agents.some(({ name }) => name === "root") ? "root" : (agents[0]?.name ?? ""),
    models,
    providers,
    permissions: mergePermissions(config.permissions),
    toolsets: config.toolsets ?? {},
    evaluators,
    budget: config.budget,
    budgets: config.budgets ?? {},
    hooks: config.hooks,
    ruleKeys: {
      ...("rules" in config ? { rules: config.rules } : {}),
      ...("sets" in config ? { sets: config.sets } : {}),
    },
    safety: config.runtime?.safety,
    metadata: config.metadata ?? {},
  };
}

/** Reports hooks that ask an evaluator which the file does not define, or draw a conclusion that it cannot reach. */
function checkEvaluatorHooks(
  { agents = {}, hooks, evaluators: configured = {} }: AgentFileConfig,
  evaluators: Evaluators,
  report: ProblemReport,
) {
  // A definition with a problem of its own is not unknown.
  const isInvalid = (name: string) => Object.hasOwn(configured, name) && !Object.hasOwn(evaluators, name);
  const check = (value: unknown, path: Path, agent?: RoutingAgent) => {
    const { entries } = readHooks(value, path, HOOK_CHECKS);
    const checked = entries.filter(({ hook }) => !isInvalid(hook.evaluator));
    report.problems.push(...evaluatorProblems(checked, evaluators, agent));
  };
  check(hooks, ["hooks"]);
  for (const [name, agent] of Object.entries(agents)) check(agent.hooks, ["agents", name, "hooks"], { ...agent, name });
}

async function checkSharedToolsets(config: AgentFileConfig, names: ToolsetNames, report: ProblemReport): Promise<void> {
  for (const [name, entry] of Object.entries(config.mcps ?? {}))
    await checkServer(entry, ["mcps", name], names, report);
  for (const [name, entry] of Object.entries(config.toolsets ?? {}))
    await checkToolset(entry, ["toolsets", name], names, report);
}
