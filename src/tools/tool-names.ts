/** The tools of a toolset type that are the same for every entry. */
export interface NamedTools {
  tools: readonly string[];
  /** By the tools that run a command line: the argument that contains it. */
  commandArguments?: Readonly<Record<string, string>>;
  /** By tool: the argument that a permission rule is usually about, if it is not a command line. */
  subjectArguments?: Readonly<Record<string, string>>;
}

/** The tools that read or change one file are judged by its path. */
const FILE_SUBJECTS = { read_file: "path", write_file: "path", edit_file: "path" } as const;

/**
 * The names of built-in tools by toolset type, a part of the rows of TOOLSETS, without their schemas (cold start).
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
    subjectArguments: FILE_SUBJECTS,
  },
  file: {
    tools: ["edit_file", "read_file", "write_file"],
    subjectArguments: FILE_SUBJECTS,
  },
  environment: { tools: ["get_environment_info"] },
  think: { tools: ["think"] },
  todo: { tools: ["create_todo", "create_todos", "update_todos", "list_todos"] },
  memory: { tools: ["add_memory", "get_memories", "search_memories", "update_memory", "delete_memory"] },
  fetch: { tools: ["fetch"] },
  user_prompt: { tools: ["user_prompt"] },
  background_agents: {
    tools: [
      "run_background_agent",
      "list_background_agents",
      "view_background_agent",
      "wait_background_agents",
      "stop_background_agent",
    ],
  },
} as const satisfies Record<string, NamedTools>;

const ALL: Readonly<Record<string, NamedTools>> = NAMED_TOOLS;

/** Returns the argument of a built-in tool that contains a command line; undefined if there is none. */
export function commandArgumentOf(tool: string): string | undefined {
  return find(tool)?.commandArguments?.[tool];
}

/** Returns the argument of a built-in tool that a permission rule is usually about; undefined if there is none. */
export function ruleArgumentOf(tool: string): string | undefined {
  const found = find(tool);
  return found?.commandArguments?.[tool] ?? found?.subjectArguments?.[tool];
}

/** True if the tool belongs to this toolset type. */
export function isToolOf(type: string, tool: string): boolean {
  return Object.hasOwn(ALL, type) && ALL[type]?.tools.includes(tool) === true;
}

function find(tool: string): NamedTools | undefined {
  return Object.values(ALL).find(({ tools }) => tools.includes(tool));
}
