import * as v from "valibot";
import { jsonObject } from "../lib/schema.ts";

const text = v.string();
const flag = v.boolean();
const count = v.pipe(v.number(), v.integer());

/** A model endpoint of the agent that is being left (`on_agent_switch`). */
export const ModelEndpointSchema = v.looseObject({
  provider: v.optional(text),
  model: v.optional(text),
  base_url: v.optional(text),
  unload_api: v.optional(text),
});

/** See {@link ModelEndpointSchema}. */
export type ModelEndpoint = v.InferOutput<typeof ModelEndpointSchema>;

/** A part of a message: text, an image by URL, or another kind that passes through unchanged. */
export const MessagePartSchema = v.looseObject({
  type: text,
  text: v.optional(text),
  image_url: v.optional(v.looseObject({ url: text, detail: v.optional(text) })),
});

/** A message of a conversation as hooks see it; unknown keys survive a round trip. Source: hooks 2.6. */
export const MessageSchema = v.looseObject({
  role: v.picklist(["system", "user", "assistant", "tool"]),
  content: v.optional(text),
  multi_content: v.optional(v.array(MessagePartSchema)),
  reasoning_content: v.optional(text),
  thinking_signature: v.optional(text),
  thought_signature: v.optional(text),
  function_call: v.optional(v.looseObject({ name: text, arguments: text })),
  tool_calls: v.optional(
    v.array(v.looseObject({ id: text, type: v.optional(text), function: v.looseObject({ name: text, arguments: text }) })),
  ),
  tool_call_id: v.optional(text),
  is_error: v.optional(flag),
});

/** See {@link MessageSchema}. */
export type Message = v.InferOutput<typeof MessageSchema>;

/** Tokens of one model call. */
export const UsageSchema = v.looseObject({
  input_tokens: v.optional(count),
  output_tokens: v.optional(count),
  cached_input_tokens: v.optional(count),
  cached_write_tokens: v.optional(count),
  reasoning_tokens: v.optional(count),
});

/** A hook that gave a verdict: which one, where it is configured (`file:line` or a flag), how it ended and how long it took. */
export const DecidingHookSchema = v.looseObject({
  event: text,
  name: text,
  type: text,
  source: text,
  outcome: text,
  duration_ms: v.number(),
  exit_code: v.optional(count),
  message: v.optional(text),
});

/** See {@link DecidingHookSchema}. */
export type DecidingHook = v.InferOutput<typeof DecidingHookSchema>;

/**
 * Every field an input can carry, by its wire name, with its schema. An event's contract picks from here; a field that
 * an event does not carry is absent from its input, never null.
 *
 * Source: hooks 2.4.
 */
export const FIELDS = {
  session_id: text,
  cwd: text,
  hook_event_name: text,
  agent_name: text,
  model_id: text,
  iteration: count,
  last_user_message: text,
  tool_name: text,
  tool_qualified_name: text,
  tool_category: text,
  tool_use_id: text,
  tool_input: jsonObject,
  tool_read_only: flag,
  safety_policy: text,
  tool_response: v.unknown(),
  tool_error: flag,
  messages: v.array(MessageSchema),
  source: text,
  reason: text,
  stop_response: text,
  prompt: text,
  steering_messages: v.array(text),
  parent_session_id: text,
  notification_level: v.picklist(["error", "warning"]),
  notification_message: text,
  from_agent: text,
  to_agent: text,
  agent_switch_kind: text,
  from_agent_models: v.array(ModelEndpointSchema),
  previous_max_iterations: count,
  new_max_iterations: count,
  approval_decision: v.picklist(["allow", "deny", "canceled"]),
  approval_source: text,
  approval_reason: text,
  approval_hooks: v.array(DecidingHookSchema),
  safety_label: text,
  usage: UsageSchema,
  cost: v.number(),
  input_tokens: count,
  output_tokens: count,
  context_limit: count,
  compaction_reason: v.picklist(["threshold", "overflow", "manual"]),
  summary: text,
  worktree_path: text,
  worktree_branch: text,
  worktree_source_dir: text,
} as const;

/** The wire name of an input field. */
export type FieldName = keyof typeof FIELDS;

/** The value of an input field. */
export type FieldValue<F extends FieldName> = v.InferOutput<(typeof FIELDS)[F]>;
