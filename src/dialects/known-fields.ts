import type { HostCall } from "./dialect.ts";
import type { DialectName } from "./names.ts";

/**
 * Fields of a host's payloads, separated by blanks: under `every` those that any event may have, under an event its own.
 * Fields that the codec reads need not be listed. `*` stands for fields that are not documented.
 */
type FieldLists = Readonly<Record<string, string>>;

const CLAUDE_STOP =
  "stop_hook_active last_assistant_message background_tasks session_crons agent_transcript_path effort agent_id agent_type";
const COPILOT =
  "timestamp transcriptPath transcript_path prompt initialPrompt initial_prompt transformedPrompt source reason error stopReason " +
  "stop_reason stop_hook_active agentName agentId agentType parentAgentId agent_name agent_id agent_type parent_agent_id " +
  "agentDisplayName agentDescription response last_assistant_message toolResult tool_result permissionSuggestions trigger " +
  "customInstructions custom_instructions message title notification_type recoverable errorContext hookName";

/** The fields that each host is known to send: from recorded payloads, and from the documentation of the host. */
const KNOWN_FIELDS: Readonly<Record<DialectName, FieldLists>> = {
  claude: {
    every: "prompt_id transcript_path scratchpad_dir permission_mode effort agent_id agent_type",
    PreToolUse: "mcp_server",
    PermissionRequest: "permission_suggestions mcp_server",
    PermissionDenied: "mcp_server",
    PostToolUse: "duration_ms mcp_server",
    PostToolUseFailure: "is_interrupt duration_ms mcp_server",
    PostToolBatch: "tool_calls",
    UserPromptSubmit: "session_title",
    UserPromptExpansion: "expansion_type command_name command_args command_source prompt",
    SessionStart:
      "model session_title seconds_since_last_response context_tokens prompt_cache_likely_expired estimated_cache_write_usd",
    SubagentStart: "",
    Stop: CLAUDE_STOP,
    SubagentStop: CLAUDE_STOP,
    StopFailure: "error_details last_assistant_message",
    MessageDisplay: "turn_id message_id index final delta",
    Notification: "title notification_type",
    PreCompact: "custom_instructions",
    PostCompact: "trigger",
    Setup: "trigger",
    InstructionsLoaded: "*",
    TaskCreated: "*",
    TaskCompleted: "*",
    TeammateIdle: "*",
    ConfigChange: "*",
    CwdChanged: "*",
    DirectoryAdded: "*",
    FileChanged: "*",
    WorktreeCreate: "name",
    WorktreeRemove: "worktree_path",
    PreModelSwitch: "*",
    PostModelSwitch: "*",
    Elicitation: "*",
    ElicitationResult: "*",
  },
  codex: {
    every: "turn_id transcript_path model permission_mode agent_id agent_type",
    Stop: "stop_hook_active last_assistant_message",
    SubagentStop: "stop_hook_active last_assistant_message agent_transcript_path",
    PreCompact: "trigger",
    PostCompact: "trigger",
    SubagentStart: "*",
  },
  gemini: {
    every: "transcript_path timestamp",
    BeforeTool: "mcp_context original_request_name",
    AfterTool: "mcp_context original_request_name",
    BeforeModel: "llm_request",
    AfterModel: "llm_request llm_response",
    BeforeToolSelection: "llm_request",
    AfterAgent: "prompt prompt_response stop_hook_active",
    Notification: "notification_type message details",
    PreCompress: "trigger",
  },
  copilot: { every: COPILOT },
  "copilot-pascal": { every: COPILOT },
  vscode: {
    every: "timestamp transcript_path agent_id agent_type model permission_mode",
    PostToolUse: "tool_response",
    Stop: "stop_hook_active last_assistant_message",
    SubagentStop: "stop_hook_active last_assistant_message",
    PreCompact: "trigger custom_instructions",
  },
  droid: {
    every: "transcript_path transcriptPath permission_mode permissionMode message_id messageId",
    UserPromptSubmit: "has_images",
    SessionStart: "CLAUDE_ENV_FILE",
    SessionEnd: "session_duration_ms message_count",
    Stop: "stop_hook_active tool_execution_count elapsed_time",
    SubagentStop: "stop_hook_active task_name task_result task_error",
    PreCompact: "trigger custom_instructions message_count estimated_tokens",
    Notification: "message title notification_type",
  },
  qwen: {
    every: "transcript_path timestamp permission_mode prompt_id agent_id agent_type",
    PermissionRequest: "permission_suggestions",
    PostToolUse: "duration_ms",
    PostToolUseFailure: "is_interrupt duration_ms",
    PostToolBatch: "tool_calls",
    UserPromptSubmit: "submitted_prompt",
    UserPromptExpansion: "*",
    SessionStart: "model",
    SessionDelete: "*",
    Stop: "stop_hook_active last_assistant_message background_tasks crons context_usage context_limit input_tokens",
    SubagentStop: "stop_hook_active last_assistant_message agent_transcript_path",
    SubagentStart: "*",
    StopFailure: "error_details last_assistant_message",
    PreCompact: "trigger custom_instructions",
    PostCompact: "trigger compact_summary",
    Notification: "title notification_type",
    MessageDisplay: "message_id displayed_text is_final",
    InstructionsLoaded: "file_path memory_type load_reason",
    TodoCreated: "*",
    TodoCompleted: "*",
  },
  grok: {
    every: "transcriptPath timestamp prompt toolResponse toolOutput source reason error message notificationType model",
  },
  kimi: {
    every: "client_type agent_name",
    UserPromptSubmit: "is_steer",
    SessionStart: "model profile",
    TurnStarted: "turn_id origin_kind prompt",
    Stop: "stop_hook_active",
    StopFailure: "error_type error_message",
    SubagentStart: "prompt",
    SubagentStop: "response",
    PreCompact: "trigger token_count",
    PostCompact: "trigger token_count",
    Notification: "notification_type title body severity sink source_kind source_id",
    UserPromptQueued: "*",
    Interrupt: "*",
    TaskStarted: "*",
    SessionHeartbeat: "*",
  },
  cursor: {
    every:
      "conversation_id generation_id model model_id model_params cursor_version workspace_roots user_email transcript_path session_id",
    preToolUse: "agent_message",
    postToolUse: "tool_output duration agent_message",
    postToolUseFailure: "error_message failure_type is_interrupt duration",
    beforeShellExecution: "command sandbox",
    afterShellExecution: "command output duration sandbox",
    beforeMCPExecution: "mcp_server_name url command",
    afterMCPExecution: "mcp_server_name url command result_json duration",
    beforeReadFile: "file_path content attachments",
    afterFileEdit: "file_path edits",
    beforeTabFileRead: "file_path content",
    afterTabFileEdit: "file_path edits",
    beforeSubmitPrompt: "attachments",
    sessionStart: "is_background_agent composer_mode",
    sessionEnd: "duration_ms final_status is_background_agent",
    stop: "status loop_count",
    subagentStart: "*",
    subagentStop: "*",
    preCompact: "*",
    afterAgentResponse: "text",
    afterAgentThought: "text duration_ms",
    workspaceOpen: "*",
  },
  agy: {
    every: "stepIdx modelName transcriptPath workspacePaths artifactDirectoryPath",
    PreToolUse: "toolCall",
    PostToolUse: "toolCall error",
    PreInvocation: "invocationNum initialNumSteps",
    PostInvocation: "invocationNum initialNumSteps",
    Stop: "executionNum terminationReason fullyIdle error",
  },
  windsurf: { every: "trajectory_id execution_id timestamp tool_info model_name" },
  q: {
    every: "prompt tool_response assistant_response hook_events",
  },
  kiro: { every: "prompt tool_response assistant_response" },
  cline: {
    every: "clineVersion timestamp userId workspaceRoots model",
    PreToolUse: "preToolUse",
    PostToolUse: "postToolUse",
    UserPromptSubmit: "userPromptSubmit",
    TaskStart: "taskStart",
    TaskResume: "taskResume",
    TaskCancel: "taskCancel",
    TaskComplete: "taskComplete",
    PreCompact: "preCompact",
    Notification: "notification",
  },
  "cline-sdk": {
    every:
      "clineVersion timestamp sessionContext workspaceRoots workspaceInfo userId agent_id parent_agent_id model iteration turn",
    tool_call: "tool_call preToolUse",
    tool_result: "tool_result postToolUse",
    agent_start: "taskStart",
    agent_resume: "taskResume",
    agent_abort: "taskCancel reason",
    agent_end: "taskComplete",
    agent_error: "error taskError",
    prompt_submit: "userPromptSubmit prompt",
    session_shutdown: "reason",
    pre_compact: "preCompact",
  },
  goose: { every: "matcher_context working_dir message last_assistant_message tool_output tool_response error" },
  crush: { every: "" },
  openhands: { every: "tool_output tool_response message metadata" },
  vibe: {
    every: "transcript_path parent_session_id",
    post_tool: "tool_status tool_output tool_output_text tool_error duration_ms",
    after_tool: "tool_status tool_output tool_output_text tool_error duration_ms",
  },
  opencode: { every: "tool_response prompt message source reason error title metadata" },
};

/** Returns the fields of a payload that hooksh neither reads nor knows the host to send. */
export function unknownFields({ dialect, event, row, payload }: HostCall): string[] {
  const lists: FieldLists = Object.hasOwn(KNOWN_FIELDS, dialect.name) ? KNOWN_FIELDS[dialect.name as DialectName] : {};
  const listed = [lists["every"], Object.hasOwn(lists, event) ? lists[event] : ""].join(" ").split(" ");
  if (listed.includes("*")) return [];
  const read = [...Object.values(dialect.keys).flat(), ...Object.values(row.fields ?? {}).flat()];
  const known = new Set([...listed, ...read.map((path) => path.split(".", 1)[0])]);
  return Object.keys(payload).filter((field) => !known.has(field));
}
