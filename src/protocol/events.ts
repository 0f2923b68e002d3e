/**
 * The contract of hooks: events, inputs, outputs, results. It does no I/O and reads no clock.
 *
 * @packageDocumentation
 */
import { once } from "../lib/once.ts";
import { nearest } from "../lib/text/nearest.ts";
import type { FieldName, FieldValues } from "./fields.ts";

/** A field of `hook_specific_output` that an event can accept. */
export type AnswerName =
  | "permission_decision"
  | "updated_input"
  | "updated_messages"
  | "updated_tool_response"
  | "updated_response"
  | "additional_context"
  | "summary"
  | "metadata"
  | "instruction_context"
  | "transition";

/** The capabilities of an event. */
export interface EventContract {
  /** `seed`: one of the original events; `later`: added since. */
  since: "seed" | "later";
  /** When it happens, in one sentence. */
  summary: string;
  /** The input's fields beyond `session_id`, `cwd`, `hook_event_name` and `agent_name`. */
  fields: readonly FieldName[];
  /** The documented values of `source`, `reason` and `agent_switch_kind`. Other values are accepted too. */
  values?: Partial<Record<FieldName, readonly string[]>>;
  /** The event is about one tool call: its hooks are in matcher groups on the tool name. */
  matcher: boolean;
  /** Its groups may be on the preempt lane (`preempt_yolo`). */
  preempt?: true;
  canBlock: boolean;
  /** A hook that gives no valid answer blocks, whatever its `on_error` says. */
  failClosed: boolean;
  /**
   * How answers are read, if not leniently: `strict` as with `strict_output: true`; `approval` so that only an explicit
   * `"continue": true` approves, and nothing else that a hook says is passed on.
   */
  reading?: "strict" | "approval";
  /** The message of a block, on an event that passes on nothing of what its hooks say. */
  rejection?: string;
  /** How the hooks of one dispatch run. */
  mode: "concurrent" | "staged" | "sequential";
  /** The input field that a hook may rewrite. */
  rewrites?: "tool_input" | "messages" | "tool_response" | "stop_response";
  /** The meaning of permission_decision: a verdict on the call, or an answer in place of the user. */
  verdict?: "decision" | "permission";
  /** Where additional_context goes; absent if the event takes no context. */
  context?: "persisted" | "transient" | "compaction" | "printed";
  /** The fields of `hook_specific_output` that the event accepts. */
  accepts: readonly AnswerName[];
}

const toolCall = [
  "tool_name",
  "tool_qualified_name",
  "tool_use_id",
  "tool_input",
  "tool_category",
  "tool_read_only",
  "safety_policy",
] as const;
const toolResponse = [...toolCall, "tool_response", "tool_error"] as const;
const compaction = ["input_tokens", "output_tokens", "context_limit", "compaction_reason"] as const;
const guard = ["guard_retries", "max_guard_retries", "parent_session_id"] as const;
const notification = ["notification_level", "notification_message"] as const;

const activation = ["invocation_id", "step_id", "input", "previous_output"] as const;

/** An event without a tool call that hooks can only observe. */
const observed = { matcher: false, canBlock: false, failClosed: false, mode: "concurrent", accepts: [] } as const;

/** An event about a text that the agent is about to follow. */
const contentGuard = { ...observed, since: "later", canBlock: true, failClosed: true, reading: "approval" } as const;

/** An event on which a hook may route to another agent. */
const routing = {
  ...observed,
  since: "later",
  canBlock: true,
  failClosed: true,
  reading: "strict",
  accepts: ["metadata", "transition"],
} as const;

/**
 * Every event and its contract, in canonical configuration order. Only this table says how events differ: types,
 * configuration keys, JSON Schema and documentation follow from it. See docs/design/contract.md#events.
 */
