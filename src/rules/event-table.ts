import type { EventName } from "../protocol/events.ts";
import { FACT_TABLE } from "./fact-table.ts";
import { FACTS, type FactName, type RuleVerdict } from "./rule.ts";

/** What rules may do on an event, and what they can test. */
export interface RuleEvent {
  verdicts: readonly RuleVerdict[];
  /** True if it is about a tool call. */
  call?: true;
  text?: true;
  ok?: true;
}

const prompt: RuleEvent = { verdicts: ["deny", "warn", "context", "stop"], text: true };

/** The events that rules can be about. */
export const RULE_EVENTS: Readonly<Partial<Record<EventName, RuleEvent>>> = {
  pre_tool_use: { verdicts: ["deny", "ask", "allow", "warn", "stop"], call: true },
  permission_request: { verdicts: ["deny", "allow", "warn"], call: true },
  post_tool_use: { verdicts: ["deny", "warn", "context", "stop"], call: true, text: true, ok: true },
  user_prompt_submit: prompt,
  user_followup_submit: prompt,
  user_steering_messages_submit: prompt,
  before_llm_call: { verdicts: ["deny", "warn", "stop"] },
  session_start: { verdicts: ["warn", "context"] },
  turn_start: { verdicts: ["warn", "context"] },
  stop: { verdicts: ["warn", "context"], text: true },
  pre_compact: { verdicts: ["deny", "warn", "context"] },
  subagent_stop: { verdicts: ["warn"], text: true },
  session_end: { verdicts: ["warn"] },
};

/** The names of {@link RULE_EVENTS}. */
export const RULE_EVENT_NAMES = Object.keys(RULE_EVENTS) as readonly EventName[];

/** True if a fact exists on an event. */
export function hasFact(event: EventName, fact: FactName): boolean {
  const facts = RULE_EVENTS[event];
  if (!facts) return false;
  if (fact === "text") return facts.text === true;
  if (fact === "ok") return facts.ok === true;
  return FACT_TABLE[fact].of === "event" || facts.call === true;
}

/** The facts of an event. */
export function factsOf(event: EventName): FactName[] {
  return FACTS.filter((fact) => hasFact(event, fact));
}

/** The events that have a fact. */
export function eventsWith(fact: FactName): EventName[] {
  return RULE_EVENT_NAMES.filter((event) => hasFact(event, fact));
}

/** The events that take a verdict. */
export function eventsTaking(verdict: RuleVerdict): EventName[] {
  return RULE_EVENT_NAMES.filter((event) => RULE_EVENTS[event]?.verdicts.includes(verdict));
}
