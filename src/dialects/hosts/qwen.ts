import { doubleUnderscoreServer } from "../claude-tools.ts";
import type { Dialect, HostEvent, HostTool } from "../dialect.ts";
import {
  blockAndContextAnswer,
  nestedPermissionAnswer,
  nestedToolAnswer,
  observed,
  SNAKE_KEYS,
  unmatched,
} from "../shapes.ts";

const PATH = [["file_path", "path"]] as const;

const TOOLS: readonly HostTool[] = [
  {
    is: "shell",
    names: ["run_shell_command"],
    fields: [
      ["command", "cmd"],
      ["directory", "cwd"],
      ["timeout", "timeout", "ms"],
    ],
  },
  { is: "read_file", names: ["read_file"], fields: PATH },
  { is: "write_file", names: ["write_file"], fields: PATH },
  { is: "edit_file", names: ["edit"], fields: PATH, edit: ["old_string", "new_string"] },
  { is: "search_files_content", names: ["grep_search", "search_file_content"] },
  { is: "list_directory", names: ["list_directory"] },
  { is: "fetch", names: ["web_fetch"] },
  { is: "transfer_task", names: ["invoke_agent"] },
];

const afterTool = {
  is: ["post_tool_use"],
  takes: ["context", "notice"],
  say: blockAndContextAnswer,
  blockIsContext: true,
} as const satisfies HostEvent;

const keepsGoing = { takes: ["block", "notice"], say: blockAndContextAnswer } as const satisfies Partial<HostEvent>;
const stopFields = { stop_response: "last_assistant_message", stop_hook_active: "stop_hook_active" };

/**
 * Qwen Code: https://qwenlm.github.io/qwen-code-docs. It ignores a rewrite and context before a tool, and reads standard
 * error if standard output is empty.
 */
export const dialect: Dialect = {
  name: "qwen",
  keys: SNAKE_KEYS,
  silence: "",
  readsStandardError: true,
  timeoutSeconds: 600,
  tools: TOOLS,
  serverOf: doubleUnderscoreServer,
  events: {
    PreToolUse: { is: ["pre_tool_use"], takes: ["block", "ask", "allow", "notice"], say: nestedToolAnswer },
    PermissionRequest: { is: ["permission_request"], takes: ["block", "allow", "notice"], say: nestedPermissionAnswer },
    PermissionDenied: {
      is: ["on_tool_approval_decision"],
      ...observed,
      fields: { approval_reason: "reason" },
      fixed: { approval_decision: "deny" },
    },
    PostToolUse: { ...afterTool, fields: { tool_response: "tool_response" } },
    PostToolUseFailure: {
      ...afterTool,
      fields: { tool_response: ["error.message", "error"] },
      fixed: { tool_error: true },
    },
    UserPromptSubmit: {
      is: ["user_prompt_submit"],
      takes: ["block", "context", "notice"],
      say: blockAndContextAnswer,
      fields: { prompt: "prompt" },
      // It also fires after every batch of tools, with an empty prompt that the user did not submit.
      ignores: ({ prompt, submitted_prompt: submitted }) => prompt === "" && submitted === undefined,
    },
    SessionStart: {
      is: ["session_start"],
      takes: ["context", "notice"],
      say: blockAndContextAnswer,
      fields: { source: "source" },
    },
    SessionEnd: { is: ["session_end"], ...observed, fields: { reason: "reason" } },
    Stop: { is: ["stop"], ...keepsGoing, fields: stopFields },
    SubagentStop: { is: ["subagent_stop"], ...keepsGoing, fields: { ...stopFields, agent_name: "agent_type" } },
    StopFailure: {
      is: ["on_error"],
      ...observed,
      fields: { notification_message: "error" },
      fixed: { notification_level: "error" },
    },
    PreCompact: { is: ["pre_compact"], ...observed, fields: { source: "trigger" } },
    PostCompact: { is: ["after_compaction"], ...observed, fields: { summary: "compact_summary" } },
    Notification: {
      is: ["notification"],
      ...observed,
      fields: { notification_message: "message" },
      fixed: { notification_level: "warning" },
    },
    MessageDisplay: { is: ["after_llm_call"], ...observed, fields: { stop_response: "displayed_text" } },
    PostToolBatch: unmatched,
    UserPromptExpansion: unmatched,
    SubagentStart: unmatched,
    SessionDelete: unmatched,
    TodoCreated: unmatched,
    TodoCompleted: unmatched,
    InstructionsLoaded: unmatched,
  },
};
