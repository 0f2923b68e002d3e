import type { Shape } from "../../src/lib/schema/shape.ts";
import { EVENTS } from "../../src/protocol/events.ts";
import { FIELDS, type FieldName } from "../../src/protocol/fields.ts";

/** What each field of an input holds, and when it is missing although the event has it. */
const MEANINGS: Readonly<Record<FieldName, string>> = {
  session_id: "The session; empty if the caller of `hooksh dispatch` gives none.",
  cwd: "The working directory of the session, as an absolute path.",
  hook_event_name: "The name of the event.",
  agent_name:
    "The agent in the agent file. Events of other agents have it only for their sub-agents, if the agent names them.",
  model_id: "The model, as `provider/model`.",
  iteration: "The number of the model call since the last message of the user, from 1.",
  last_user_message: "The text of the newest message of the user.",
  tool_name: "The name of the tool, which matchers match.",
  tool_qualified_name: "`mcp:SERVER:TOOL`, for tools of MCP servers only. Matchers match it too.",
  tool_category: "The group of the tool, such as `shell` or `filesystem`: see [Tools](tools.md).",
  tool_use_id: "The same in all events of one call.",
  tool_input: "The arguments of the call, after the rewrites so far; missing if the call has none.",
  tool_read_only: "`true` if the tool declares that it changes nothing; otherwise missing.",
  safety_policy:
    "The safety mode: `strict`, `balanced`, `restricted` or `autonomous` (`--yolo`); missing if none is set.",
  tool_response: "What the tool answered: in `hooksh run` always a string, from other agents often an object.",
  tool_error: "`true` if the call failed or did not run; otherwise missing.",
  messages: "The conversation that is about to be sent: see [its messages](hooks.md#the-messages-of-a-model-call).",
  source: "Why the event happens; the values are listed with the event.",
  reason: "Why it ended; the values are listed with the event.",
  stop_response: "The text of the answer; missing if it has none.",
  stop_hook_active: "`true` if this guard has sent the agent back since the last message of the user.",
  reasoning_content: "The thoughts of the model, if the provider shows them.",
  has_tool_calls: "`true` if the reply also calls tools; otherwise missing.",
  guard_retries: "How often this guard has sent the agent back since the last message of the user; missing if never.",
  max_guard_retries: "How often it may, at most.",
  prompt: "The message of the user.",
  steering_messages: "The queued messages, the oldest first.",
  parent_session_id: "The session that delegated; only for sub-agents.",
  notification_level: "How serious it is.",
  notification_message: "The text that the user reads.",
  from_agent: "The agent before the switch.",
  to_agent: "The agent after it.",
  agent_switch_kind: "How the agent changes; the values are listed with the event.",
  from_agent_models: "The models of the agent before the switch: `provider`, `model`, `base_url`, `unload_api`.",
  previous_max_iterations: "The limit that was reached.",
  new_max_iterations: "The limit that applies from now on.",
  approval_decision: "What was decided.",
  approval_source:
    "Who or what decided, such as `yolo`, `team_permissions_deny`, `pre_tool_use_hook_deny`, `user_approved`.",
  approval_reason: "Why; missing if the source says it all.",
  approval_hooks: "The hooks that gave the verdict: see [How hooks work](hooks.md#what-a-hook-reads).",
  safety_label:
    "`safe`, `destructive` or `unknown`: see [the labels](configuration.md#how-a-command-line-is-labelled).",
  usage:
    "The tokens of the model call, as the provider counts them: `input_tokens`, `output_tokens`, `cached_input_tokens`, `cached_write_tokens`, `reasoning_tokens`.",
  cost: "The price of the model call in US dollars; missing if the price of the model is unknown.",
  input_tokens: "The tokens of the last request; missing if not known.",
  output_tokens: "The tokens of the last answer; missing if not known.",
  context_limit: "The context window of the model, in tokens; missing if not known.",
  compaction_reason: "Why the conversation is compacted.",
  summary: "The summary; missing if only tool results were cut.",
  worktree_path: "The directory of the worktree, as an absolute path.",
  worktree_branch: "Its branch.",
  worktree_source_dir: "The directory in which the run was started.",
};

const COMMON = ["session_id", "cwd", "hook_event_name", "agent_name"] as const satisfies readonly FieldName[];

/** Returns the table of all fields, with the events that have them. */
export function fieldTable(): string[] {
  const names = Object.keys(FIELDS) as FieldName[];
  return [
    "| field | type | meaning |",
    "|---|---|---|",
    ...names
      .filter((name) => isCommon(name) || isInAnEvent(name))
      .map((name) => `| \`${name}\` | ${typeText(FIELDS[name])} | ${MEANINGS[name]} |`),
  ];
}

function isCommon(name: FieldName): boolean {
  return COMMON.some((common) => common === name);
}

function isInAnEvent(name: FieldName): boolean {
  return Object.values(EVENTS).some(({ fields }) => (fields as readonly FieldName[]).includes(name));
}

function typeText(shape: Shape): string {
  switch (shape.kind) {
    case "text":
      return "string";
    case "flag":
      return "boolean";
    case "whole":
      return "integer";
    case "choice":
      return shape.options.map((option) => `\`${option}\``).join(", ");
    case "list":
      return `list of ${shape.item.kind === "text" ? "strings" : "objects"}`;
    case "anything":
      return "any JSON value";
    case "number":
      return "number";
    default:
      return "object";
  }
}
