/** What a tool does. Hooks and rules about one class are about every tool of it, whatever an agent calls the tool. */
export const TOOL_CLASSES = ["runs-commands", "writes-files", "reads-files", "network", "delegates", "other"] as const;

export type ToolClass = (typeof TOOL_CLASSES)[number];

/** The tools of hooksh that are not `other`. */
const OWN_TOOLS: Readonly<Record<string, ToolClass>> = {
  shell: "runs-commands",
  run_background_job: "runs-commands",
  write_file: "writes-files",
  edit_file: "writes-files",
  create_directory: "writes-files",
  remove_directory: "writes-files",
  read_file: "reads-files",
  read_multiple_files: "reads-files",
  list_directory: "reads-files",
  directory_tree: "reads-files",
  search_files_content: "reads-files",
  fetch: "network",
  transfer_task: "delegates",
  handoff: "delegates",
  run_background_agent: "delegates",
};

export function ownToolClass(tool: string): ToolClass {
  return (Object.hasOwn(OWN_TOOLS, tool) && OWN_TOOLS[tool]) || "other";
}
