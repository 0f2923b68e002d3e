import { isObject } from "../../lib/json.ts";
import { answer, joined, noticeField, observed, specific, unmatched } from "../answer-forms.ts";
import { CLAUDE_LIKE, SNAKE_KEYS } from "../claude-events.ts";
import type { Dialect, HostTool, Say } from "../dialect.ts";

const TOOLS: readonly HostTool[] = [
  {
    is: "shell",
    names: ["run_shell_command"],
    fields: [
      ["command", "cmd"],
      ["dir_path", "cwd"],
      ["directory", "cwd"],
    ],
  },
  { is: "read_file", names: ["read_file"], fields: [["file_path", "path"]] },
  { is: "write_file", names: ["write_file"], fields: [["file_path", "path"]] },
  { is: "edit_file", names: ["replace"], fields: [["file_path", "path"]], edit: ["old_string", "new_string"] },
  { is: "search_files_content", names: ["grep_search", "search_file_content"] },
  { is: "list_directory", names: ["list_directory"] },
  { is: "fetch", names: ["web_fetch"] },
  { is: "transfer_task", names: ["invoke_agent", "codebase_investigator", "cli_help", "generalist", "browser_agent"] },
  { is: "read_file", also: ["read_multiple_files"], names: ["read_many_files"], fields: [["include", "paths"]] },
];

/** A denial with its reason; a replaced result is one too, whose reason takes the place of the result. */
const denialAnswer: Say = (verdict, { event }) => {
  const reason = joined(verdict.replace, verdict.block);
  return answer(
    reason === undefined ? {} : { decision: "deny", reason },
    specific(event, { additionalContext: verdict.context }),
    noticeField(verdict),
  );
};

/** The host merges the rewritten fields into the call, and takes them together with an allow. */
const beforeTool: Say = (verdict, call) => {
  const { block, allow, rewrite } = verdict;
  if (block !== undefined || (allow === undefined && !rewrite)) return denialAnswer(verdict, call);
  return answer(
    { decision: "allow", ...(allow ? { reason: allow } : {}) },
    specific(call.event, { tool_input: rewrite?.changes }),
    noticeField(verdict),
  );
};

/** Gemini CLI: https://geminicli.com/docs/hooks/reference. It reads standard error if standard output is empty. */
export const dialect: Dialect = {
  name: "gemini",
  keys: SNAKE_KEYS,
  sends: "transcript_path timestamp",
  silence: "{}",
  readsStandardError: true,
  countsContinuations: true,
  timeoutSeconds: 60,
  tools: TOOLS,
  mcpNames: [{ prefix: "mcp_", separator: "_" }],
  others: {
    "writes-files": "save_memory",
    "reads-files": "get_internal_docs glob",
    network: "google_web_search take_snapshot",
    other:
      "activate_skill ask_user complete_task enter_plan_mode exit_plan_mode list_background_processes list_mcp_resources " +
      "read_background_output read_mcp_resource tracker_add_dependency tracker_create_task tracker_get_task " +
      "tracker_list_tasks tracker_update_task tracker_visualize update_topic write_todos",
  },
  serverOf: (_name, { mcp_context: context }) => {
    if (!isObject(context)) return undefined;
    const { server_name: name, tool_name: tool } = context;
    return typeof name === "string" && typeof tool === "string" ? { name, tool } : undefined;
  },
  events: {
    SessionStart: { ...CLAUDE_LIKE.SessionStart, say: denialAnswer },
    BeforeAgent: { ...CLAUDE_LIKE.UserPromptSubmit, say: denialAnswer },
    BeforeModel: {
      is: ["before_llm_call"],
      takes: ["block", "notice"],
      say: denialAnswer,
      fields: { model_id: "llm_request.model" },
    },
    AfterModel: {
      is: ["after_llm_call"],
      ...observed,
      fields: { stop_response: "llm_response.text", model_id: "llm_request.model" },
    },
    BeforeTool: {
      is: ["pre_tool_use"],
      obeys: ["rewrite"],
      takes: ["block", "allow", "rewrite", "notice"],
      say: beforeTool,
      rewriteGrants: "usual",
      sends: "mcp_context original_request_name",
    },
    AfterTool: {
      is: ["tool_response_transform", "post_tool_use"],
      obeys: ["replace"],
      takes: ["block", "replace", "context", "notice"],
      say: denialAnswer,
      // Of a failed call the model reads the error.
      fields: { tool_response: ["tool_response.error.message", "tool_response.error", "tool_response"] },
      derive: ({ tool_response: response }) => (isObject(response) && response["error"] ? { tool_error: true } : {}),
      sends: "mcp_context original_request_name",
    },
    AfterAgent: {
      ...CLAUDE_LIKE.Stop,
      say: denialAnswer,
      fields: { last_user_message: "prompt", stop_response: "prompt_response", stop_hook_active: "stop_hook_active" },
    },
    PreCompress: CLAUDE_LIKE.PreCompact,
    SessionEnd: CLAUDE_LIKE.SessionEnd,
    Notification: { ...CLAUDE_LIKE.Notification, sends: "notification_type details" },
    ...unmatched("BeforeToolSelection", "llm_request"),
  },
};
