import type { Directories } from "../../lib/env.ts";
import { ConfigError } from "../../lib/errors.ts";
import type { AgentHooks, PlacedBlock } from "../hooks/hook-sources.ts";
import type { TeamRules } from "../rules/agent-rules.ts";
import type { SourceContext } from "../sources/source-context.ts";
import { aliasPath, loadUserConfig, unenforcedFor } from "../user/user-config.ts";
import { type LoadedAgentFile, loadAgentFile } from "./load-agent.ts";
import type { Agent, AgentOrigin } from "./resolve-agent.ts";
import { type Routes, routesOf } from "./routes.ts";

/** The hooks of one agent, with the agent and its file. */
export interface LoadedAgentHooks extends AgentHooks {
  file: LoadedAgentFile;
  agent: Agent;
  routes: Routes;
  /** One line for every configured restriction that hooksh does not enforce. */
  unenforced: readonly string[];
}

/** Options of {@link loadAgentHooks}. */
export interface AgentHooksOptions {
  directories: Directories;
  cwd: string;
  warn: (message: string) => void;
  /** How an agent from elsewhere is fetched. */
  sources?: SourceContext;
}

/**
 * Loads an agent file and returns the hooks blocks and the hook shorthands of one agent, by default the one that starts.
 * Throws a {@link ConfigError} if anything in the file is invalid, or if it does not define the agent.
 */
export async function loadAgentHooks(
  reference: string,
  name: string | undefined,
  { directories, cwd, warn, sources }: AgentHooksOptions,
): Promise<LoadedAgentHooks> {
  const user = await loadUserConfig(directories);
  const file = await loadAgentFile(aliasPath(user, reference) ?? reference, {
    cwd,
    userProviders: user.providers,
    ...(sources ? { sources } : {}),
  });
  for (const warning of [...user.warnings, ...file.warnings]) warn(warning);
  const unenforced = [...(await unenforcedFor(user, reference)), ...file.unenforced];
  const chosen = name ?? file.defaultAgent;
  const agent = file.agents.find((candidate) => candidate.name === chosen);
  if (!agent) {
    throw new ConfigError(
      `${reference}: no agent ${JSON.stringify(chosen)}; defined are ${file.agents.map((one) => one.name).join(", ")}`,
    );
  }
  return { ...hooksOf(file, agent), file, agent, routes: routesOf(file.agents, chosen), unenforced };
}

/** A top-level hooks block, with the file whose models its hooks name. */
export interface TeamBlock extends PlacedBlock {
  origin: AgentOrigin;
}

/**
 * Returns the top-level hooks that hold for an agent: of the team's file first, then of the files through which the
 * agent was taken, and last of its own file.
 */
export function teamHooksOf(file: AgentOrigin, { origin, via = [] }: Pick<Agent, "origin" | "via">): TeamBlock[] {
  return [file, ...via, ...(origin ? [origin] : [])].map((each) => ({
    document: each.document,
    path: ["hooks"],
    value: each.hooks,
    evaluators: each.evaluators,
    origin: each,
  }));
}

/** Returns the files whose rules hold for an agent, as {@link teamHooksOf} does for hooks. */
export function teamRulesOf(file: AgentOrigin, { origin, via = [], names }: Pick<Agent, "origin" | "via" | "names">) {
  const rulesIn = ({ document, ruleKeys }: AgentOrigin): TeamRules => ({ document, path: [], value: ruleKeys });
  return [
    rulesIn(file),
    ...via.map((each) => ({ ...rulesIn(each), taken: { names: undefined } })),
    ...(origin ? [{ ...rulesIn(origin), taken: { names } }] : []),
  ];
}

/** Returns the hooks block that holds for one agent alone. */
export function ownHooksOf(
  file: Pick<AgentOrigin, "document" | "evaluators">,
  { origin, path, hooks }: Pick<Agent, "origin" | "path" | "hooks">,
): PlacedBlock {
  const { document, evaluators } = origin ?? file;
  return { document, evaluators, path: [...path, "hooks"], value: hooks };
}

/** Returns the hooks blocks and rules that hold for an agent, and its hook shorthands. */
export function hooksOf(file: AgentOrigin, agent: Agent): AgentHooks {
  const { evaluators } = agent.origin ?? file;
  const blocks = [...teamHooksOf(file, agent), ownHooksOf(file, agent)];
  return { blocks, defaults: agent, evaluators, rules: teamRulesOf(file, agent) };
}