export const EVENTS = {
  pre_tool_use: {
    since: "seed",
    summary: "A tool call is about to run.",
    fields: toolCall,
    matcher: true,
    preempt: true,
    canBlock: true,
    failClosed: true,
    mode: "staged",
    rewrites: "tool_input",
    verdict: "decision",
    accepts: ["permission_decision", "updated_input", "metadata"],
  },
  post_tool_use: {
    since: "seed",
    summary: "A tool call has completed, successfully or not.",
    fields: toolResponse,
    matcher: true,
    canBlock: true,
    failClosed: false,
    mode: "concurrent",
    context: "transient",
    accepts: ["additional_context"],
  },
  permission_request: {
    since: "seed",
    summary: "The user is about to be asked to approve a tool call.",
    fields: toolCall,
    matcher: true,
    canBlock: true,
    failClosed: false,
    mode: "concurrent",
    verdict: "permission",
    accepts: ["permission_decision", "metadata"],
  },
  session_start: {
    ...observed,
    since: "seed",
    summary: "A session starts or resumes.",
    fields: ["source"],
    values: { source: ["startup", "resume", "clear", "compact"] },
    context: "persisted",
    accepts: ["additional_context", "instruction_context"],
  },
  user_prompt_submit: {
    ...observed,
    since: "seed",
    summary: "The user has submitted a message; no model call has been made for it yet.",
    fields: ["prompt"],
    canBlock: true,
    context: "transient",
    accepts: ["additional_context"],
  },
  user_steering_messages_submit: {
    ...observed,
    since: "later",
    summary: "The agent has taken up messages that the user queued while it worked.",
    fields: ["steering_messages"],
    canBlock: true,
    context: "transient",
    accepts: ["additional_context"],
  },
  user_followup_submit: {
    ...observed,
    since: "later",
    summary: "A follow-up message that the user queued starts a new turn.",
    fields: ["prompt"],
    canBlock: true,
    context: "transient",
    accepts: ["additional_context"],
  },
  turn_start: {
    ...observed,
    since: "seed",
    summary: "A turn starts; the messages for the model are not final yet.",
    fields: [],
    context: "transient",
    accepts: ["additional_context", "instruction_context"],
  },
  turn_end: {
    ...observed,
    since: "seed",
    summary: "A turn has ended, for any reason.",
    fields: ["reason"],
    values: {
      reason: [
        "normal",
        "continue",
        "steered",
        "error",
        "canceled",
        "hook_blocked",
        "loop_detected",
        "force_handoff",
        "budget_exceeded",
      ],
    },
  },
  before_llm_call: {
    ...observed,
    since: "seed",
    summary: "The model is about to be called.",
    fields: ["iteration", "model_id", "messages"],
    canBlock: true,
    mode: "staged",
    rewrites: "messages",
    accepts: ["updated_messages"],
  },
  after_llm_call: {
    ...observed,
    since: "seed",
    summary: "The model has answered; the answer has not been recorded or acted on yet.",
    fields: ["stop_response", "last_user_message", "model_id", "usage", "cost"],
  },
  session_end: {
    ...observed,
    since: "seed",
    summary: "A session ends.",
    fields: ["reason"],
    values: { reason: ["clear", "logout", "prompt_input_exit", "other"] },
  },
  pre_compact: {
    ...observed,
    since: "seed",
    summary: "The conversation is about to be compacted.",
    fields: ["source"],
    values: { source: ["manual", "auto", "overflow", "tool_overflow"] },
    canBlock: true,
    context: "compaction",
    accepts: ["additional_context"],
  },
  subagent_stop: {
    ...observed,
    since: "seed",
    summary: "The run of a sub-agent has finished, successfully or not.",
    fields: ["parent_session_id", "stop_response"],
  },
  on_user_input: {
    ...observed,
    since: "seed",
    summary: "The agent starts waiting for the user.",
    fields: [],
  },
  stop: {
    ...observed,
    since: "seed",
    summary: "The model has finished its response.",
    fields: ["stop_response", "last_user_message"],
    context: "transient",
    accepts: ["additional_context"],
  },
  notification: {
    ...observed,
    since: "seed",
    summary: "The agent reports an error or a warning.",
    fields: notification,
  },
  on_error: {
    ...observed,
    since: "seed",
    summary: "An error occurred in a run.",
    fields: notification,
  },
  on_max_iterations: {
    ...observed,
    since: "seed",
    summary: "The configured max_iterations has been reached.",
    fields: notification,
  },
  on_agent_switch: {
    ...observed,
    since: "seed",
    summary: "The active agent changes.",
    fields: ["from_agent", "to_agent", "agent_switch_kind", "from_agent_models"],
    values: { agent_switch_kind: ["transfer_task", "transfer_task_return", "handoff", "force_handoff", "route"] },
  },
  on_session_resume: {
    ...observed,
    since: "seed",
    summary: "The user has approved continuing beyond max_iterations.",
    fields: ["previous_max_iterations", "new_max_iterations"],
  },
  on_tool_approval_decision: {
    ...observed,
    since: "seed",
    summary: "It has been decided whether a tool call runs.",
    fields: [...toolCall, "approval_decision", "approval_source", "approval_reason", "approval_hooks", "safety_label"],
  },
  before_compaction: {
    ...observed,
    since: "seed",
    summary: "The conversation is about to be compacted, and no pre_compact hook has blocked that.",
    fields: compaction,
    canBlock: true,
    accepts: ["summary"],
  },
  after_compaction: {
    ...observed,
    since: "seed",
    summary:
      "A summary has replaced the older part of the conversation; without `summary`, only tool results were cut.",
    fields: [...compaction, "summary"],
  },
  tool_response_transform: {
    since: "seed",
    summary: "A tool has responded; nothing else has seen the response yet.",
    fields: toolResponse,
    matcher: true,
    canBlock: false,
    failClosed: false,
    mode: "staged",
    rewrites: "tool_response",
    accepts: ["updated_tool_response"],
  },
  tool_input_transform: {
    since: "later",
    summary: "A tool call has arrived; no guard or rule has seen it yet.",
    fields: toolCall,
    matcher: true,
    canBlock: true,
    failClosed: false,
    mode: "sequential",
    rewrites: "tool_input",
    accepts: ["updated_input"],
  },
  tool_guard: {
    since: "later",
    summary: "A tool call is about to be judged, in every approval mode.",
    fields: toolCall,
    matcher: true,
    canBlock: true,
    failClosed: true,
    mode: "concurrent",
    verdict: "decision",
    accepts: ["permission_decision", "metadata"],
  },
  worktree_create: {
    ...observed,
    since: "later",
    summary: "A run has made a git worktree (--worktree); its session does not exist yet. A block ends the run.",
    fields: ["worktree_path", "worktree_branch", "worktree_source_dir"],
    canBlock: true,
    context: "printed",
    accepts: ["additional_context"],
  },
  stop_guard: {
    ...observed,
    since: "later",
    summary: "The agent is about to end its turn. A block sends it back to work.",
    fields: ["stop_response", "last_user_message", "stop_hook_active", ...guard],
    canBlock: true,
  },
  response_guard: {
    ...observed,
    since: "later",
    summary: "The model has answered; nothing has shown, stored or used the answer yet.",
    fields: ["stop_response", "reasoning_content", "has_tool_calls", "last_user_message", "model_id", ...guard],
    canBlock: true,
    failClosed: true,
    mode: "staged",
    rewrites: "stop_response",
    accepts: ["updated_response"],
  },
  skill_content_guard: {
    ...contentGuard,
    summary: "A text of a skill has been read; nothing has used it yet.",
    rejection: "skill content rejected by policy",
    fields: ["skill"],
  },
  prompt_file_guard: {
    ...contentGuard,
    summary: "A file has been loaded for the prompt; the model has not seen it yet.",
    rejection: "prompt file rejected by policy",
    fields: ["source", "prompt_file"],
    values: { source: ["loaded", "stored", "update"] },
  },
  before_agent_run: {
    ...routing,
    summary: "An agent is about to work on a request. A hook may route to another agent.",
    fields: [...activation, "conversation"],
  },
  after_agent_complete: {
    ...routing,
    summary: "An agent has answered a request. A hook may route to another agent, which goes on.",
    fields: [...activation, "output", "conversation"],
  },
} as const satisfies Record<string, EventContract>;

