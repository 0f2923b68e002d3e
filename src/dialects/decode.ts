import { isObject } from "../lib/json.ts";
import { text } from "../lib/schema/shape.ts";
import { contractOf, type EventName } from "../protocol/events.ts";
import { FIELDS, type FieldName } from "../protocol/fields.ts";
import type { Payload } from "../protocol/rewrite.ts";
import type { DecodedTool, Dialect, HostCall, HostEvent, ToolCall } from "./dialect.ts";
import { ambiguousField, type DecodeOptions, decodeTool } from "./tools.ts";
import { firstAt, inputObject, promptText, resultText, valueAt } from "./values.ts";

export interface Undecodable {
  problem: string;
  /** The caller gave another event than the payload. */
  contradicts?: true;
}

/** Returns the event that a payload names, or that its fields tell, in the host's spelling. */
export function eventNamed(dialect: Dialect, payload: Payload): string | undefined {
  return eventSaid(dialect, payload) ?? dialect.eventOf?.(payload);
}

export function eventSaid({ keys }: Dialect, payload: Payload): string | undefined {
  const said = firstAt(payload, keys.event);
  return typeof said === "string" ? said : undefined;
}

/**
 * Decodes the payload of a host into one or more events of hooksh. `given`: the event according to the caller, which must
 * be the one that the payload names, if it names one. Pure. Never throws: a
 * payload that cannot be decoded has a problem.
 */
export function decode(
  dialect: Dialect,
  payload: Payload,
  given?: string,
  options?: DecodeOptions,
): HostCall | Undecodable {
  const said = eventSaid(dialect, payload);
  const named = given ?? eventNamed(dialect, payload);
  if (named === undefined) return { problem: "the payload names no event; give the name with --event" };
  const event = spelled(dialect, named);
  const row = hostEvent(dialect, event);
  if (said !== undefined && spelled(dialect, said) !== event && (row === undefined || hostEvent(dialect, said) !== row))
    return { problem: `the payload is of the event ${said}, but hooksh was called for ${named}`, contradicts: true };
  if (row === undefined) return { problem: `unknown event ${JSON.stringify(event)}` };
  if (row.ignores?.(payload)) return { dialect, event, row, payload, events: [] };
  const names = row.only?.(payload) ?? row.is;
  const hasTool = names.some((name) => contractOf(name).fields.includes("tool_name"));
  const call = hasTool ? readToolCall(dialect, payload, event) : undefined;
  if (names.some((name) => contractOf(name).matcher) && !call?.name)
    return { problem: `${event}: the payload names no tool, and the tool decides which hooks run` };
  const tool = call && decodeTool(dialect, call, payload, options);
  const unclear = tool && names.some((name) => GUARDS.includes(name)) ? ambiguousField(tool) : undefined;
  if (unclear !== undefined) return { problem: `${event}: ${unclear}` };
  const shared = {
    ...commonFields(dialect, payload),
    ...(names.includes("session_start") ? NEW_SESSION : {}),
    ...(tool ? toolFields(tool) : {}),
    ...eventFields(row, payload),
  };
  const host = {
    dialect: dialect.name,
    event,
    ...(tool ? { tool_name: tool.name, tool_input: tool.original } : {}),
    ...(tool && tool.class === undefined ? { unknown_tool: true } : {}),
  };
  const events = names.map((name) => ({ event: name, payload: { ...fieldsOf(name, shared), host } }));
  return { dialect, event, row, payload, tool, events };
}

/** Of a host that tells nothing else about the start of a session. */
const NEW_SESSION: Payload = { source: "startup" };

/** Events that decide on a call: one that hooks cannot judge must not pass them. */
const GUARDS: readonly EventName[] = ["pre_tool_use", "permission_request"];

export function hostEvent(dialect: Dialect, event: string): HostEvent | undefined {
  const name = spelled(dialect, event);
  return Object.hasOwn(dialect.events, name) ? dialect.events[name] : undefined;
}

/** Returns the name of an event as the table has it, for a host that accepts it in any case and style. */
function spelled({ events, eventsInAnyCase }: Dialect, event: string): string {
  if (!eventsInAnyCase || Object.hasOwn(events, event)) return event;
  return Object.keys(events).find((name) => isSameEvent(name, event)) ?? event;
}

