/** Tools of hooksh that hooks are often about. The table of all takes time to load (cold start). */
export const COMMON_TOOLS: readonly string[] = [
  ...["shell", "read_file", "write_file", "edit_file", "fetch", "list_directory", "search_files_content"],
  ...["directory_tree", "read_multiple_files", "create_directory", "remove_directory", "think", "transfer_task"],
];

/** True for a matcher that needs no check: it matches every tool, or one that hooksh has. */
export function isCommonMatcher(matcher: string): boolean {
  return matcher === "" || matcher === "*" || COMMON_TOOLS.includes(matcher);
}
