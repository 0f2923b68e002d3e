import type { FieldRow, HostTool } from "./dialect.ts";

/** A tool that runs code in a language of its own, which `interpreter` reads: guards of commands see its text. */
export function codeTools(
  interpreter: string,
  names: readonly string[],
  ...texts: readonly [string, ...string[]]
): HostTool {
  const fields: FieldRow[] = [];
  for (const text of texts) fields.push([text, "cmd"]);
  return { is: "shell", names, interpreter, fields };
}

/** A notebook's cell is an edit of its file. */
export function notebookTool(name: string): HostTool {
  return {
    is: "edit_file",
    names: [name],
    fields: [
      ["notebook_path", "path"],
      ["new_source", "content"],
    ],
  };
}

/** A tool that deletes a file: guards of tools that write see its path. No call of hooksh's tools can be written as one. */
export function deleteTool(names: readonly string[], field: string): HostTool {
  return {
    is: "edit_file",
    also: ["write_file"],
    deletes: true,
    names,
    fields: [[field, "path"]],
    write: ({ path, ...rest }, original) =>
      Object.keys(original).length === 0 ? undefined : { [field]: path, ...rest },
  };
}

/** The rows of a tool that views, creates or edits a file, depending on `command`. An unknown command counts as an edit. */
export function editorTools(names: readonly string[], create: string): HostTool[] {
  return [
    { is: "read_file", names, adds: { command: "view" }, when: ({ command }) => command === "view" },
    { is: "write_file", names, adds: { command: create }, when: ({ command }) => command === create },
    { is: "edit_file", names, adds: { command: "str_replace" } },
  ];
}
