import type { HostTool } from "./dialect.ts";

/** The rows of a tool that views, creates or edits a file, depending on `command`. An unknown command counts as an edit. */
export function editorTools(names: readonly string[], create: string): HostTool[] {
  return [
    { is: "read_file", names, adds: { command: "view" }, when: ({ command }) => command === "view" },
    { is: "write_file", names, adds: { command: create }, when: ({ command }) => command === create },
    { is: "edit_file", names, adds: { command: "str_replace" } },
  ];
}
