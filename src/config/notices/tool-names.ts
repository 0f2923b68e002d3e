import { isObject } from "../../lib/json.ts";
import type { Agent, Home } from "../agent.ts";
import type { ToolsetConfig, ToolsetTypeName } from "../toolset-schema.ts";

/** The tools of each toolset type whose tools do not depend on its entry. */
const FIXED: Partial<Record<ToolsetTypeName, readonly string[]>> = {
  shell: ["shell"],
  background_jobs: ["run_background_job", "list_background_jobs", "view_background_job", "stop_background_job", "wait_background_job"],
  filesystem: [
    "directory_tree", "edit_file", "list_directory", "read_file", "read_multiple_files", "search_files_content", "write_file",
    "create_directory", "remove_directory",
  ],
  think: ["think"],
  todo: ["create_todo", "create_todos", "update_todos", "list_todos"],
  memory: ["add_memory", "get_memories", "search_memories", "update_memory", "delete_memory"],
  fetch: ["fetch"],
  user_prompt: ["user_prompt"],
  background_agents: ["run_background_agent", "list_background_agents", "view_background_agent", "stop_background_agent"],
};

/** The tools of the runtime itself, by the agent's key that brings them. */
const OF_AGENTS = {
  sub_agents: ["transfer_task"],
  handoffs: ["handoff"],
  skills: ["read_skill", "read_skill_file", "run_skill"],
} as const satisfies Partial<Record<keyof Agent, readonly string[]>>;

/** Every tool that hooksh brings along. */
export const BUILT_IN_TOOLS: readonly string[] = [...Object.values(FIXED), ...Object.values(OF_AGENTS)].flat();

/** The tools that a matcher can be compared with. */
export interface KnownTools {
  names: readonly string[];
  /** True if there may be others, whose names only a server knows. */
  open: boolean;
}

/** The tools of an agent as far as its file says. */
export function toolsOfAgent(agent: Agent, { toolsets }: Pick<Home, "toolsets">): KnownTools {
  const hasSkills = agent.skills === true || (Array.isArray(agent.skills) && agent.skills.length > 0);
  const entries = [...agent.toolsets, ...(hasSkills ? Object.values(toolsets) : [])].map(toolsOfToolset);
  return {
    names: [
      ...entries.flatMap(({ names }) => names),
      ...(agent.sub_agents?.length ? OF_AGENTS.sub_agents : []),
      ...(agent.handoffs?.length ? OF_AGENTS.handoffs : []),
      ...(hasSkills ? OF_AGENTS.skills : []),
    ],
    open: entries.some(({ open }) => open),
  };
}

function toolsOfToolset(entry: ToolsetConfig): KnownTools {
  const chosen = Array.isArray(entry["tools"]) ? entry["tools"] : undefined;
  const names = namesOf(entry);
  return { names: chosen && names ? names.filter((name) => chosen.includes(name)) : (names ?? []), open: names === undefined };
}

function namesOf(entry: ToolsetConfig): readonly string[] | undefined {
  const { type, shell, api_config: api } = entry;
  if (type === "script") return isObject(shell) ? Object.keys(shell) : [];
  if (type === "api") return isObject(api) && typeof api["name"] === "string" ? [api["name"]] : [];
  return FIXED[type];
}

/** What other agents call the tools that hooksh has under another name. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  bash: "shell",
  execute_command: "shell",
  run_command: "shell",
  run_shell_command: "shell",
  run_terminal_cmd: "shell",
  terminal: "shell",
  read: "read_file",
  view: "read_file",
  write: "write_file",
  create_file: "write_file",
  edit: "edit_file",
  multiedit: "edit_file",
  replace: "edit_file",
  str_replace: "edit_file",
  apply_patch: "edit_file",
  grep: "search_files_content",
  grep_search: "search_files_content",
  ls: "list_directory",
  list_dir: "list_directory",
  webfetch: "fetch",
  web_fetch: "fetch",
  task: "transfer_task",
  agent: "transfer_task",
  todowrite: "update_todos",
};

/** The built-in tool that a name of another agent, or in another case, means. */
export function builtInFor(name: string): string | undefined {
  const lower = name.toLowerCase();
  return BUILT_IN_TOOLS.find((tool) => tool === lower) ?? (Object.hasOwn(ELSEWHERE, lower) ? ELSEWHERE[lower] : undefined);
}
