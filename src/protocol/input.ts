import { withoutNulls } from "../lib/json.ts";
import { findMismatch, mismatchText, object } from "../lib/schema/shape.ts";
import { contractOf, type EventName, type EventPayload, isEventName, unknownEvent } from "./events.ts";
import { FIELDS } from "./fields.ts";
import type { Payload } from "./rewrite.ts";

const INPUT = object({}, FIELDS);

/** An input with a known event and checked known fields; unknown fields are unchanged. */
export type ParsedInput = Record<string, unknown> & { hook_event_name: EventName; session_id?: string; cwd?: string };

/**
 * Checks an event object from outside: the event must be known, its fields must have the right types, and an event
 * about a tool call must name the tool. Fields set to null, and nulls inside `messages`, count as absent; unknown
 * fields pass through. Returns a message if the object is invalid.
 */
export function parseInput(value: Readonly<Record<string, unknown>>): ParsedInput | string {
  const given: Record<string, unknown> = { ...value };
  for (const key in value) if (value[key] === null) delete given[key];
  const event = given["hook_event_name"];
  if (typeof event !== "string" || event === "")
    return `hook_event_name is required: it names the event${insteadOf(given, "event", "event_name", "hookEventName")}`;
  if (!isEventName(event)) return unknownEvent(event);
  if (given["messages"] !== undefined) given["messages"] = withoutNulls(given["messages"]);
  if (contractOf(event).matcher && (given["tool_name"] === undefined || given["tool_name"] === ""))
    return `${event}: tool_name is required: it decides which hooks run${insteadOf(given, "tool", "name", "toolName")}`;
  const wrong = findMismatch(INPUT, given);
  if (wrong) return `${event}: ${mismatchText(wrong)}`;
  return { ...given, hook_event_name: event };
}

/** Names a field that was probably written for a required one. */
function insteadOf(given: Readonly<Record<string, unknown>>, ...names: string[]): string {
  const found = names.find((name) => typeof given[name] === "string");
  return found === undefined ? "" : `; ${JSON.stringify(found)} is not read`;
}

/** Fields that hooks also see when they are empty or zero. */
const ALWAYS_SHOWN: readonly string[] = ["tool_response", "prompt", "cost", "stop_hook_active"];

/**
 * Returns the input that hooks read: the common fields first, known fields unless they are empty, and every unknown
 * field as the caller gave it.
 */
export function buildInput(event: EventName, payload: Payload, workingDir: string): Payload {
  const common: Payload = {
    session_id: payload["session_id"] ?? "",
    cwd: payload["cwd"] || workingDir,
    hook_event_name: event,
  };
  const input: Record<string, unknown> = { ...common, ...payload, ...common };
  for (const key in payload) {
    if (Object.hasOwn(common, key)) continue;
    const value = input[key];
    if (value === undefined || value === null || (isHiddenIfEmpty(key) && isZero(value))) delete input[key];
  }
  return input;
}

function isHiddenIfEmpty(key: string): boolean {
  return Object.hasOwn(FIELDS, key) && !ALWAYS_SHOWN.includes(key);
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
