import { NAMED_TOOLS } from "../../tools/tool-names.ts";

/** The tools of the runtime itself, by the agent key that enables them. */
export const TOOLS_OF_AGENTS = {
  sub_agents: ["transfer_task"],
  handoffs: ["handoff"],
  skills: ["read_skill", "read_skill_file", "run_skill"],
} as const;

/** Every built-in tool of hooksh. */
export const BUILT_IN_TOOLS: readonly string[] = [
  ...new Set([
    ...Object.values(NAMED_TOOLS).flatMap(({ tools }): readonly string[] => tools),
    ...Object.values(TOOLS_OF_AGENTS).flat(),
  ]),
];

/** The pattern of names that look like tools of an MCP server. */
export const LIKE_MCP = /mcp|__|:/i;

/** The tools of hooksh by the names of equivalent tools of other agents. */
const NAMES_IN_OTHER_AGENTS: Readonly<Record<string, string>> = {
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

/** Returns the built-in tool for a name of another agent's tool, or for a name in another case. */
export function builtInToolFor(name: string): string | undefined {
  const lower = name.toLowerCase();
  return (
    BUILT_IN_TOOLS.find((tool) => tool === lower) ??
    (Object.hasOwn(NAMES_IN_OTHER_AGENTS, lower) ? NAMES_IN_OTHER_AGENTS[lower] : undefined)
  );
}
