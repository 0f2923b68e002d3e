import { blockAndContextAnswer, nestedPermissionAnswer, nestedToolAnswer, observed } from "./answer-forms.ts";
import type { HostEvent } from "./dialect.ts";

/** The keys that PascalCase hosts share with Claude Code. */
export const SNAKE_KEYS = {
  event: ["hook_event_name"],
  session: ["session_id"],
  cwd: ["cwd"],
  toolName: ["tool_name"],
  toolInput: ["tool_input"],
  toolUseId: ["tool_use_id", "tool_call_id"],
} as const;

const stopFields = { stop_response: "last_assistant_message", stop_hook_active: "stop_hook_active" };

/**
 * The events of Claude Code as most of the hosts that copied them have them. A host takes the rows that fit, and says
 * beside them what it does differently; Claude Code itself does too.
 */
export const CLAUDE_LIKE = {
  PreToolUse: {
    is: ["pre_tool_use"],
    takes: ["block", "ask", "allow", "rewrite", "context", "notice"],
    say: nestedToolAnswer,
  },
  PermissionRequest: { is: ["permission_request"], takes: ["block", "allow", "notice"], say: nestedPermissionAnswer },
  PermissionDenied: {
    is: ["on_tool_approval_decision"],
    ...observed,
    fields: { approval_reason: "reason" },
    fixed: { approval_decision: "deny" },
  },
  PostToolUse: {
    is: ["post_tool_use"],
    takes: ["block", "context", "notice"],
    say: blockAndContextAnswer,
    fields: { tool_response: "tool_response" },
  },
  PostToolUseFailure: {
    is: ["post_tool_use"],
    takes: ["block", "context", "notice"],
    say: blockAndContextAnswer,
    fields: { tool_response: ["error.message", "error"] },
    fixed: { tool_error: true },
  },
  UserPromptSubmit: {
    is: ["user_prompt_submit"],
    takes: ["block", "context", "notice"],
    say: blockAndContextAnswer,
    fields: { prompt: "prompt" },
  },
  SessionStart: {
    is: ["session_start"],
    takes: ["context", "notice"],
    say: blockAndContextAnswer,
    fields: { source: "source" },
  },
  SessionEnd: { is: ["session_end"], ...observed, fields: { reason: "reason" } },
  Stop: { is: ["stop"], takes: ["block", "notice"], say: blockAndContextAnswer, fields: stopFields },
  SubagentStop: {
    is: ["subagent_stop"],
    takes: ["block", "notice"],
    say: blockAndContextAnswer,
    fields: { agent_name: "agent_type", ...stopFields },
  },
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
} as const satisfies Readonly<Record<string, HostEvent>>;
