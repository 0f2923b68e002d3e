import { isObject } from "../lib/json.ts";
import { isEventName } from "../protocol/events.ts";
import type { Payload } from "../protocol/rewrite.ts";
import type { DialectName } from "./names.ts";
import { valueAt } from "./values.ts";

export interface Mark<Name = DialectName> {
  dialect: Name;
  /** Another host whose payload may look the same. */
  also?: DialectName;
  /**
   * The hosts whose later marks fit some of its payloads too, and why. A test compares them with what payloads show.
   * `all`: any later mark.
   */
  before?: Readonly<Partial<Record<DialectName | "hooksh" | "all", string>>>;
  fits: (payload: Payload) => boolean;
}

/** The maximum length of a name or value that marks look at, so that no pattern runs over a large text. */
const LONGEST_MARK = 200;

const text = (payload: Payload, key: string): string | undefined => {
  const value = Object.hasOwn(payload, key) ? payload[key] : undefined;
  return typeof value === "string" ? value : undefined;
};
const mark = (payload: Payload, key: string): string => {
  const value = text(payload, key) ?? "";
  return value.length <= LONGEST_MARK ? value : "";
};
/** Every key holds text. */
const has = (payload: Payload, ...keys: readonly string[]): boolean =>
  keys.every((key) => text(payload, key) !== undefined);
/** At least one of the keys is present, with any value. */
const hasKey = (payload: Payload, ...keys: readonly string[]): boolean =>
  keys.some((key) => Object.hasOwn(payload, key));

const SNAKE = /^[a-z0-9]+(_[a-z0-9]+)*$/;
const CAMEL = /^[a-z]+([A-Z][a-z]+)+$/;
const PASCAL = /^[A-Z][A-Za-z]*$/;

const eventName = (payload: Payload): string => mark(payload, "hook_event_name");
const isNamed = (payload: Payload, names: readonly string[]): boolean => names.includes(eventName(payload));
/** No host has an event of this name; `stop` and `notification` are events of several. */
const isOnlyCanonical = (event: string): boolean => event.includes("_") && isEventName(event);
const isPascal = (payload: Payload): boolean => PASCAL.test(eventName(payload));
/** A Pascal name and a time as text: the copies of Claude Code's payload have one, the original has none. */
const isTimed = (payload: Payload): boolean =>
  isPascal(payload) && /^\d{4}-\d\d-\d\dT/.test(mark(payload, "timestamp"));

const OPENCODE_EVENTS = [
  "tool.execute.before",
  "tool.execute.after",
  "permission.ask",
  "chat.message",
  "session.created",
  "session.idle",
  "session.error",
  "session.deleted",
  "session.compacted",
];
const GEMINI_EVENTS = [
  "BeforeTool",
  "AfterTool",
  "BeforeAgent",
  "AfterAgent",
  "BeforeModel",
  "AfterModel",
  "BeforeToolSelection",
  "PreCompress",
];
const VIBE_EVENTS = ["pre_tool", "post_tool", "post_agent", "before_tool", "after_tool", "post_agent_turn"];
const VSCODE_TOOLS = [
  "run_in_terminal",
  "create_file",
  "replace_string_in_file",
  "multi_replace_string_in_file",
  "insert_edit_into_file",
  "get_terminal_output",
  "file_search",
  "runSubagent",
];
const DROID_MODES = ["off", "spec", "auto-low", "auto-medium", "auto-high"];

/**
 * Keys and values that no other host sends. The first mark that fits counts, and all of these come before
 * {@link WEAK_MARKS}. `hooksh`: hooksh's own protocol.
 */
export const CERTAIN_MARKS: readonly Mark<DialectName | "hooksh">[] = [
  {
    dialect: "hooksh",
    before: { all: "an unknown field of a canonical event may have any name, also one that is another host's mark" },
    fits: (payload) => isOnlyCanonical(eventName(payload)),
  },
  {
    dialect: "windsurf",
    fits: (payload) =>
      has(payload, "agent_action_name") && (isObject(payload["tool_info"]) || has(payload, "trajectory_id")),
  },
  { dialect: "cline", fits: (payload) => hasKey(payload, "clineVersion") && PASCAL.test(mark(payload, "hookName")) },
  { dialect: "cline-sdk", fits: (payload) => SNAKE.test(mark(payload, "hookName")) },
  {
    dialect: "agy",
    fits: (payload) =>
      has(payload, "conversationId") &&
      hasKey(payload, "toolCall", "stepIdx", "invocationNum", "terminationReason", "executionNum"),
  },
  {
    dialect: "cursor",
    before: { hooksh: "both have an event `stop`", q: "the names of all its events are camelCase" },
    fits: (payload) =>
      has(payload, "cursor_version") ||
      has(payload, "conversation_id", "generation_id") ||
      (Array.isArray(payload["workspace_roots"]) && /^[a-z]+([A-Z][A-Za-z]*)?$/.test(eventName(payload))),
  },
  {
    dialect: "grok",
    fits: (payload) =>
      SNAKE.test(mark(payload, "hookEventName")) ||
      (has(payload, "toolName", "workspaceRoot") && hasKey(payload, "toolInput")),
  },
  { dialect: "vscode", fits: (payload) => PASCAL.test(mark(payload, "hookEventName")) && has(payload, "sessionId") },
  { dialect: "kimi", fits: (payload) => payload["client_type"] === "kimi_code_cli" },
  {
    dialect: "copilot",
    fits: (payload) =>
      CAMEL.test(mark(payload, "hookName")) && has(payload, "sessionId") && hasKey(payload, "toolInput"),
  },
  { dialect: "opencode", fits: (payload) => has(payload, "handler") && hasKey(payload, "input") },
  {
    dialect: "copilot",
    fits: (payload) =>
      has(payload, "sessionId") &&
      typeof payload["timestamp"] === "number" &&
      (!hasKey(payload, "hook_event_name") || eventName(payload) === "Notification"),
  },
  { dialect: "openhands", fits: (payload) => has(payload, "event_type") && hasKey(payload, "working_dir", "metadata") },
  {
    dialect: "goose",
    before: { crush: "it sends the fields that mark Crush too" },
    fits: (payload) => has(payload, "event") && hasKey(payload, "matcher_context"),
  },
  { dialect: "crush", fits: (payload) => has(payload, "event", "session_id", "cwd") },
  { dialect: "opencode", fits: (payload) => isNamed(payload, OPENCODE_EVENTS) },
  { dialect: "gemini", fits: (payload) => isNamed(payload, GEMINI_EVENTS) },
  {
    dialect: "vibe",
    before: { hooksh: "a name in snake_case that is no event of hooksh is still taken for one" },
    fits: (payload) => isNamed(payload, VIBE_EVENTS),
  },
  {
    dialect: "kiro",
    before: { hooksh: "both have events `stop` and `notification`" },
    fits: (payload) => isNamed(payload, ["stop", "notification"]) && hasKey(payload, "assistant_response"),
  },
  { dialect: "hooksh", fits: (payload) => SNAKE.test(eventName(payload)) },
  {
    dialect: "kiro",
    before: { q: "its events have the same names, and only Kiro sends a session" },
    fits: (payload) => CAMEL.test(eventName(payload)) && has(payload, "session_id"),
  },
  { dialect: "q", fits: (payload) => CAMEL.test(eventName(payload)) },
];

