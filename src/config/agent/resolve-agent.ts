import { isObject } from "../../lib/json.ts";
import type { Evaluators } from "../../model/evaluators/evaluator.ts";
import type { BudgetConfig, ModelConfig, ProviderConfig } from "../models/model-schema.ts";
import type { McpConfig, ToolsetConfig } from "../toolsets/toolset-schema.ts";
import type { Document, Path } from "../yaml/document.ts";
import type { ProblemReport } from "../yaml/problem-report.ts";
import type { AgentConfig, AgentFileConfig, CommandConfig, SkillsConfig } from "./agent-schema.ts";
import { type InstructionFiles, readInstruction } from "./instruction-file.ts";

/** A slash command with its shorthands expanded. */
export interface Command {
  /** Sent to the model. Empty if the command only switches the agent or opens a URL. */
  instruction: string;
  description: string;
  agent?: string;
  url?: string;
}

/** The file that defines an agent, with the definitions that the agent refers to. */
export interface AgentOrigin {
  document: Document;
  models: Readonly<Record<string, ModelConfig>>;
  providers: Readonly<Record<string, ProviderConfig>>;
  toolsets: Readonly<Record<string, ToolsetConfig>>;
  evaluators: Evaluators;
  /** What all agents of the file may use together. */
  budget?: BudgetConfig | undefined;
  /** What the agents that name it may use together, by name. */
  budgets?: Readonly<Record<string, BudgetConfig>> | undefined;
  /** The top-level `hooks`, which hold for every agent of the file and for those it takes from other files. */
  hooks: unknown;
  /** The top-level `rules` and `sets`. */
  ruleKeys: RuleKeys;
}

/** The keys of rules, as they are written. */
export interface RuleKeys {
  rules?: unknown;
  sets?: unknown;
}

/** An agent with its groups merged in and its instruction read. Keys have the names of the agent file. */
export interface Agent
  extends Omit<AgentConfig, "toolsets" | "commands" | "skills" | "instruction" | "instruction_file"> {
  name: string;
  /** The path of the agent in its document. */
  path: Path;
  /** `provider/model`, a name from `models`, a comma-separated list or `auto`. */
  model: string;
  instruction: string;
  /** The toolsets of the agent, then those of its groups. */
  toolsets: readonly ToolsetConfig[];
  commands: Readonly<Record<string, Command>>;
  skills: SkillsConfig;
  /** Set for an agent that comes from another file. */
  origin?: AgentOrigin;
  /** The names of the agents of `origin` in the team, by those in the file, as its hooks name them. */
  names?: ReadonlyMap<string, string>;
  /** The files between the team's own and `origin`, outermost first. */
  via?: readonly AgentOrigin[];
}

/** Builds an agent from its own keys and the groups that it uses. */
export function resolveAgent(
  name: string,
  agent: AgentConfig,
  file: AgentFileConfig,
  { files, report }: { files: InstructionFiles; report: ProblemReport },
): Agent {
  const path = ["agents", name];
  const { instruction_file: _inlined, ...rest } = agent;
  const shared = pick(file.toolsets, agent.use_toolsets);
  return {
    ...rest,
    name,
    path,
    model: agent.model ?? firstModel(file),
    instruction: readInstruction(agent, path, files, report),
    toolsets: [...(agent.toolsets ?? []), ...shared].map((toolset) => withServer(toolset, file.mcps ?? {})),
    commands: commandsOf([...pick(file.commands, agent.use_commands), agent.commands ?? {}]),
    skills: skillsOf(agent.skills, pick(file.skills, agent.use_skills)),
  };
}

/** The model of an agent with a harness that names none. It is never called: the agent does not run. */
function firstModel({ agents = {} }: AgentFileConfig): string {
  return Object.values(agents).find(({ model }) => model !== undefined)?.model ?? "auto";
}

function pick<T>(defined: Readonly<Record<string, T>> | undefined, names: readonly string[] | undefined): T[] {
  return (names ?? []).flatMap((name) => (defined && Object.hasOwn(defined, name) ? [defined[name] as T] : []));
}

/** Merges the entry of `mcps` that an `mcp` toolset refers to into the toolset, whose own keys win. `env` is merged. */
function withServer(toolset: ToolsetConfig, servers: Readonly<Record<string, McpConfig>>): ToolsetConfig {
  const { ref } = toolset;
  if (toolset.type !== "mcp" || typeof ref !== "string" || !Object.hasOwn(servers, ref)) return toolset;
  const { ref: _named, ...own } = toolset;
  const server = servers[ref];
  const env = { ...server?.env, ...(isObject(own["env"]) ? own["env"] : {}) };
  return { server: ref, ...server, ...own, ...(Object.keys(env).length > 0 ? { env } : {}), type: "mcp" };
}

/** Later groups win, so the agent's own commands come last. */
function commandsOf(groups: readonly Readonly<Record<string, CommandConfig>>[]): Record<string, Command> {
  return Object.fromEntries(
    groups.flatMap((group) => Object.entries(group)).map(([name, command]) => [name, commandOf(command)]),
  );
}

function commandOf(command: CommandConfig): Command {
  if (typeof command === "string") return { instruction: command, description: "" };
  const { description = "", instruction, agent, url } = command;
  const acts = agent !== undefined || url !== undefined;
  return {
    instruction: instruction ?? (acts ? "" : description),
    description,
    ...(agent === undefined ? {} : { agent }),
    ...(url === undefined ? {} : { url }),
  };
}

/** Joins lists. A skill of the agent wins over one of the same name in a group. */
function skillsOf(own: SkillsConfig | undefined, groups: readonly SkillsConfig[]): SkillsConfig {
  const lists = [own, ...groups].filter((skills) => skills !== undefined);
  if (lists.length <= 1) return lists[0] ?? false;
  const seen = new Set<string>();
  return lists
    .flatMap((skills) => (Array.isArray(skills) ? skills : skills ? ["local"] : []))
    .filter((skill) => {
      const name = typeof skill === "string" ? `:${skill}` : skill.name;
      return !seen.has(name) && seen.add(name);
    });
}
