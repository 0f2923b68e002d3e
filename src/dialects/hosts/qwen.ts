import type { Payload } from "../../protocol/rewrite.ts";
import {
  blockAndContextAnswer,
  nestedPermissionAnswer,
  nestedToolAnswer,
  observed,
  SNAKE_KEYS,
  unmatched,
} from "../answer-forms.ts";
import { DOUBLE_UNDERSCORES } from "../claude-tools.ts";
import { inputObject } from "../decode.ts";
import type { Dialect, HostEvent, HostTool, OtherTools, ToolCall } from "../dialect.ts";
import { codeTools, notebookTool } from "../tool-kinds.ts";

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
  {
    is: "transfer_task",
    names: ["agent", "task", "invoke_agent", "send_message", "workflow", "create_sub_session", "team_create"],
  },
  {
    is: "shell",
    names: ["monitor"],
    fields: [
      ["command", "cmd"],
      ["directory", "cwd"],
    ],
  },
  codeTools(["exec"], "code", "input"),
  notebookTool("notebook_edit"),
  { is: "read_file", names: ["zoom_image", "display_image"], fields: PATH },
  { is: "read_file", also: ["read_multiple_files"], names: ["read_many_files"], fields: [["paths", "paths"]] },
];

const OTHERS: OtherTools = {
  "runs-commands": "task_stop",
  "writes-files": "enter_worktree exit_worktree save_memory",
  "reads-files":
    "glob lsp omni_caption_audio omni_caption_image omni_clip_audio omni_clip_image omni_clip_video omni_convert_image " +
    "omni_downsample_audio omni_downsample_image omni_downscale_video omni_extract_audio omni_extract_keyframes " +
    "omni_ocr_image omni_recall_media_memory omni_transcribe_audio omni_understand_video_segments",
  network: "artifact image_gen web_search",
  other:
    "ask_user_question cron_create cron_delete cron_list enter_plan_mode exit_plan_mode get_goal list_agents loop_wakeup " +
    "propose_goal read_mcp_resource record_artifact record_source report_findings request_shutdown skill " +
    "structured_output task_create task_list task_update team_delete team_plan_approval todo_write tool_call " +
    "tool_search update_goal",
};

/** The call that `tool_call` makes of a tool which the model had to search for. */
function toolCall({ tool_name: outer, tool_input: original, tool_use_id: id }: Payload): ToolCall | undefined {
  const input = inputObject(original);
  const { name, arguments: inner } = input;
  if (outer !== "tool_call" || typeof name !== "string" || name === "") return undefined;
  return {
    name,
    original,
    input: inputObject(inner),
    id: typeof id === "string" ? id : undefined,
    wrap: (changed) => ({ ...input, arguments: typeof inner === "string" ? JSON.stringify(changed) : changed }),
  };
}

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
  others: OTHERS,
  toolCall,
  mcpNames: [DOUBLE_UNDERSCORES],
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
