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

/** A text of a skill. `path` is missing for a skill that an agent file contains. */
export const SKILL_TEXT = object({}, { name: text, source: text, path: text, content: text });

/** A text that `add_prompt_files` has loaded. `path` is missing if it does not come from one file. */
export const PROMPT_FILE = object({}, { path: text, content: text });

/** What the user typed, or what an agent answered, as routing hooks see it. */
export const CONVERSATION_ITEM = object({ role: text, content: text }, {});

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

export type DecidingHook = ShapeValue<typeof DECIDING_HOOK>;

/**
 * Every field of an input, by wire name, with its shape. The contract of an event names the fields that it has; all
 * others are absent from its input, never null.
 */
export const FIELDS = {
  /** The session; `dispatch-UUID` if the caller of `hooksh dispatch` gives none. */
  session_id: text,
  /** The working directory of the session, as an absolute path. */
  cwd: text,
  /** The name of the event. */
  hook_event_name: text,
  /** The agent in the agent file. Events of other agents have it only for their sub-agents, if the agent names them. */
  agent_name: text,
  /** The model, as `provider/model`. */
  model_id: text,
  /** The number of the model call since the last message of the user, from 1. */
  iteration: wholeNumber,
  /** The text of the newest message of the user. */
  last_user_message: text,
  /** The name of the tool, which matchers match. */
  tool_name: text,
  /** `mcp:SERVER:TOOL`, for tools of MCP servers only. Matchers match it too. */
  tool_qualified_name: text,
  /** The group of the tool, such as `shell` or `filesystem`. */
  tool_category: text,
  /** The same in all events of one call. */
  tool_use_id: text,
  /** The arguments of the call, after the rewrites so far; missing if the call has none. */
  tool_input: anyObject,
  /** `true` if the tool declares that it changes nothing; otherwise missing. */
  tool_read_only: flag,
  /** The safety mode: `strict`, `plan`, `accept-edits`, `balanced`, `restricted` or `autonomous` (`--yolo`); missing if none is set. */
  safety_policy: text,
  /** What the tool answered: in `hooksh run` always a string, from other agents often an object. */
  tool_response: anything,
  /** `true` if the call failed or did not run; otherwise missing. */
  tool_error: flag,
  /** The conversation that is about to be sent. */
  messages: list(MESSAGE),
  /** Why the event happens; the values are listed with the event. */
  source: text,
  /** Why it ended; the values are listed with the event. */
  reason: text,
  /** The text of the answer; missing if it has none. */
  stop_response: text,
  /** `true` if this guard has sent the agent back since the last message of the user. */
  stop_hook_active: flag,
  /** The thoughts of the model, if the provider shows them. */
  reasoning_content: text,
  /** `true` if the reply also calls tools; otherwise missing. */
  has_tool_calls: flag,
  /** How often this guard has sent the agent back since the last message of the user; missing if never. */
  guard_retries: wholeNumber,
  /** How often it may, at most. */
  max_guard_retries: wholeNumber,
  /** The message of the user. */
  prompt: text,
  /** The queued messages, the oldest first. */
  steering_messages: list(text),
  /** The session that delegated; only for sub-agents. */
  parent_session_id: text,
  /** How serious it is. */
  notification_level: choice(["error", "warning"]),
  /** The text that the user reads. */
  notification_message: text,
  /** The agent before the switch. */
  from_agent: text,
  /** The agent after it. */
  to_agent: text,
  /** How the agent changes; the values are listed with the event. */
  agent_switch_kind: text,
  /** The models of the agent before the switch: `provider`, `model`, `base_url`, `unload_api`. */
  from_agent_models: list(MODEL_ENDPOINT),
  /** The limit that was reached. */
  previous_max_iterations: wholeNumber,
  /** The limit that applies from now on. */
  new_max_iterations: wholeNumber,
  /** What was decided. */
  approval_decision: choice(["allow", "deny", "canceled"]),
  /** Who or what decided, such as `yolo`, `team_permissions_deny`, `pre_tool_use_hook_deny`, `user_approved`. */
  approval_source: text,
  /** Why; missing if the source says it all. */
  approval_reason: text,
  /** The hooks that gave the verdict. */
  approval_hooks: list(DECIDING_HOOK),
  /** `safe`, `destructive` or `unknown`. */
  safety_label: text,
  /**
   * The tokens of the model call, as the provider counts them: `input_tokens`, `output_tokens`, `cached_input_tokens`,
   * `cached_write_tokens`, `reasoning_tokens`.
   */
  usage: USAGE,
  /** The price of the model call in US dollars; missing if the price of the model is unknown. */
  cost: number,
  /** The tokens of the last request; missing if not known. */
  input_tokens: wholeNumber,
  /** The tokens of the last answer; missing if not known. */
  output_tokens: wholeNumber,
  /** The context window of the model, in tokens; missing if not known. */
  context_limit: wholeNumber,
  /** Why the conversation is compacted. */
  compaction_reason: choice(["threshold", "overflow", "manual"]),
  /** The summary; missing if only tool results were cut. */
  summary: text,
  /** The directory of the worktree, as an absolute path. */
  worktree_path: text,
  /** Its branch. */
  worktree_branch: text,
  /** The directory in which the run was started. */
  worktree_source_dir: text,
  /**
   * The text of a skill: `name`, `source` (`local`, `remote` or `inline`), `path` (missing if inline) and `content`, the
   * whole text with its front matter.
   */
  skill: SKILL_TEXT,
  /** The loaded text: `path` (missing if the text is not from a single file), and `content` as the prompt would have it. */
  prompt_file: PROMPT_FILE,
  /** The request of the user; the same for all agents that work on it. */
  invocation_id: text,
  /** The number of the agent that works on the request: `step-1`, `step-2` and so on. */
  step_id: text,
  /** The text of the user's request. */
  input: text,
  /** The answer of the agent that worked on the request before; missing for the first. */
  previous_output: text,
  /** The answer of the agent. */
  output: text,
  /** At most ten messages before the request, the oldest first: what the user typed and agents answered. */
  conversation: list(CONVERSATION_ITEM),
} as const satisfies Readonly<Record<string, Shape>>;

/** The wire name of an input field. */
export type FieldName = keyof typeof FIELDS;

/** The values of all fields. A mapped type over the keys themselves keeps their comments for editors. */
export type FieldValues = { -readonly [F in keyof typeof FIELDS]: ShapeValue<(typeof FIELDS)[F]> };
