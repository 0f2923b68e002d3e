import {
  anyObject,
  anything,
  choice,
  flag,
  list,
  number,
  object,
  type Shape,
  type ShapeValue,
  text,
  wholeNumber,
} from "../lib/schema/shape.ts";

/** A model endpoint of the previous agent (`on_agent_switch`). */
export const MODEL_ENDPOINT = object({}, { provider: text, model: text, base_url: text, unload_api: text });

/** See {@link MODEL_ENDPOINT}. */
export type ModelEndpoint = ShapeValue<typeof MODEL_ENDPOINT>;

/** A part of a message: text, an image by URL, or another kind, which passes through unchanged. */
const MESSAGE_PART = object({ type: text }, { text, image_url: object({ url: text }, { detail: text }) });

const CALLED_FUNCTION = object({ name: text, arguments: text }, {});

/** The roles of messages. `developer` is the `system` role of newer OpenAI models. */
const ROLES = ["system", "developer", "user", "assistant", "tool"] as const;

/** A message of a conversation as hooks see it. Unknown keys survive a round trip. */
export const MESSAGE = object(
  { role: choice(ROLES) },
  {
    content: text,
    multi_content: list(MESSAGE_PART),
    reasoning_content: text,
    thinking_signature: text,
    thought_signature: text,
    function_call: CALLED_FUNCTION,
    tool_calls: list(object({ id: text, function: CALLED_FUNCTION }, { type: text })),
    tool_call_id: text,
    is_error: flag,
  },
);

/** See {@link MESSAGE}. */
export type Message = ShapeValue<typeof MESSAGE>;

/** The token counts of one model call. */
export const USAGE = object(
  {},
  {
    input_tokens: wholeNumber,
    output_tokens: wholeNumber,
    cached_input_tokens: wholeNumber,
    cached_write_tokens: wholeNumber,
    reasoning_tokens: wholeNumber,
  },
);

/** A hook that gave a verdict. `source` is where it is configured: `file:line` or a flag. */
export const DECIDING_HOOK = object(
  { event: text, name: text, type: text, source: text, outcome: text, duration_ms: number },
  { exit_code: wholeNumber, message: text },
);

/** See {@link DECIDING_HOOK}. */
export type DecidingHook = ShapeValue<typeof DECIDING_HOOK>;

/**
 * Every field of an input, by wire name, with its shape. The contract of an event names the fields that it has; all
 * others are absent from its input, never null.
 */
export const FIELDS = {
  session_id: text,
  cwd: text,
  hook_event_name: text,
  agent_name: text,
  model_id: text,
  iteration: wholeNumber,
  last_user_message: text,
  tool_name: text,
  tool_qualified_name: text,
  tool_category: text,
  tool_use_id: text,
  tool_input: anyObject,
  tool_read_only: flag,
  safety_policy: text,
  tool_response: anything,
  tool_error: flag,
  messages: list(MESSAGE),
  source: text,
  reason: text,
  stop_response: text,
  stop_hook_active: flag,
  reasoning_content: text,
  has_tool_calls: flag,
  guard_retries: wholeNumber,
  max_guard_retries: wholeNumber,
  prompt: text,
  steering_messages: list(text),
  parent_session_id: text,
  notification_level: choice(["error", "warning"]),
  notification_message: text,
  from_agent: text,
  to_agent: text,
  agent_switch_kind: text,
  from_agent_models: list(MODEL_ENDPOINT),
  previous_max_iterations: wholeNumber,
  new_max_iterations: wholeNumber,
  approval_decision: choice(["allow", "deny", "canceled"]),
  approval_source: text,
  approval_reason: text,
  approval_hooks: list(DECIDING_HOOK),
  safety_label: text,
  usage: USAGE,
  cost: number,
  input_tokens: wholeNumber,
  output_tokens: wholeNumber,
  context_limit: wholeNumber,
  compaction_reason: choice(["threshold", "overflow", "manual"]),
  summary: text,
  worktree_path: text,
  worktree_branch: text,
  worktree_source_dir: text,
} as const satisfies Readonly<Record<string, Shape>>;

/** The wire name of an input field. */
export type FieldName = keyof typeof FIELDS;

/** The value of an input field. */
export type FieldValue<F extends FieldName> = ShapeValue<(typeof FIELDS)[F]>;
