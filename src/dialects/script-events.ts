import { nearestName } from "../lib/text/nearest.ts";
import type { EventName } from "../protocol/events.ts";
import type { DialectName } from "./names.ts";

/** A tool call before and after it, and a turn. */
const BASIC = ["pre_tool_use", "post_tool_use", "session_start", "user_prompt_submit", "stop"] as const;
/** The events of Claude Code that most of its relatives have too. */
const COMMON = [...BASIC, "session_end", "subagent_stop", "pre_compact", "notification"] as const;
const APPROVALS = ["permission_request", "on_tool_approval_decision"] as const;
const COPILOT = [...COMMON, "permission_request", "tool_response_transform", "on_error"] as const;

/** A dialect in which a hook of hooksh can be written. opencode has no scripts. */
export type ScriptDialect = Exclude<DialectName, "opencode">;

/**
 * The events of hooksh that each host has a name for, so that a hook with `dialect` can be configured on them. Kept
 * apart from the codecs (cold start); a test compares the two.
 */
const SCRIPT_EVENTS: Readonly<Record<ScriptDialect, readonly EventName[]>> = {
  claude: [...COMMON, ...APPROVALS, "tool_response_transform", "on_error", "after_compaction", "worktree_create"],
  codex: [
    ...BASIC,
    "session_end",
    "subagent_stop",
    "pre_compact",
    "permission_request",
    "tool_response_transform",
    "after_compaction",
  ],
  gemini: [
    ...BASIC,
    "session_end",
    "pre_compact",
    "notification",
    "before_llm_call",
    "after_llm_call",
    "tool_response_transform",
  ],
  copilot: COPILOT,
  "copilot-pascal": COPILOT,
  vscode: [...BASIC, "subagent_stop", "pre_compact"],
  droid: COMMON,
  qwen: [...COMMON, ...APPROVALS, "on_error", "after_compaction", "after_llm_call"],
  grok: [...BASIC, "session_end", "notification"],
  kimi: [...COMMON, ...APPROVALS, "on_error", "after_compaction"],
  cursor: [...BASIC, "session_end", "subagent_stop", "pre_compact", "tool_response_transform", "after_llm_call"],
  agy: ["pre_tool_use", "post_tool_use", "session_start", "stop", "turn_start", "after_llm_call"],
  windsurf: ["pre_tool_use", "post_tool_use", "user_prompt_submit", "stop", "worktree_create"],
  q: BASIC,
  kiro: [...BASIC, "session_end"],
  cline: [...BASIC, "session_end", "pre_compact", "notification"],
  "cline-sdk": [...BASIC, "session_end", "subagent_stop", "pre_compact", "on_error"],
  goose: [...BASIC, "session_end"],
  crush: ["pre_tool_use"],
  openhands: [...BASIC, "session_end", "notification"],
  vibe: ["pre_tool_use", "post_tool_use", "tool_response_transform", "stop"],
};

/** Events of hooksh that share the host's event of another one. */
const TOGETHER: Partial<Record<EventName, EventName>> = {
  tool_input_transform: "pre_tool_use",
  tool_guard: "pre_tool_use",
  stop_guard: "stop",
};

/** Returns the event that decides under which of the host's names a script runs. */
export function scriptEvent(event: EventName): EventName {
  return TOGETHER[event] ?? event;
}

const OWN: readonly string[] = ["hooksh", "docker-agent"];

/** The values of the key `dialect` of a hook. */
export const SCRIPT_DIALECTS: readonly string[] = [...OWN, ...Object.keys(SCRIPT_EVENTS)];

/** True if a hook with this `dialect` is a script of another agent. */
export function isForeignScript({ dialect }: { dialect: string }): boolean {
  return dialect !== "" && !OWN.includes(dialect);
}

/** Returns the problem with the `dialect` of a hook on an event; undefined if there is none. */
export function dialectProblem(dialect: string, event: EventName): string | undefined {
  if (!isForeignScript({ dialect })) return undefined;
  if (dialect === "opencode") return "opencode starts no scripts, so no hook can speak its dialect";
  if (!Object.hasOwn(SCRIPT_EVENTS, dialect)) return unknownDialect(dialect);
  const events = SCRIPT_EVENTS[dialect as ScriptDialect];
  if (events.includes(scriptEvent(event))) return undefined;
  return `${dialect} has no event for ${event}; it has ${[...events].sort().join(", ")}`;
}

function unknownDialect(dialect: string): string {
  const names = [OWN[0] ?? "", ...Object.keys(SCRIPT_EVENTS)];
  const close = dialect === "antigravity" ? "agy" : nearestName(dialect, names);
  const advice = close === undefined ? `known: ${names.join(", ")}` : `did you mean ${close}?`;
  return `unknown dialect ${JSON.stringify(dialect)} (${advice})`;
}
