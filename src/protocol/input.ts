import * as v from "valibot";
import { wanted } from "../lib/schema.ts";
import { contractOf, isEventName, unknownEvent } from "./events.ts";
import { FIELDS } from "./fields.ts";

const InputSchema = v.partial(v.looseObject(FIELDS));

/** An input with its event known, its known fields checked, and everything else as it came. */
export type ParsedInput = Record<string, unknown> & { hook_event_name: string };

/**
 * Checks an event object from outside: a known event, fields of the right type, a tool's name where the event concerns
 * a tool call. Fields set to null count as absent; unknown fields pass through. Answers what is wrong as a text.
 *
 * Source: hooks 2.3, 2.4.
 */
export function parseInput(value: Readonly<Record<string, unknown>>): ParsedInput | string {
  const present = Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== null));
  const event = present["hook_event_name"];
  if (typeof event !== "string" || event === "") return "hook_event_name is required: it names the event";
  if (!isEventName(event)) return unknownEvent(event);
  const parsed = v.safeParse(InputSchema, present);
  if (!parsed.success) {
    const [issue] = parsed.issues;
    const path = issue.path?.map((item) => String(item.key)).join(".") ?? "";
    return `${event}: ${path}: expected ${wanted(issue)} but received ${issue.received}`;
  }
  if (contractOf(event).matcher && !present["tool_name"]) return `${event}: tool_name is required: it decides which hooks run`;
  // Not `parsed.output`: Valibot leaves out keys such as "constructor", and a guard must see every argument.
  return { ...present, hook_event_name: event };
}