/** Tells apart the hosts whose payloads copy Claude Code's. The first that fits counts. */
export const WEAK_MARKS: readonly Mark[] = [
  {
    dialect: "codex",
    before: { claude: "it sends all that marks Claude Code", kimi: "a session may have no transcript" },
    fits: (payload) => isPascal(payload) && !hasKey(payload, "timestamp") && isCodex(payload),
  },
  {
    dialect: "vscode",
    before: { "copilot-pascal": "a workspace without a chat has no transcript", qwen: "one with a chat has one" },
    fits: (payload) => isTimed(payload) && isVsCode(payload),
  },
  {
    dialect: "qwen",
    before: { "copilot-pascal": "a session may have no transcript" },
    fits: (payload) =>
      isTimed(payload) &&
      (hasKey(payload, "tool_call_id", "submitted_prompt") ||
        ["auto_edit", "yolo"].includes(mark(payload, "permission_mode"))),
  },
  {
    dialect: "copilot-pascal",
    before: {
      "copilot-pascal": "the next mark leaves open whether it is Visual Studio Code",
      qwen: "both send a transcript",
    },
    fits: (payload) =>
      isTimed(payload) &&
      (valueAt(payload, "tool_result.result_type") !== undefined ||
        (hasKey(payload, "stop_reason") && !hasKey(payload, "permission_mode"))),
  },
  // Until a workspace has a chat, Visual Studio Code sends no transcript either.
  {
    dialect: "copilot-pascal",
    also: "vscode",
    before: { gemini: "both start and end a session without a permission mode" },
    fits: (payload) => isTimed(payload) && !has(payload, "transcript_path"),
  },
  {
    dialect: "gemini",
    before: { qwen: "both send a transcript" },
    fits: (payload) =>
      isTimed(payload) &&
      isGeminiShared(payload) &&
      (!hasKey(payload, "permission_mode") || payload["notification_type"] === "ToolPermission"),
  },
  {
    dialect: "droid",
    before: { claude: "it sends all that marks Claude Code" },
    fits: (payload) =>
      isPascal(payload) &&
      (DROID_MODES.includes(mark(payload, "permission_mode")) ||
        (hasKey(payload, "message_id") && !hasKey(payload, "prompt_id"))),
  },
  {
    dialect: "qwen",
    before: { claude: "it sends all that marks Claude Code" },
    fits: (payload) => isTimed(payload) && has(payload, "transcript_path"),
  },
  {
    dialect: "kimi",
    fits: (payload) =>
      isPascal(payload) &&
      !has(payload, "transcript_path") &&
      !hasKey(payload, "timestamp") &&
      (hasKey(payload, "tool_call_id") || has(payload, "session_id", "cwd")),
  },
  { dialect: "claude", fits: (payload) => isPascal(payload) && has(payload, "transcript_path") },
];

/** True for an event that Gemini CLI and Claude Code give the same name. */
export function isGeminiShared(payload: Payload): boolean {
  return isNamed(payload, ["SessionStart", "SessionEnd", "Notification"]);
}

function isCodex(payload: Payload): boolean {
  const transcript = text(payload, "transcript_path") ?? "";
  const file = transcript.slice(Math.max(transcript.lastIndexOf("/"), transcript.lastIndexOf("\\")) + 1);
  if (file.startsWith("rollout-") && file.endsWith(".jsonl")) return true;
  if (hasKey(payload, "prompt_id")) return false;
  const isStart = eventName(payload) === "SessionStart";
  // Claude Code sends a model at the start of a session too, but no permission mode there.
  return has(payload, "turn_id") || (has(payload, "model") && (!isStart || hasKey(payload, "permission_mode")));
}

function isVsCode(payload: Payload): boolean {
  const transcript = text(payload, "transcript_path") ?? "";
  return (
    // A whole folder: other hosts put the name of the project into the path.
    /[\\/](GitHub\.copilot-chat|workspaceStorage)[\\/]/.test(transcript) ||
    mark(payload, "tool_use_id").includes("__vscode") ||
    VSCODE_TOOLS.includes(mark(payload, "tool_name"))
  );
}
