import * as v from "valibot";
import { schemaFromShape } from "../../lib/schema/schema-from-shape.ts";
import { DECIDING_HOOK } from "../../protocol/fields.ts";
import { RoutingDecisionSchema } from "../session/routing-decision.ts";

const text = v.string();
const count = v.pipe(v.number(), v.integer());
const anyObject = v.record(text, v.unknown());

/** Tokens of one model call. */
const usage = v.looseObject({
  input_tokens: v.optional(count),
  output_tokens: v.optional(count),
  cached_input_tokens: v.optional(count),
  cached_write_tokens: v.optional(count),
  reasoning_tokens: v.optional(count),
});

const toolCall = v.object({
  id: text,
  type: v.literal("function"),
  function: v.object({ name: text, arguments: text }),
});

/** A tool as run events show it. */
const toolDefinition = v.object({
  name: text,
  description: v.optional(text),
  parameters: v.optional(anyObject),
  category: v.optional(text),
  read_only: v.optional(v.boolean()),
});

const lastMessage = v.object({
  ...usage.entries,
  cost: v.optional(v.number()),
  model: text,
  finish_reason: text,
});

/** The size and the cost of a conversation. */
const usageReport = v.object({
  input_tokens: count,
  output_tokens: count,
  context_length: count,
  context_limit: count,
  /** Set if the provider reported no tokens, so the counts are estimates. */
  estimated: v.optional(v.literal(true)),
  /** US dollars; null if nothing of it is known. */
  cost: v.nullable(v.number()),
  compaction_threshold: v.optional(v.number()),
  last_message: v.optional(lastMessage),
});

/** The kind of failure that an `error` event reports. */
const errorCode = v.picklist([
  "context_exceeded",
  "request_too_large",
  "media_too_large",
  "rate_limited",
  "model_error",
  "tool_failed",
  "hook_blocked",
  "loop_detected",
]);

export type ErrorCode = v.InferOutput<typeof errorCode>;

/**
 * How a tool call ended. `completed` and `failed` calls have run; all others have not. `blocked` by a hook; `denied` by
 * a permission rule or the safety mode; `refused` because there is no terminal for the question; `rejected` by the
 * user; `skipped` because a hook ended the run before it.
 */
export const CALL_OUTCOMES = [
  "completed",
  "failed",
  "blocked",
  "denied",
  "refused",
  "rejected",
  "unknown_tool",
  "malformed_arguments",
  "canceled",
  "skipped",
] as const;

export type CallOutcome = (typeof CALL_OUTCOMES)[number];

/** Why a run ended. */
export const END_REASONS = ["answered", "error", "limit", "interrupted", "output_closed"] as const;

/** The hooks that gave a verdict, in configuration order. */
const decidingHooks = v.optional(v.array(schemaFromShape(DECIDING_HOOK)));

/** The arguments of a call as the model wrote them, without secrets, and the hooks that changed them; absent if none did. */
const rewritten = v.optional(v.object({ arguments: text, hooks: v.array(schemaFromShape(DECIDING_HOOK)) }));

