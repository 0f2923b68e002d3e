import type { Payload } from "../../protocol/rewrite.ts";
import { observed, unmatched } from "../answer-forms.ts";
import { CLAUDE_LIKE, SNAKE_KEYS } from "../claude-events.ts";
import { DOUBLE_UNDERSCORES } from "../claude-tools.ts";
import type { Dialect, HostEvent, HostTool, OtherTools, ToolCall } from "../dialect.ts";
import { codeTools, notebookTool } from "../tool-kinds.ts";
import { inputObject } from "../values.ts";

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
  codeTools("node", ["exec"], "code", "input"),
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

const feedback = { takes: ["context", "notice"], blockIsContext: true } as const satisfies Partial<HostEvent>;

/**
 * Qwen Code: https://qwenlm.github.io/qwen-code-docs. It ignores a rewrite and context before a tool, and reads standard
 * error if standard output is empty.
 */
export const dialect: Dialect = {
  name: "qwen",
  keys: SNAKE_KEYS,
  sends: "transcript_path timestamp permission_mode prompt_id agent_id agent_type",
  silence: "",
  readsStandardError: true,
  timeoutSeconds: 600,
  tools: TOOLS,
  others: OTHERS,
  toolCall,
  mcpNames: [DOUBLE_UNDERSCORES],
  events: {
    PreToolUse: { ...CLAUDE_LIKE.PreToolUse, takes: ["block", "ask", "allow", "notice"] },
    PermissionRequest: { ...CLAUDE_LIKE.PermissionRequest, sends: "permission_suggestions" },
    PermissionDenied: CLAUDE_LIKE.PermissionDenied,
    PostToolUse: { ...CLAUDE_LIKE.PostToolUse, ...feedback, sends: "duration_ms" },
    PostToolUseFailure: { ...CLAUDE_LIKE.PostToolUseFailure, ...feedback, sends: "is_interrupt duration_ms" },
    UserPromptSubmit: {
      ...CLAUDE_LIKE.UserPromptSubmit,
      // It also fires after every batch of tools, with an empty prompt that the user did not submit.
      ignores: ({ prompt, submitted_prompt: submitted }) => prompt === "" && submitted === undefined,
      sends: "submitted_prompt",
    },
    SessionStart: { ...CLAUDE_LIKE.SessionStart, sends: "model" },
    SessionEnd: CLAUDE_LIKE.SessionEnd,
    Stop: { ...CLAUDE_LIKE.Stop, sends: "background_tasks crons context_usage context_limit input_tokens" },
    SubagentStop: { ...CLAUDE_LIKE.SubagentStop, sends: "agent_transcript_path" },
    StopFailure: { ...CLAUDE_LIKE.StopFailure, sends: "error_details last_assistant_message" },
    PreCompact: { ...CLAUDE_LIKE.PreCompact, sends: "custom_instructions" },
    PostCompact: { ...CLAUDE_LIKE.PostCompact, sends: "trigger" },
    Notification: { ...CLAUDE_LIKE.Notification, sends: "title notification_type" },
    MessageDisplay: {
      is: ["after_llm_call"],
      ...observed,
      fields: { stop_response: "displayed_text" },
      sends: "message_id is_final",
    },
    ...unmatched("PostToolBatch", "tool_calls"),
    ...unmatched("UserPromptExpansion SubagentStart SessionDelete TodoCreated TodoCompleted", "*"),
    ...unmatched("InstructionsLoaded", "file_path memory_type load_reason"),
  },
};
