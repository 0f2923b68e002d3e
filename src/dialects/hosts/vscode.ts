import { canonicalJson, isObject } from "../../lib/json.ts";
import type { Payload } from "../../protocol/rewrite.ts";
import { answer, blockAndContextAnswer, nestedToolAnswer, noticeField, specific, unmatched } from "../answer-forms.ts";
import { CLAUDE_LIKE, SNAKE_KEYS } from "../claude-events.ts";
import type { Dialect, HostTool, OtherTools, Say } from "../dialect.ts";
import { patchTool } from "../patch-tool.ts";
import { codeTools } from "../tool-kinds.ts";

const PATH = [["filePath", "path"]] as const;

const TOOLS: readonly HostTool[] = [
  { is: "shell", names: ["run_in_terminal", "runTerminalCommand"], fields: [["command", "cmd"]] },
  { is: "read_file", names: ["read_file"], fields: PATH },
  { is: "write_file", names: ["create_file", "createFile"], fields: PATH },
  {
    is: "edit_file",
    names: ["replace_string_in_file", "insert_edit_into_file"],
    fields: PATH,
    edit: ["oldString", "newString"],
  },
  { is: "edit_file", names: ["editFiles", "multi_replace_string_in_file"], read: readFiles, write: writeFiles },
  { is: "search_files_content", names: ["grep_search"] },
  { is: "list_directory", names: ["list_dir"] },
  { is: "fetch", names: ["fetch"] },
  { is: "transfer_task", names: ["runSubagent"] },
  // The call gives only the name of a task; its command is in a file of the project.
  { is: "shell", names: ["send_to_terminal", "run_task", "runTask"], runsHidden: true, fields: [["command", "cmd"]] },
  { is: "shell", names: ["create_and_run_task"], read: readTask },
  codeTools("python3", ["run_notebook_cell", "mcp_pylance_mcp_s_pylanceRunCodeSnippet"], "codeSnippet"),
  { is: "edit_file", names: ["edit_notebook_file", "create_new_jupyter_notebook"], fields: PATH },
  patchTool(["apply_patch"], "input"),
  { is: "create_directory", names: ["create_directory"], fields: [["dirPath", "path"]] },
  { is: "fetch", names: ["fetch_webpage"] },
];

const OTHERS: OtherTools = {
  "runs-commands": "get_terminal_output kill_terminal run_vscode_command runTests terminal_last_command",
  "writes-files": "create_new_workspace install_extension",
  "reads-files":
    "copilot_getNotebookSummary file_search get_changed_files get_errors get_search_view_results list_code_usages " +
    "read_notebook_cell_output read_project_structure semantic_search terminal_selection test_failure view_image",
  network: "github_repo open_simple_browser vscode_searchExtensions_internal",
  other: "ask_questions get_project_setup_info get_vscode_api manage_todo_list memory tool_search",
};

/** The command of a task and its arguments as one line. */
function readTask(input: Payload): Payload {
  const { task } = input;
  if (!isObject(task)) return input;
  const { command, args } = task;
  return {
    ...input,
    cmd: [command, ...(Array.isArray(args) ? args : [])].filter((word) => word !== undefined).join(" "),
  };
}

/** The first of the files that a call edits is its path; all of them are its paths. */
function readFiles(input: Payload): Payload {
  const paths = [...new Set([input["filePath"], ...listed(input["files"]), ...listed(input["replacements"])])];
  const named = paths.filter((path) => typeof path === "string");
  return named.length > 0 ? { ...input, path: named[0], paths: named } : input;
}

/** A list of paths, or of edits with a path each. */
function listed(items: unknown): unknown[] {
  return Array.isArray(items) ? items.map((item: unknown) => (isObject(item) ? item["filePath"] : item)) : [];
}

/** The paths are for hooks to read; the host cannot take changed ones. */
function writeFiles({ path, paths, ...rest }: Payload, original: Payload): Payload | undefined {
  const before = readFiles(original);
  return canonicalJson([path, paths]) === canonicalJson([before["path"], before["paths"]]) ? rest : undefined;
}

/** Visual Studio Code takes a rewrite only together with an allow. */
const beforeTool: Say = (verdict, call) =>
  nestedToolAnswer(
    verdict.rewrite && verdict.ask === undefined ? { ...verdict, allow: verdict.allow ?? "" } : verdict,
    call,
  );

const promptAnswer: Say = (verdict, call) =>
  verdict.block === undefined
    ? blockAndContextAnswer(verdict, call)
    : answer({ continue: false, stopReason: verdict.block }, noticeField(verdict));

const stopAnswer: Say = (verdict, { event }) =>
  answer(
    verdict.block === undefined ? {} : specific(event, { decision: "block", reason: verdict.block }),
    noticeField(verdict),
  );

const stopFields = { stop_hook_active: "stop_hook_active" };

/** Visual Studio Code: https://code.visualstudio.com/docs/copilot/customization/hooks. Its keys are spelled in two ways. */
export const dialect: Dialect = {
  name: "vscode",
  keys: {
    ...SNAKE_KEYS,
    event: ["hookEventName", "hook_event_name"],
    session: ["sessionId", "session_id"],
  },
  sends: "timestamp transcript_path agent_id agent_type model permission_mode",
  silence: "",
  countsContinuations: true,
  timeoutSeconds: 30,
  tools: TOOLS,
  mcpNames: [{ prefix: "mcp_", separator: "_" }],
  others: OTHERS,
  events: {
    SessionStart: CLAUDE_LIKE.SessionStart,
    UserPromptSubmit: { ...CLAUDE_LIKE.UserPromptSubmit, say: promptAnswer },
    PreToolUse: { ...CLAUDE_LIKE.PreToolUse, say: beforeTool, rewriteGrants: "usual" },
    PostToolUse: CLAUDE_LIKE.PostToolUse,
    Stop: { ...CLAUDE_LIKE.Stop, say: stopAnswer, fields: stopFields, sends: "last_assistant_message" },
    SubagentStop: {
      ...CLAUDE_LIKE.SubagentStop,
      fields: { ...stopFields, agent_name: "agent_type" },
      sends: "last_assistant_message",
    },
    PreCompact: { ...CLAUDE_LIKE.PreCompact, sends: "custom_instructions" },
    ...unmatched("SubagentStart"),
  },
};