/** The name of an event. */
export type EventName = keyof typeof EVENTS;

/** Every event name in canonical order. */
export const EVENT_NAMES: readonly EventName[] = Object.keys(EVENTS) as EventName[];

/** True if the text is the name of an event. */
export function isEventName(name: string): name is EventName {
  return Object.hasOwn(EVENTS, name);
}

/** The message for an unknown event name, with the closest known name. */
export function unknownEvent(name: string): string {
  const close = nearest(name, EVENT_NAMES);
  return `unknown hook event ${JSON.stringify(name)}${close ? `, did you mean ${close}?` : ""}`;
}

/** The contract of an event. */
export function contractOf(event: EventName): EventContract {
  return EVENTS[event];
}

/** Every event with its contract, in canonical order. */
export function allContracts(): { event: EventName; contract: EventContract }[] {
  return EVENT_NAMES.map((event) => ({ event, contract: contractOf(event) }));
}

/**
 * A lane of an event: hooks of a `preempt_yolo` group run before the permission rules, all others after them. Only
 * `pre_tool_use` has a preempt lane.
 */
export type Lane = "default" | "preempt";

/** The lanes of an event in the order in which they run. */
export function lanesOf(event: EventName): readonly Lane[] {
  return contractOf(event).preempt ? ["preempt", "default"] : ["default"];
}

const preemptContract = once(
  (): EventContract => ({
    ...EVENTS.pre_tool_use,
    mode: "concurrent",
    accepts: EVENTS.pre_tool_use.accepts.filter((name) => name !== "updated_input"),
  }),
);

/** The contract of an event on a lane: the preempt lane applies no rewrites and runs concurrently. */
export function laneContract(event: EventName, lane: Lane): EventContract {
  if (lane === "default") return contractOf(event);
  const { rewrites: _none, ...contract } = preemptContract();
  return contract;
}

/**
 * True for the six original events that take context: on them, text that is not valid JSON is context even if it starts
 * with `{`.
 */
export function takesMalformedText(contract: EventContract): boolean {
  return contract.since === "seed" && contract.context !== undefined;
}

/** The fields that every input has. */
export type CommonField = "session_id" | "cwd" | "hook_event_name";

/** The fields that an event requires: the name of the tool decides which hooks run. */
type RequiredField<E extends EventName> = (typeof EVENTS)[E] extends { matcher: true } ? "tool_name" : never;

/** The input of an event: the common fields, the agent's name, and the fields its contract names. */
export type EventInput<E extends EventName = EventName> = E extends EventName
  ? Pick<FieldValues, "session_id" | "cwd" | RequiredField<E>> & { hook_event_name: E } & Partial<
        Pick<FieldValues, "agent_name" | Exclude<(typeof EVENTS)[E]["fields"][number], CommonField | RequiredField<E>>>
      >
  : never;

/** The payload of a dispatch: the input without the fields that the executor fills in. */
export type EventPayload<E extends EventName> = E extends EventName
  ? Omit<EventInput<E>, CommonField> & { session_id?: string; cwd?: string }
  : never;