/** Everything that a run reports, by type. */
export const RUN_EVENTS = {
  user_message: v.object({ type: v.literal("user_message"), message: text, session_id: text, session_position: count }),
  stream_started: v.object({ type: v.literal("stream_started"), session_id: text }),
  stream_stopped: v.object({ type: v.literal("stream_stopped"), session_id: text, reason: text }),
  agent_choice: v.object({ type: v.literal("agent_choice"), content: text, session_id: text }),
  agent_choice_reasoning: v.object({ type: v.literal("agent_choice_reasoning"), content: text, session_id: text }),
  partial_tool_call: v.object({
    type: v.literal("partial_tool_call"),
    tool_call: toolCall,
    tool_definition: v.optional(toolDefinition),
  }),
  tool_call: v.object({
    type: v.literal("tool_call"),
    tool_call: toolCall,
    tool_definition: toolDefinition,
    rewritten,
  }),
  tool_call_confirmation: v.object({
    type: v.literal("tool_call_confirmation"),
    tool_call: toolCall,
    tool_definition: toolDefinition,
    metadata: v.record(text, text),
    hooks: decidingHooks,
    rewritten,
  }),
  tool_call_output: v.object({
    type: v.literal("tool_call_output"),
    tool_call_id: text,
    tool_definition: toolDefinition,
    output: text,
  }),
  tool_call_response: v.object({
    type: v.literal("tool_call_response"),
    tool_call_id: text,
    tool_definition: toolDefinition,
    response: text,
    result: v.object({ output: text, is_error: v.optional(v.boolean()) }),
    /** The call, unless it succeeded. */
    tool_call: v.optional(toolCall),
    outcome: v.picklist(CALL_OUTCOMES),
    /** Why the call did not run; absent if the response gives the reason. */
    reason: v.optional(text),
    /** How the user can allow such a call. */
    hint: v.optional(text),
    hooks: decidingHooks,
    /** Only of a call that did not run: `tool_call` has it for the others. */
    rewritten,
  }),
  hook_started: v.object({
    type: v.literal("hook_started"),
    session_id: text,
    hook_event: text,
    /** The names of the configured hooks that run, without secrets; absent if none matches. */
    hooks: v.optional(v.array(text)),
  }),
  hook_finished: v.object({
    type: v.literal("hook_finished"),
    session_id: text,
    hook_event: text,
    duration_ms: v.number(),
    allowed: v.boolean(),
    decision: v.optional(text),
    message: v.optional(text),
    hooks: decidingHooks,
    /** How many secrets hooks replaced, by kind. */
    redacted: v.optional(v.record(text, count)),
  }),
  hook_blocked: v.object({
    type: v.literal("hook_blocked"),
    tool_call: toolCall,
    tool_definition: toolDefinition,
    message: text,
    hooks: decidingHooks,
    rewritten,
  }),
  message_added: v.object({ type: v.literal("message_added"), session_id: text }),
  token_usage: v.object({ type: v.literal("token_usage"), session_id: text, usage: usageReport }),
  evaluation_usage: v.object({
    type: v.literal("evaluation_usage"),
    session_id: text,
    evaluation: v.object({
      id: text,
      evaluator: text,
      agent_name: text,
      /** The model that answered, else the one that was asked. */
      model: text,
      /** Absent unless the service reported both counts. */
      usage: v.optional(v.object({ input_tokens: count, output_tokens: count })),
      /** US dollars; absent if unknown. */
      cost: v.optional(v.number()),
      created_at: text,
    }),
  }),
  error: v.object({
    type: v.literal("error"),
    session_id: text,
    error: text,
    code: v.optional(errorCode),
    hooks: decidingHooks,
  }),
  warning: v.object({ type: v.literal("warning"), message: text, hook_event: v.optional(text) }),
  model_fallback: v.object({
    type: v.literal("model_fallback"),
    failed_model: text,
    fallback_model: text,
    reason: text,
    attempt: count,
    max_attempts: count,
  }),
  /** Every model of the agent has failed, and a busy one is called again after `wait_ms`. */
  model_waiting: v.object({
    type: v.literal("model_waiting"),
    session_id: text,
    model: text,
    reason: text,
    /** The HTTP status; 0 if the error came inside a stream. */
    status: count,
    wait_ms: count,
    waited_ms: count,
    max_wait_ms: count,
  }),
  /** A hook routed to another agent, or a forced handoff took place in a routed conversation. */
  agent_route: v.object({
    type: v.literal("agent_route"),
    session_id: text,
    ...v.pick(RoutingDecisionSchema, [
      "invocation_id",
      "step_id",
      "phase",
      "from_agent",
      "evaluator",
      "selected",
      "probability",
      "model",
      "fallback_reason",
    ]).entries,
    to_agent: text,
    metadata: v.optional(v.record(text, text)),
  }),
  routing_decision: v.object({
    type: v.literal("routing_decision"),
    session_id: text,
    decision: RoutingDecisionSchema,
  }),
  /** The model call failed and is repeated: what this answer has streamed so far is void. */
  model_restarted: v.object({ type: v.literal("model_restarted"), session_id: text, model: text }),
  budget_exceeded: v.object({ type: v.literal("budget_exceeded"), budget: text, message: text }),
  max_iterations_reached: v.object({ type: v.literal("max_iterations_reached"), max_iterations: count }),
  session_compaction: v.object({
    type: v.literal("session_compaction"),
    session_id: text,
    status: v.picklist(["started", "completed"]),
    outcome: v.optional(v.picklist(["applied", "skipped", "failed"])),
    /** What the summary replaced, and its size, in estimated tokens; absent if only tool results were cut. */
    replaced_messages: v.optional(count),
    replaced_tokens: v.optional(count),
    summary_tokens: v.optional(count),
  }),
  session_summary: v.object({
    type: v.literal("session_summary"),
    session_id: text,
    summary: text,
    first_kept_entry: count,
    cost: v.optional(v.number()),
    model: v.optional(text),
    usage: v.optional(usage),
  }),
  agent_info: v.object({
    type: v.literal("agent_info"),
    model: text,
    description: text,
    welcome_message: v.optional(text),
    context_limit: count,
  }),
  team_info: v.object({ type: v.literal("team_info"), available_agents: v.array(text), current_agent: text }),
  agent_switching: v.object({
    type: v.literal("agent_switching"),
    switching: v.boolean(),
    from_agent: text,
    to_agent: text,
  }),
  toolset_info: v.object({ type: v.literal("toolset_info"), available_tools: count, loading: v.boolean() }),
  sub_session_completed: v.object({
    type: v.literal("sub_session_completed"),
    parent_session_id: text,
    sub_session: v.object({ id: text, title: text, agent_name: text }),
  }),
  /** The last event: how the run ended, and what it used. Also printed if the run could not start. */
  run_ended: v.object({
    type: v.literal("run_ended"),
    exit_code: count,
    reason: v.picklist(END_REASONS),
    session_id: v.optional(text),
    /** The answer to the last message, unless the run ended without one. */
    answer: v.optional(text),
    /** The first error. */
    error: v.optional(text),
    limit: v.optional(v.object({ flag: text, message: text })),
    duration_ms: count,
    /** Model turns, those of sub-agents included. */
    turns: count,
    /** US dollars; null if nothing of it is known. */
    cost: v.nullable(v.number()),
    /** Models whose calls are not part of `cost`, because they have no price or reported no tokens. */
    unpriced_models: v.optional(v.array(text)),
    usage,
    /** How many tool calls ended with each outcome. */
    calls: v.record(text, count),
    /** The calls that were blocked, denied or refused; at most 1000. */
    denied: v.array(
      v.object({
        tool: text,
        /** The call on one line; long arguments are cut. */
        call: text,
        agent_name: v.optional(text),
        outcome: v.picklist(CALL_OUTCOMES),
        reason: v.optional(text),
        hint: v.optional(text),
        hooks: decidingHooks,
      }),
    ),
  }),
} as const;

export type RunEventType = keyof typeof RUN_EVENTS;

/** A run event without the fields that the runtime adds to all of them. */
export type RunEventBody = { [T in RunEventType]: v.InferOutput<(typeof RUN_EVENTS)[T]> }[RunEventType];

/**
 * A run event: what happened, when (RFC 3339), the agent it concerns, and the task if that agent works in the
 * background.
 */
export type RunEvent = RunEventBody & { timestamp: string; agent_name?: string; background_task?: string };
