import type { EventName } from "../../src/protocol/events.ts";

/** An answer of a hook to an event, and what hooksh does with it. */
export interface ExampleAnswer {
  answer: object;
  effect: string;
}

const specific = (output: object, more: object = {}) => ({ ...more, hook_specific_output: output });
const context = (text: string) => specific({ additional_context: text });
const said = (text: string) => ({ system_message: text });

/** A useful answer to each event. */
export const EXAMPLE_ANSWERS: Readonly<Record<EventName, ExampleAnswer>> = {
  pre_tool_use: {
    answer: specific({ permission_decision: "deny", permission_decision_reason: "count with the report tool" }),
    effect: "The call does not run. The model reads the reason as the result of its call.",
  },
  post_tool_use: {
    answer: context("prices.csv has a header line: it holds two prices"),
    effect: "The model reads the text with its next call.",
  },
  permission_request: {
    answer: specific({ permission_decision: "allow", permission_decision_reason: "waits only" }),
    effect: "The call runs, and the user is not asked.",
  },
  session_start: {
    answer: context("The shop opens at nine."),
    effect: "The text is stored with the session and sent with every model call.",
  },
  user_prompt_submit: {
    answer: { decision: "block", reason: "name the product" },
    effect: "The message is not sent to the model, and the turn ends. The user reads the reason.",
  },
  user_steering_messages_submit: {
    answer: context("Prices are in euros."),
    effect: "The model reads the text with its next call, after the messages of the user.",
  },
  user_followup_submit: {
    answer: context("Prices are in euros."),
    effect: "The model reads the text with its next call, after the message of the user.",
  },
  turn_start: {
    answer: context("It is Monday."),
    effect: "The model reads the text in this turn. It is not stored.",
  },
  turn_end: { answer: said("the turn is over"), effect: "The user reads the message. Nothing else changes." },
  before_llm_call: {
    answer: { decision: "block", reason: "the daily budget is used up" },
    effect: "The model is not called, and the run ends with the reason.",
  },
  after_llm_call: {
    answer: said("the model has answered"),
    effect: "The user reads the message. Nothing else changes.",
  },
  session_end: { answer: said("see you tomorrow"), effect: "The user reads the message. Nothing else changes." },
  pre_compact: {
    answer: context("Keep every price in the summary."),
    effect: "The text is added to the instructions for the summary.",
  },
  subagent_stop: { answer: said("the reviewer is done"), effect: "The user reads the message. Nothing else changes." },
  on_user_input: { answer: said("waiting for you"), effect: "The user reads the message. Nothing else changes." },
  stop: {
    answer: context("The next question is probably about pears."),
    effect: "The model reads the text with its next call. It is not stored.",
  },
  notification: {
    answer: said("the on-call person is told"),
    effect: "The user reads the message. Nothing else changes.",
  },
  on_error: {
    answer: said("see the status page of the provider"),
    effect: "The user reads the message. Nothing else changes.",
  },
  on_max_iterations: {
    answer: said("the task is too large"),
    effect: "The user reads the message. Nothing else changes.",
  },
  on_agent_switch: {
    answer: said("the reviewer takes over"),
    effect: "The user reads the message. Nothing else changes.",
  },
  on_session_resume: {
    answer: said("ten more iterations"),
    effect: "The user reads the message. Nothing else changes.",
  },
  on_tool_approval_decision: {
    answer: said("the decision is logged"),
    effect: "The user reads the message. Nothing else changes.",
  },
  before_compaction: {
    answer: specific({ summary: "Apples cost 1.19." }),
    effect: "This summary replaces the older part of the conversation; no model writes one.",
  },
  after_compaction: {
    answer: said("the conversation is shorter now"),
    effect: "The user reads the message. Nothing else changes.",
  },
  tool_response_transform: {
    answer: specific({ updated_tool_response: "3 lines" }),
    effect: "The model, other hooks and the session get this response in place of the tool's.",
  },
  tool_input_transform: {
    answer: specific({ updated_input: { cmd: "wc -l < prices.csv" } }),
    effect: "Guards, rules and the tool get these arguments.",
  },
  tool_guard: {
    answer: specific({ permission_decision: "ask", permission_decision_reason: "reads customer data" }),
    effect: "The user is asked, in every mode, `--yolo` included. Without a terminal, the call does not run.",
  },
  worktree_create: {
    answer: context("The branch was made from main."),
    effect: "The text is printed to the user.",
  },
  stop_guard: {
    answer: { decision: "block", reason: "run the tests first" },
    effect: "The agent goes on, with the reason as its next message.",
  },
  response_guard: {
    answer: specific({ updated_response: "Apples cost [price]." }),
    effect: "The user and the session get this answer; the original is shown nowhere.",
  },
  skill_content_guard: {
    answer: { continue: true },
    effect: "The skill is used. Any other answer, also an empty one, rejects it.",
  },
  prompt_file_guard: {
    answer: { continue: true },
    effect: "The file becomes part of the prompt. Any other answer, also an empty one, ends the run.",
  },
  before_agent_run: {
    answer: specific({ transition: { action: "route", agent: "quick" }, metadata: { why: "short" } }),
    effect: "The agent `quick` works on the request in place of this one.",
  },
  after_agent_complete: {
    answer: specific({ transition: { action: "route", agent: "reviewer" } }),
    effect: "The agent `reviewer` goes on with the whole conversation.",
  },
};
