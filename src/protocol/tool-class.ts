/** What a tool does. Hooks and rules about one class are about every tool of it, whatever an agent calls the tool. */
export const TOOL_CLASSES = ["runs-commands", "writes-files", "reads-files", "network", "delegates", "other"] as const;

export type ToolClass = (typeof TOOL_CLASSES)[number];

/** The tools of hooksh by class. */
export const OWN_TOOLS = {
  "runs-commands": ["shell", "run_background_job"],
  "writes-files": ["write_file", "edit_file", "create_directory", "remove_directory"],
  "reads-files": ["read_file", "read_multiple_files", "list_directory", "directory_tree", "search_files_content"],
  network: ["fetch"],
  delegates: ["transfer_task", "handoff", "run_background_agent", "run_skill"],
  other: [
    "add_memory",
    "create_todo",
    "create_todos",
    "delete_memory",
    "get_environment_info",
    "get_memories",
    "list_background_agents",
    "list_background_jobs",
    "list_todos",
    "read_skill",
    "read_skill_file",
    "search_memories",
    "stop_background_agent",
    "stop_background_job",
    "think",
    "update_memory",
    "update_todos",
    "user_prompt",
    "view_background_agent",
    "view_background_job",
    "wait_background_agents",
    "wait_background_job",
  ],
} as const satisfies Record<ToolClass, readonly string[]>;

/** Toolsets of hooksh whose tools have names that an agent file chooses, by the category of the tools. */
const CATEGORIES: Readonly<Record<string, ToolClass>> = { script: "runs-commands", api: "network", openapi: "network" };

/** The class of a tool of hooksh; `other` for a name that no tool of hooksh has. */
export function ownToolClass(tool: string): ToolClass {
  return knownToolClass(tool) ?? "other";
}

/** The class of a tool of hooksh; undefined for a name that no tool of hooksh has. `category`: of the tool's toolset. */
export function knownToolClass(tool: string, category?: string): ToolClass | undefined {
  if (category !== undefined && Object.hasOwn(CATEGORIES, category)) return CATEGORIES[category];
  return TOOL_CLASSES.find((each) => (OWN_TOOLS[each] as readonly string[]).includes(tool));
}