/** True for two spellings of one event: `PreToolUse`, `preToolUse`, `pre_tool_use`. */
export function isSameEvent(one: string, other: string): boolean {
  const [a, b] = [one, other].map((name) => name.replace(/[_-]/g, "").toLowerCase());
  return a === b;
}

export function isUndecodable(decoded: HostCall | Undecodable): decoded is Undecodable {
  return "problem" in decoded;
}

function readToolCall(dialect: Dialect, payload: Payload, event: string): ToolCall | undefined {
  if (dialect.toolCall) {
    const call = dialect.toolCall(payload, event);
    if (call) return call;
  }
  const { toolName, toolInput, toolUseId } = dialect.keys;
  const name = firstAt(payload, toolName);
  if (typeof name !== "string") return undefined;
  const original = firstAt(payload, toolInput);
  const id = firstAt(payload, toolUseId);
  return { name, original, input: inputObject(original), id: typeof id === "string" ? id : undefined };
}

function commonFields({ keys }: Dialect, payload: Payload): Payload {
  const cwd = firstAt(payload, keys.cwd);
  return {
    session_id: textOfNumber("session_id", firstAt(payload, keys.session)),
    cwd: typeof cwd === "string" ? cwd : undefined,
  };
}

function toolFields({ row, shownAs, name, server, input, id }: DecodedTool): Payload {
  return {
    tool_name: row?.is ?? shownAs ?? name,
    tool_qualified_name: server && `mcp:${server.name}:${server.tool}`,
    tool_use_id: id,
    tool_input: input,
  };
}

function eventFields({ fields, fixed, derive }: HostEvent, payload: Payload): Payload {
  const read: Record<string, unknown> = {};
  for (const [field, paths] of Object.entries(fields ?? {})) {
    const value = typeof paths === "string" ? valueAt(payload, paths) : firstAt(payload, paths);
    if (value !== undefined) read[field] = textOfNumber(field, FORMS[field]?.(value) ?? value);
  }
  return { ...read, ...fixed, ...derive?.(payload) };
}

/** Sources of a session that several agents name in their own words. */
const SOURCES = new Map<unknown, string>([
  ["new", "startup"],
  ...["load", "fork", "branch", "TaskResume"].map((word) => [word, "resume"] as const),
]);

const END_REASONS: ReadonlySet<string> = new Set(["clear", "logout", "prompt_input_exit", "other"]);

/** Fields that hooks read in one form, whichever the host has. */
const FORMS: Readonly<Record<string, (value: unknown) => unknown>> = {
  prompt: promptText,
  tool_response: resultText,
  notification_message: (value) => (isObject(value) && typeof value["message"] === "string" ? value["message"] : value),
  source: (value) => SOURCES.get(value) ?? value,
  reason: (value) => {
    if (value === "user_exit") return "prompt_input_exit";
    return typeof value === "string" && !END_REASONS.has(value) ? "other" : value;
  },
};

/** Turns a number into text where text is expected, so that hooks can still judge the event. */
function textOfNumber(field: string, value: unknown): unknown {
  const isText = Object.hasOwn(FIELDS, field) && FIELDS[field as FieldName] === text;
  return isText && typeof value === "number" ? String(value) : value;
}

/** Returns the fields of a payload that hooksh neither reads nor knows the host to send. */
export function unknownFields({ dialect, row, payload }: HostCall): string[] {
  const sent = `${dialect.sends} ${row.sends ?? ""}`.split(" ");
  if (sent.includes("*")) return [];
  const read = [...Object.values(dialect.keys), ...Object.values(row.fields ?? {})].flat();
  const known = new Set([...sent, ...read.map((path) => path.split(".", 1)[0])]);
  return Object.keys(payload).filter((field) => !known.has(field));
}

/** Drops fields that the event does not have, such as the result of a tool that has not run yet. */
function fieldsOf(event: EventName, fields: Payload): Payload {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined);
  return { hook_event_name: event, ...Object.fromEntries(present) };
}
