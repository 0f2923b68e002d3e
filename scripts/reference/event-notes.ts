import type { EventName } from "../../src/protocol/events.ts";

/** When exactly `hooksh run` fires each event, and what its answers do beyond the example. See src/runtime. */
export const EVENT_NOTES: Readonly<Record<EventName, string>> = {
  pre_tool_use:
    "Fires for every call that the stages before it have not denied: [rules](rules.md), `tool_guard`, the permission rules and the safety mode. Hooks of a " +
    "group with `preempt_yolo: true` run before the permission rules. `deny` stops the call, whatever else allows it. `allow` lets it run without " +
    "a question, unless a rule or another hook asks. `ask` asks the user in every mode, `--yolo` included; only a grant that the user gave " +
    "in this session, or `--ask allow`, answers it. A model that judges is not asked about a call that a rule of `permissions.allow` covers. " +
    "If hooks change the arguments, rules, `tool_guard`, the hooks with `preempt_yolo` and the permission rules judge the call again.",
  post_tool_use:
    "Fires after a tool has run, once `tool_response_transform` is done. It does not fire for a call that did not run, nor for " +
    "`transfer_task` and `handoff`. A block ends the run with the error `hook_blocked`; the effect of the call stays.",
  permission_request:
    "Fires for a call that neither rules, the safety mode nor hooks have decided, or about which a rule or a `pre_tool_use` hook asks, " +
    "even without a terminal. It does not fire if a `tool_guard` or a hook with `preempt_yolo` asks: then only the user can answer. " +
    "Without an answer, the user is asked.",
  session_start:
    "Fires once before the first message: `startup` for a new session, `resume` for a stored one, `clear` after `/new`. Each session of " +
    "a sub-agent starts with `startup`. `compact` comes only from other agents. The context replaces that of an earlier `session_start`.",
  user_prompt_submit:
    "Fires for each message that the user sends while the agent waits, and not for tasks of sub-agents. A blocked message stays in the " +
    "session, but no model reads it.",
  user_steering_messages_submit:
    "Fires between two model calls, for all messages that the user has sent meanwhile. A block ends the run; no model reads the messages.",
  user_followup_submit:
    "Fires when the agent has finished, for the oldest message that the user queued for after the answer (Tab). A block ends the run; " +
    "no model reads the message.",
  turn_start: "Fires before every model call: a turn is one model call with the tool calls of its reply.",
  turn_end:
    "Fires exactly once for each turn, also after an error or a cancel. `budget_exceeded` comes only from other programs.",
  before_llm_call:
    "Fires before every model call of a turn, not for the request for a summary and not for model hooks. `updated_messages` applies to " +
    "this call only. A block ends the run with the error `hook_blocked`.",
  after_llm_call:
    "Fires after `response_guard`, once for each reply. It does not fire if the call failed or was cancelled. `usage` is missing if the " +
    "provider reports none.",
  session_end:
    "Fires once: `prompt_input_exit` if the user leaves the prompt, `clear` before `/new`, `other` for every other end and for sessions of " +
    "sub-agents. It does not fire if hooksh is killed. `logout` comes only from other agents.",
  pre_compact:
    "Fires first: `auto` if the window is nearly full by the model's own count, `tool_overflow` if it would be with the new tool results, " +
    "`overflow` if the provider refused the request as too long, `manual` for `/compact`. After a block the conversation stays as it is.",
  subagent_stop: "The hooks of the agent that delegated run. `session_id` and `agent_name` are those of the sub-agent.",
  on_user_input:
    "Fires before each question to the user, and when the agent has finished and the user may write. Use it to notify.",
  stop:
    "Fires when an agent has answered without tool calls and its `stop_guard` hooks agree, also for sub-agents. Queued messages may " +
    "continue the run. To send the agent back to work, use `stop_guard`.",
  notification:
    "Fires with the same text before `on_error` and `on_max_iterations`, and when `--max-turns` or `--max-cost` ends the run.",
  on_error:
    "Fires when an error ends the run: all models failed, a hook blocked the run, or the agent repeats the same call. A failed tool call is " +
    "no such error; see `tool_error`.",
  on_max_iterations: "Fires before the user is asked whether to continue. Without a terminal, the run ends.",
  on_agent_switch:
    "The hooks of the agent that hands over run, before the switch. After a task (`transfer_task_return`) those of the agent that delegated run.",
  on_session_resume: "Fires after the user has agreed to ten more iterations.",
  on_tool_approval_decision:
    "Fires once for each call of a tool that the agent has, after the decision and before the call runs. In a call that does not run, " +
    "secrets in the arguments are redacted.",
  before_compaction:
    "Fires after `pre_compact`. After a block the conversation stays as it is. If several hooks give a `summary`, the first counts.",
  after_compaction: "Fires only if the conversation has become shorter.",
  tool_response_transform:
    "Fires for every response, also for that of a call that did not run: then `tool_response` is the text that tells the model why, and " +
    "`tool_error` is `true`.",
  tool_input_transform:
    "Fires first for a call. Use it to correct arguments: every guard and rule after it sees the new ones.",
  tool_guard:
    "Fires after `tool_input_transform` and [rules](rules.md), on the arguments before redaction, and again if `pre_tool_use` hooks change them. It can deny and " +
    "ask; `allow` has no effect.",
  worktree_create:
    "Fires only with `hooksh run --worktree`. `session_id` is empty. A block ends the run with exit code 1.",
  stop_guard: "[How hooks work](hooks.md#stop_guard) explains the retries and what the user sees.",
  response_guard: "[How hooks work](hooks.md#response_guard) explains the retries and what the user sees.",
  skill_content_guard:
    "Once for each text of a skill: before `read_skill`, `read_skill_file` or `run_skill` returns or uses it, before commands in it run, and before " +
    "a slash command of the skill becomes a message. Silence rejects: [content guards](hooks.md#content-guards).",
  prompt_file_guard:
    "When `add_prompt_files` has loaded files, once for each in the order in which they were loaded, then for the list of files below the directory: in a " +
    "run at the start of each turn, after the `turn_start` hooks and before `before_llm_call`. The first rejection ends it. hooksh sends the `source` " +
    "`loaded` only. Silence rejects: [content guards](hooks.md#content-guards).",
  before_agent_run:
    "Once each time an agent is set to work on a request of the user, before its model is chosen. Only in a conversation whose first agent routes.",
  after_agent_complete:
    "After `stop`, once each time an agent has answered a request with text. Not after an error, a block or a limit.",
};

/** The events of one message in `hooksh run`, in order; `turn`, `call`, `answer` and `endOfTurn` repeat. */
export const EVENT_ORDER = {
  start: ["session_start", "user_prompt_submit"],
  turn: ["turn_start", "before_llm_call", "response_guard", "after_llm_call"],
  call: [
    "tool_input_transform",
    "tool_guard",
    "pre_tool_use",
    "permission_request",
    "on_tool_approval_decision",
    "tool_response_transform",
    "post_tool_use",
  ],
  answer: ["stop_guard", "stop"],
  endOfTurn: ["turn_end"],
  end: ["on_user_input", "session_end"],
} as const satisfies Readonly<Record<string, readonly EventName[]>>;
