import { CLAUDE_OTHERS, CLAUDE_TOOLS, DOUBLE_UNDERSCORES, serverInPayload } from "../claude-tools.ts";
import type { Dialect, Say } from "../dialect.ts";
import {
  answer,
  blockAndContextAnswer,
  nestedPermissionAnswer,
  nestedToolAnswer,
  noticeField,
  observed,
  SNAKE_KEYS,
  specific,
  unmatched,
} from "../shapes.ts";

/** A replaced result must have the shape of the tool's own; only the shell's is known. */
const afterTool: Say = (verdict, { event, payload }) => {
  const response = payload["tool_response"];
  const isShell = typeof response === "object" && response !== null && "stdout" in response;
  const updatedToolOutput =
    verdict.replace === undefined || !isShell ? verdict.replace : { ...response, stdout: verdict.replace, stderr: "" };
  return answer(
    verdict.block === undefined ? {} : { decision: "block", reason: verdict.block },
    specific(event, { additionalContext: verdict.context, updatedToolOutput }),
    noticeField(verdict),
  );
};

/** Claude Code: https://code.claude.com/docs/en/hooks. */
export const dialect: Dialect = {
  name: "claude",
  keys: SNAKE_KEYS,
  silence: "",
  timeoutSeconds: 600,
  tools: CLAUDE_TOOLS,
  others: CLAUDE_OTHERS,
  mcpNames: [DOUBLE_UNDERSCORES],
  serverOf: serverInPayload,
  events: {
    PreToolUse: {
      is: ["pre_tool_use"],
      takes: ["block", "ask", "allow", "rewrite", "context", "notice"],
      say: nestedToolAnswer,
    },
    PermissionRequest: {
      is: ["permission_request"],
      takes: ["block", "allow", "notice"],
      say: nestedPermissionAnswer,
    },
    PostToolUse: {
      is: ["tool_response_transform", "post_tool_use"],
      takes: ["block", "replace", "context", "notice"],
      say: afterTool,
      fields: { tool_response: "tool_response" },
    },
    PostToolUseFailure: {
      is: ["post_tool_use"],
      takes: ["block", "context", "notice"],
      say: blockAndContextAnswer,
      fields: { tool_response: "error" },
      fixed: { tool_error: true },
    },
    PermissionDenied: {
      is: ["on_tool_approval_decision"],
      ...observed,
      fields: { approval_reason: "reason" },
      fixed: { approval_decision: "deny" },
    },
    UserPromptSubmit: {
      is: ["user_prompt_submit"],
      takes: ["block", "context", "notice"],
      say: blockAndContextAnswer,
      fields: { prompt: "prompt" },
      timeoutSeconds: 30,
    },
    SessionStart: {
      is: ["session_start"],
      takes: ["context", "notice"],
      say: blockAndContextAnswer,
      fields: { source: "source" },
    },
    SessionEnd: { is: ["session_end"], ...observed, fields: { reason: "reason" }, timeoutSeconds: 1.5 },
    Stop: {
      is: ["stop"],
      takes: ["block", "context", "notice"],
      say: blockAndContextAnswer,
      fields: { stop_response: "last_assistant_message", stop_hook_active: "stop_hook_active" },
    },
    SubagentStop: {
      is: ["subagent_stop"],
      takes: ["block", "context", "notice"],
      say: blockAndContextAnswer,
      fields: {
        agent_name: "agent_type",
        stop_response: "last_assistant_message",
        stop_hook_active: "stop_hook_active",
      },
    },
    StopFailure: {
      is: ["on_error"],
      ...observed,
      fields: { notification_message: "error" },
      fixed: { notification_level: "error" },
    },
    PreCompact: {
      is: ["pre_compact"],
      takes: ["block", "notice"],
      say: blockAndContextAnswer,
      fields: { source: "trigger" },
    },
    PostCompact: { is: ["after_compaction"], ...observed, fields: { summary: "compact_summary" } },
    Notification: {
      is: ["notification"],
      ...observed,
      fields: { notification_message: "message" },
      fixed: { notification_level: "warning" },
    },
    WorktreeCreate: {
      is: ["worktree_create"],
      takes: ["block"],
      say: ({ block }) => (block === undefined ? undefined : { stderr: block, exitCode: 2 }),
      fields: { worktree_branch: "name", worktree_source_dir: "cwd" },
    },
    WorktreeRemove: unmatched,
    Setup: unmatched,
    UserPromptExpansion: unmatched,
    PostToolBatch: unmatched,
    MessageDisplay: { ...unmatched, timeoutSeconds: 10 },
    SubagentStart: unmatched,
    TaskCreated: unmatched,
    TaskCompleted: unmatched,
    TeammateIdle: unmatched,
    InstructionsLoaded: unmatched,
    // Claude Code 2.1.330 goes on with the settings it has if a hook of this event blocks or fails. FileChanged cannot block.
    ConfigChange: { is: [], takes: ["block"], say: blockAndContextAnswer, guardsRegistration: true },
    CwdChanged: unmatched,
    DirectoryAdded: unmatched,
    FileChanged: unmatched,
    PreModelSwitch: unmatched,
    PostModelSwitch: unmatched,
    Elicitation: unmatched,
    ElicitationResult: unmatched,
  },
};
