import { CLAUDE_TOOLS } from "../../dialects/claude-tools.ts";
import type { HostTool } from "../../dialects/dialect.ts";
import { knownFields, toOwnInput } from "../../dialects/own-input.ts";
import { resultText } from "../../dialects/values.ts";
import { isObject } from "../../lib/json.ts";
import type { SystemCalls } from "../../lib/process/system-calls.ts";
import type { Env } from "../../lib/process-env.ts";
import type { EventName } from "../../protocol/events.ts";
import type { Payload } from "../../protocol/rewrite.ts";
import { hostAnswer, projectOf, type Question, type QuickEvent } from "./quick-event.ts";
import type { QuickLine } from "./quick-line.ts";

/** The events about calls of tools, as hooksh has them. */
const EVENTS: Readonly<Record<string, readonly EventName[]>> = {
  PreToolUse: ["pre_tool_use"],
  PostToolUse: ["tool_response_transform", "post_tool_use"],
};

/** The events whose hooks run with `pre_tool_use` too. */
const BESIDE: readonly EventName[] = ["tool_input_transform", "tool_guard"];

/** What Claude Code sends of these events. None of it is a mark of another agent, but for some values. */
const TEXTS: readonly string[] = ["session_id", "transcript_path", "cwd", "hook_event_name", "tool_name"];
const KNOWN: readonly string[] = [
  ...TEXTS,
  ...["tool_input", "tool_use_id", "permission_mode", "tool_response", "duration_ms"],
  ...["prompt_id", "scratchpad_dir", "effort", "agent_id", "agent_type"],
];
const MODES: readonly unknown[] = [undefined, "default", "acceptEdits", "plan", "bypassPermissions", "dontAsk"];

/** Variables of agents that send what Claude Code sends. */
const OTHERS: readonly string[] = [
  "FACTORY_PROJECT_DIR",
  "DROID_PROJECT_DIR",
  "QWEN_PROJECT_DIR",
  "GEMINI_SESSION_ID",
  "PLUGIN_ROOT",
];

/**
 * Returns what the commonest events of Claude Code ask, as readHostQuestion of quick-host.ts does, without the codec and the
 * marks of all agents (cold start). Undefined if that must read it.
 */
export function readClaudeQuestion(
  value: Payload,
  line: QuickLine,
  { system, env }: { system: SystemCalls; env: Env },
): Question | undefined {
  const { dialect = "auto", event: given } = line;
  if ((dialect !== "claude" && dialect !== "auto") || line.format !== "hook") return undefined;
  for (const key of TEXTS) if (typeof value[key] !== "string" || value[key] === "") return undefined;
  for (const key in value) if (!KNOWN.includes(key)) return undefined;
  for (const name of OTHERS) if (env[name] !== undefined) return undefined;
  const { hook_event_name: said, tool_name: tool, tool_input: original, tool_use_id: id } = value;
  const events = Object.hasOwn(EVENTS, said as string) ? EVENTS[said as string] : undefined;
  if (events === undefined || (given !== undefined && given !== said)) return undefined;
  if (!MODES.includes(value["permission_mode"])) return undefined;
  if (!isObject(original) || (id !== undefined && (typeof id !== "string" || id === ""))) return undefined;
  if ((value["transcript_path"] as string).includes("rollout-")) return undefined;
  const row = rowOf(tool as string);
  if (row === undefined || knownFields(row, original) === 0) return undefined;
  // Some JSON parsers read `Command` as `command`.
  for (const key in original) if (!/^[a-z][\da-z_]*$/.test(key)) return undefined;
  const cwd = projectOf(value["cwd"], system);
  if (cwd === undefined) return undefined;

  const isAfter = said === "PostToolUse";
  const result = isAfter ? resultText(value["tool_response"]) : undefined;
  const input = {
    tool_name: row.is,
    ...(id === undefined ? {} : { tool_use_id: id }),
    tool_input: toOwnInput(row, original),
    ...(result === undefined ? {} : { tool_response: result }),
    host: { dialect: "claude", event: said, tool_name: tool, tool_input: original },
  };
  const asked: QuickEvent[] = [];
  for (const event of events) {
    const fields = { session_id: value["session_id"], cwd, hook_event_name: event, ...input };
    asked.push({ event, input: fields, names: [row.is, row.is, tool as string] });
  }
  return {
    events: asked,
    cwd,
    env: { HOOKSH_DIALECT: "claude", HOOKSH_HOST_EVENT: said as string },
    host: { dialect: { name: "claude" }, event: said as string },
    beside: isAfter ? [] : BESIDE,
    silence: hostAnswer("", line),
  };
}

/** The only row that has a tool. */
function rowOf(tool: string): HostTool | undefined {
  for (const row of CLAUDE_TOOLS) if (row.names.includes(tool)) return row;
  return undefined;
}
