import { withoutNulls } from "../lib/json.ts";
import { findMismatch, mismatchText, object } from "../lib/schema/shape.ts";
import { contractOf, type EventName, isEventName, unknownEvent } from "./events.ts";
import { FIELDS } from "./fields.ts";

const INPUT = object({}, FIELDS);

/** An input with its event known, its known fields checked, and everything else as it came. */
export type ParsedInput = Record<string, unknown> & { hook_event_name: EventName; session_id?: string; cwd?: string };

/**
 * Checks an event object from outside: a known event, fields of the right type, a tool's name where the event concerns
 * a tool call. Fields set to null count as absent, and so does every null inside `messages`; unknown fields pass through.
 * Answers what is wrong as a text.
 */
export function parseInput(value: Readonly<Record<string, unknown>>): ParsedInput | string {
  const present = Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== null));
  const event = present["hook_event_name"];
  if (typeof event !== "string" || event === "") return "hook_event_name is required: it names the event";
  if (!isEventName(event)) return unknownEvent(event);
  if (present["messages"] !== undefined) present["messages"] = withoutNulls(present["messages"]);
  const wrong = findMismatch(INPUT, present);
  if (wrong) return `${event}: ${mismatchText(wrong)}`;
  if (contractOf(event).matcher && !present["tool_name"])
    return `${event}: tool_name is required: it decides which hooks run`;
  return { ...present, hook_event_name: event };
}
