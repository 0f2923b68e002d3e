/** The tools of a toolset type whose entries do not decide them. */
export interface NamedTools {
  tools: readonly string[];
  /** Those that run a command line, with the argument that holds it. */
  commandArguments?: Readonly<Record<string, string>>;
  /** The argument that a permission rule for a tool is usually about, where it is not a command line. */
  subjectArguments?: Readonly<Record<string, string>>;
}

/**
 * The names of built-in tools, by toolset type: a part of the rows of TOOLSETS. It is a module of its own, without
 * schemas, because every cold dispatch compares matchers with these names.
 */
export const NAMED_TOOLS = {
  shell: { tools: ["shell"], commandArguments: { shell: "cmd" } },
  background_jobs: {
    tools: [
      "run_background_job",
      "list_background_jobs",
      "view_background_job",
      "stop_background_job",
      "wait_background_job",
    ],
    commandArguments: { run_background_job: "cmd" },
  },
  filesystem: {
    tools: [
      "directory_tree",
      "edit_file",
      "list_directory",
      "read_file",
      "read_multiple_files",
      "search_files_content",
      "write_file",
      "create_directory",
      "remove_directory",
    ],
    subjectArguments: { read_file: "path", write_file: "path", edit_file: "path" },
  },
  think: { tools: ["think"] },
  todo: { tools: ["create_todo", "create_todos", "update_todos", "list_todos"] },
  memory: { tools: ["add_memory", "get_memories", "search_memories", "update_memory", "delete_memory"] },
  fetch: { tools: ["fetch"] },
  user_prompt: { tools: ["user_prompt"] },
  background_agents: {
    tools: ["run_background_agent", "list_background_agents", "view_background_agent", "stop_background_agent"],
  },
} as const satisfies Record<string, NamedTools>;

const ALL: Readonly<Record<string, NamedTools>> = NAMED_TOOLS;

/** The argument of a built-in tool that holds a command line; undefined if the tool runs none. */
export function commandArgumentOf(tool: string): string | undefined {
  return find(tool)?.commandArguments?.[tool];
}

/** The argument that a permission rule for a built-in tool is usually about. */
export function ruleArgumentOf(tool: string): string | undefined {
  const found = find(tool);
  return found?.commandArguments?.[tool] ?? found?.subjectArguments?.[tool];
}

/** True if the tool is one of this toolset type. */
export function isToolOf(type: string, tool: string): boolean {
  return Object.hasOwn(ALL, type) && ALL[type]?.tools.includes(tool) === true;
}

function find(tool: string): NamedTools | undefined {
  return Object.values(ALL).find(({ tools }) => tools.includes(tool));
}
