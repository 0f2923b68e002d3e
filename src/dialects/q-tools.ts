import { isObject } from "../lib/json.ts";
import type { Payload } from "../protocol/rewrite.ts";
import type { HostTool, OtherTools } from "./dialect.ts";
import { deleteTool } from "./tool-kinds.ts";
import { resultText } from "./values.ts";

/** Splits `@<server>/<tool>`. */
export function atServer(name: string): { name: string; tool: string } | undefined {
  const [, server, tool] = /^@([^/]+)\/(.+)$/s.exec(name) ?? [];
  return server !== undefined && tool !== undefined ? { name: server, tool } : undefined;
}

/** The result of a tool: `tool_response {success, result[]}`. */
export function resultOf({ tool_response: response }: Payload): Payload {
  const text = resultText(response);
  const isFailure = isObject(response) && response["success"] === false;
  return { ...(text === undefined ? {} : { tool_response: text }), ...(isFailure ? { tool_error: true } : {}) };
}

/** The parts of one `fs_read`, which may read several files and list directories at once. */
function operations(input: Payload): Payload[] {
  const { operations: parts } = input;
  return Array.isArray(parts) ? parts.filter(isObject) : [input];
}

const MODES: Readonly<Record<string, string>> = { Directory: "list_directory", Search: "search_files_content" };

function readTools(input: Payload): string[] {
  return [...new Set(operations(input).map(({ mode }) => MODES[String(mode)] ?? "read_file"))];
}

function isOnly(tool: string): (input: Payload) => boolean {
  return (input) => readTools(input).every((name) => name === tool) && operations(input).length > 0;
}

const READ: Pick<HostTool, "names" | "read" | "write"> = {
  names: ["fs_read", "read"],
  read: (input) => {
    if (!Array.isArray(input["operations"])) return input;
    const paths = operations(input).flatMap(({ path }) => (typeof path === "string" ? [path] : []));
    return { ...input, path: paths[0], paths };
  },
  write: ({ path, paths, ...input }) =>
    Object.hasOwn(input, "operations") || path === undefined ? input : { path, ...input },
};

const NEW_FILE: Pick<HostTool, "is" | "names" | "fields"> = {
  is: "write_file",
  names: ["fs_write", "write"],
  fields: [["file_text", "content"]],
};

/** Amazon Q names the directory of a command `working_dir`, Kiro `path`. */
const SHELL_FIELDS: HostTool["fields"] = [
  ["command", "cmd"],
  ["working_dir", "cwd"],
  ["path", "cwd"],
];

/** The tools of Amazon Q and Kiro: one reads, lists and searches, another creates and edits. */
export const Q_TOOLS: readonly HostTool[] = [
  {
    is: "shell",
    names: ["execute_bash", "shell", "execute_cmd", "executeBash", "executePwsh", "execute_pwsh"],
    fields: SHELL_FIELDS,
  },
  { is: "list_directory", ...READ, when: isOnly("list_directory") },
  { is: "search_files_content", ...READ, when: isOnly("search_files_content") },
  { is: "read_file", ...READ, when: isOnly("read_file") },
  { is: "read_file", also: ["list_directory", "search_files_content"], ...READ },
  { ...NEW_FILE, adds: { command: "create" }, when: ({ command }) => command === "create" },
  {
    is: "edit_file",
    names: ["fs_write", "write"],
    edit: ["old_str", "new_str"],
    adds: { command: "str_replace" },
    when: ({ command }) => typeof command === "string",
  },
  { ...NEW_FILE, also: ["edit_file"], edit: ["old_str", "new_str"] },
  {
    is: "shell",
    names: ["controlBashProcess", "controlPwshProcess", "control_bash_process", "control_pwsh_process"],
    fields: SHELL_FIELDS,
    when: ({ command }) => typeof command === "string",
  },
  { is: "write_file", names: ["fsWrite", "fsAppend", "fs_append"], fields: [["text", "content"]] },
  { is: "edit_file", names: ["strReplace", "str_replace"], edit: ["oldStr", "newStr"] },
  deleteTool(["deleteFile", "delete_file"], "targetFile"),
  { is: "read_file", also: ["read_multiple_files"], names: ["readFile", "readMultipleFiles", "readCode"] },
  { is: "list_directory", names: ["listDirectory"] },
  { is: "search_files_content", names: ["grepSearch", "grep"] },
  { is: "fetch", names: ["webFetch", "web_fetch"] },
  { is: "transfer_task", names: ["use_subagent", "invokeSubAgent", "subagent", "delegate"] },
];

/** The tools of Amazon Q and Kiro that do nothing that a tool of hooksh does. */
export const Q_OTHERS: OtherTools = {
  "runs-commands":
    "controlBashProcess controlPwshProcess control_bash_process control_pwsh_process getProcessOutput listProcesses",
  "reads-files": "code fileSearch getDiagnostics glob",
  network: "aws gh_issue remote_web_search report_issue use_aws webSearch web_search",
  other: "introspect knowledge kiroPowers session switch_to_execution taskStatus thinking todo todo_list userInput",
};
