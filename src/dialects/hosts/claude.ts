import { isObject } from "../../lib/json.ts";
import type { Payload } from "../../protocol/rewrite.ts";
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
} from "../answer-forms.ts";
import { CLAUDE_OTHERS, CLAUDE_TOOLS, DOUBLE_UNDERSCORES, serverInPayload } from "../claude-tools.ts";
import type { Dialect, Say } from "../dialect.ts";

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
      obeys: ["rewrite"],
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
      obeys: ({ tool_name: tool }) => (typeof tool === "string" && OBEYED.test(tool) ? ["replace"] : []),
      replacement: inToolsShape,
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
