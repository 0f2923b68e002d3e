import { isObject } from "../../lib/json.ts";
import type { Payload } from "../../protocol/rewrite.ts";
import { answer, blockAndContextAnswer, noticeField, specific, unmatched } from "../answer-forms.ts";
import { CLAUDE_LIKE, SNAKE_KEYS } from "../claude-events.ts";
import { CLAUDE_OTHERS, CLAUDE_TOOLS, DOUBLE_UNDERSCORES, serverInPayload } from "../claude-tools.ts";
import type { Dialect, HostEvent, Say } from "../dialect.ts";

/**
 * Claude Code ignores a replaced result that has not the shape of the tool's own. Hooks read an object as JSON: with the
 * same fields in it, the JSON is the new result, and any other text goes where the tool has the text that the model reads.
 */
function inToolsShape(text: string, { tool_response: response, tool_name: tool }: Payload): unknown {
  if (typeof response !== "object" || response === null) return text;
  if (isObject(response) && typeof response["stdout"] === "string") return { ...response, stdout: text, stderr: "" };
  const parsed = parsedJson(text);
  if (hasShapeOf(parsed, response)) return parsed;
  if (typeof tool === "string" && tool.startsWith("mcp__")) return text;
  if (!isObject(response)) return undefined;
  const { file, content, filenames } = response;
  if (isObject(file)) return { type: "text", file: asTextFile(text, file["filePath"]) };
  if (typeof content === "string") return { ...response, content: text };
  if (Array.isArray(filenames)) return { ...response, filenames: [text], numFiles: 1 };
  return Array.isArray(content) ? { ...response, content: [{ type: "text", text }] } : undefined;
}

/** The tools whose replaced result was seen to reach the model. */
const OBEYED = /^(?:Bash|Read|Grep|Glob|Agent|mcp__.*)$/s;

function kindOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "list" : typeof value;
}

/** A file of any kind, such as a notebook, as one of text. */
function asTextFile(content: string, filePath: unknown): object {
  const numLines = content.split("\n").length;
  return { filePath: filePath ?? "", content, numLines, startLine: 1, totalLines: numLines };
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** True if the same fields hold values of the same types. Lists may differ in length. */
function hasShapeOf(value: unknown, other: unknown): boolean {
  if (Array.isArray(value) && Array.isArray(other))
    return value.every((item, at) => at >= other.length || hasShapeOf(item, other[at]));
  if (!isObject(value) || !isObject(other)) return kindOf(value) === kindOf(other);
  const keys = Object.keys(other);
  return keys.length === Object.keys(value).length && keys.every((key) => hasShapeOf(value[key], other[key]));
}

const afterTool: Say = (verdict, { event, payload }) => {
  const { block, context, replace } = verdict;
  const updatedToolOutput = replace === undefined ? undefined : inToolsShape(replace, payload);
  return answer(
    block === undefined ? {} : { decision: "block", reason: block },
    specific(event, { additionalContext: context, updatedToolOutput }),
    noticeField(verdict),
  );
};

const keepsGoing = {
  takes: ["block", "context", "notice"],
  sends: "background_tasks session_crons agent_transcript_path effort agent_id agent_type",
} as const satisfies Partial<HostEvent>;

/** Claude Code: https://code.claude.com/docs/en/hooks. */
export const dialect: Dialect = {
  name: "claude",
  keys: SNAKE_KEYS,
  sends: "prompt_id transcript_path scratchpad_dir permission_mode effort agent_id agent_type",
  silence: "",
  timeoutSeconds: 600,
  tools: CLAUDE_TOOLS,
  others: CLAUDE_OTHERS,
  mcpNames: [DOUBLE_UNDERSCORES],
  serverOf: serverInPayload,
  events: {
    PreToolUse: { ...CLAUDE_LIKE.PreToolUse, obeys: ["rewrite"], sends: "mcp_server" },
    PermissionRequest: { ...CLAUDE_LIKE.PermissionRequest, sends: "permission_suggestions mcp_server" },
    PostToolUse: {
      is: ["tool_response_transform", "post_tool_use"],
      takes: ["block", "replace", "context", "notice"],
      say: afterTool,
      obeys: ({ tool_name: tool }) => (typeof tool === "string" && OBEYED.test(tool) ? ["replace"] : []),
      replacement: inToolsShape,
      fields: { tool_response: "tool_response" },
      sends: "duration_ms mcp_server",
    },
    PostToolUseFailure: {
      ...CLAUDE_LIKE.PostToolUseFailure,
      fields: { tool_response: "error" },
      sends: "is_interrupt duration_ms mcp_server",
    },
    PermissionDenied: { ...CLAUDE_LIKE.PermissionDenied, sends: "mcp_server" },
    UserPromptSubmit: { ...CLAUDE_LIKE.UserPromptSubmit, timeoutSeconds: 30, sends: "session_title" },
    SessionStart: {
      ...CLAUDE_LIKE.SessionStart,
      sends:
        "model session_title seconds_since_last_response context_tokens prompt_cache_likely_expired " +
        "estimated_cache_write_usd",
    },
    SessionEnd: { ...CLAUDE_LIKE.SessionEnd, timeoutSeconds: 1.5 },
    Stop: { ...CLAUDE_LIKE.Stop, ...keepsGoing },
    SubagentStop: { ...CLAUDE_LIKE.SubagentStop, ...keepsGoing },
    StopFailure: { ...CLAUDE_LIKE.StopFailure, sends: "error_details last_assistant_message" },
    PreCompact: {
      ...CLAUDE_LIKE.PreCompact,
      takes: ["block", "notice"],
      say: blockAndContextAnswer,
      sends: "custom_instructions",
    },
    PostCompact: { ...CLAUDE_LIKE.PostCompact, sends: "trigger" },
    Notification: { ...CLAUDE_LIKE.Notification, sends: "title notification_type" },
    WorktreeCreate: {
      is: ["worktree_create"],
      takes: ["block"],
      say: ({ block }) => (block === undefined ? undefined : { stderr: block, exitCode: 2 }),
      fields: { worktree_branch: "name", worktree_source_dir: "cwd" },
    },
    ...unmatched("WorktreeRemove", "worktree_path"),
    ...unmatched("Setup", "trigger"),
    ...unmatched("UserPromptExpansion", "expansion_type command_name command_args command_source prompt"),
    ...unmatched("PostToolBatch", "tool_calls"),
    MessageDisplay: { is: [], takes: [], timeoutSeconds: 10, sends: "turn_id message_id index final delta" },
    ...unmatched("SubagentStart"),
    ...unmatched("TaskCreated TaskCompleted TeammateIdle InstructionsLoaded", "*"),
    // Claude Code 2.1.330 goes on with the settings it has if a hook of this event blocks or fails. FileChanged cannot block.
    ConfigChange: { is: [], takes: ["block"], say: blockAndContextAnswer, guardsRegistration: true, sends: "*" },
    ...unmatched(
      "CwdChanged DirectoryAdded FileChanged PreModelSwitch PostModelSwitch Elicitation ElicitationResult",
      "*",
    ),
  },
};
