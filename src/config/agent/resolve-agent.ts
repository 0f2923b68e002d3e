import { isObject } from "../../lib/json.ts";
import type { ModelConfig, ProviderConfig } from "../models/model-schema.ts";
import type { McpConfig, ToolsetConfig } from "../toolsets/toolset-schema.ts";
import type { Document, Path } from "../yaml/document.ts";
import type { ProblemReport } from "../yaml/problem-report.ts";
import type { AgentConfig, AgentFileConfig, CommandConfig, SkillsConfig } from "./agent-schema.ts";
import { type InstructionFiles, readInstruction } from "./instruction-file.ts";

/** A slash command with its shorthands written out. Source: config-and-cli 4.11. */
export interface Command {
  /** Sent to the model; empty where the command only switches the agent or opens a URL. */
  instruction: string;
  description: string;
  agent?: string;
  url?: string;
}

/** What an agent needs of the file it stands in. */
export interface AgentOrigin {
  document: Document;
  models: Readonly<Record<string, ModelConfig>>;
  providers: Readonly<Record<string, ProviderConfig>>;
  toolsets: Readonly<Record<string, ToolsetConfig>>;
}

/** An agent as the file has it, with reusable groups merged in and the instruction read. Keys keep their names. */
export interface Agent
  extends Omit<AgentConfig, "toolsets" | "commands" | "skills" | "instruction" | "instruction_file"> {
  name: string;
  /** Where it stands in the document. */
  path: Path;
  /** `provider/model`, a name of `models`, a comma list or `auto`; empty for an agent run through a harness. */
  model: string;
  instruction: string;
  /** The agent's own, then those of its groups. */
  toolsets: readonly ToolsetConfig[];
  commands: Readonly<Record<string, Command>>;
  skills: SkillsConfig;
  /** Set for an agent of another file. Source: config-and-cli 7.2. */
  origin?: AgentOrigin;
}

/** Puts an agent together from its own keys and the groups it uses. Source: config-and-cli 2.1 steps 7 and 11. */
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
    model: agent.model ?? "",
    instruction: readInstruction(agent, path, files, report),
    toolsets: [...(agent.toolsets ?? []), ...shared].map((toolset) => withServer(toolset, file.mcps ?? {})),
    commands: commandsOf([...pick(file.commands, agent.use_commands), agent.commands ?? {}]),
    skills: skillsOf(agent.skills, pick(file.skills, agent.use_skills)),
  };
}

function pick<T>(defined: Readonly<Record<string, T>> | undefined, names: readonly string[] | undefined): T[] {
  return (names ?? []).flatMap((name) => (defined && Object.hasOwn(defined, name) ? [defined[name] as T] : []));
}

/** An `mcp` toolset with the entry of `mcps` it refers to, and that entry's name. Its own keys win; `env` is merged. */
function withServer(toolset: ToolsetConfig, servers: Readonly<Record<string, McpConfig>>): ToolsetConfig {
  const { ref } = toolset;
  if (toolset.type !== "mcp" || typeof ref !== "string" || !Object.hasOwn(servers, ref)) return toolset;
  const { ref: _named, ...own } = toolset;
  const server = servers[ref];
  const env = { ...server?.env, ...(isObject(own["env"]) ? own["env"] : {}) };
  return { server: ref, ...server, ...own, ...(Object.keys(env).length > 0 ? { env } : {}), type: "mcp" };
}

/** Later groups win over earlier ones, so the agent's own come last. */
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

/** Lists are joined; an inline skill wins over one of the same name in a group. */
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
