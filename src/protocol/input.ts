import { withoutNulls } from "../lib/json.ts";
import { findMismatch, mismatchText, object } from "../lib/schema/shape.ts";
import { contractOf, type EventName, type EventPayload, isEventName, unknownEvent } from "./events.ts";
import { FIELDS } from "./fields.ts";
import type { Payload } from "./rewrite.ts";

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

/** Fields that hooks also see when they are empty or zero. */
const ALWAYS_SHOWN: ReadonlySet<string> = new Set(["tool_response", "cost"]);

/** Returns the input that hooks read: the common fields first, known fields unless they are empty, and every unknown field as the caller gave it. */
export function buildInput(event: EventName, payload: Payload, workingDir: string): Payload {
  const common: Payload = {
    session_id: payload["session_id"] ?? "",
    cwd: payload["cwd"] || workingDir,
    hook_event_name: event,
  };
  const rest = Object.entries(payload).filter(([key, value]) => {
    if (Object.hasOwn(common, key) || value === undefined || value === null) return false;
    return !Object.hasOwn(FIELDS, key) || ALWAYS_SHOWN.has(key) || !isZero(value);
  });
  return Object.fromEntries([...Object.entries(common), ...rest]);
}

/** The JSON text that hooks read on standard input for an event, without the final newline. */
export function inputJson<E extends EventName>(event: E, payload: EventPayload<E>, workingDir: string): string {
  return JSON.stringify(buildInput(event, payload, workingDir));
}

function isZero(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0;
  return value === "" || value === 0 || value === false;
}
