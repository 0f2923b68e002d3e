import { canonicalJson, isObject } from "../../lib/json.ts";
import { contractOf, type EventName } from "../../protocol/events.ts";
import type { Payload } from "../../protocol/rewrite.ts";
import type { Dialect, HostCall, HostEvent, HostTool } from "../dialect.ts";
import { scriptEvent } from "../script-events.ts";
import { toHostInput } from "../tools.ts";
import { PAYLOADS } from "./payloads.ts";
import type { Composed, ComposedTool, PayloadShape } from "./script.ts";

/** An event of hooksh, and what a payload is made from besides. */
export interface Source {
  event: EventName;
  /** What hooks of hooksh would read. */
  input: Payload;
  now: Date;
}

/**
 * Returns the payload that a script of a host reads: the host's own, untouched, if the event came from that host and no
 * hook changed it; else one in the host's words. Pure. Throws if the host has no name for the event.
 */
export function payloadFor(dialect: Dialect, source: Source, call: HostCall | undefined): Composed {
  if (call?.dialect.name !== dialect.name) return compose(dialect, source);
  const { event, payload, tool: decoded } = call;
  const tool = decoded && {
    name: decoded.name,
    row: decoded.row,
    hostInput: decoded.hostInput,
    id: decoded.id,
    server: decoded.server,
  };
  const before = call.events.find(({ event: name }) => name === scriptEvent(source.event))?.payload ?? {};
  const same = (field: string, empty: unknown) =>
    canonicalJson(source.input[field] ?? empty) === canonicalJson(before[field] ?? empty);
  if (same("tool_input", {}) && same("tool_response", "")) return { event, payload, tool };
  const [old, changed] = [before, source.input].map((input) => compose(dialect, { ...source, input }, call));
  return { ...(changed as Composed), payload: withChanges(payload, old?.payload ?? {}, changed?.payload ?? {}) };
}

/** The host's payload with the parts that a hook changed; everything else is as the host sent it. */
function withChanges(original: Payload, before: Payload, after: Payload): Payload {
  const changed = Object.entries(after).filter(([key, value]) => canonicalJson(value) !== canonicalJson(before[key]));
  return { ...original, ...Object.fromEntries(changed) };
}

/** Writes an event of hooksh in the words of a host: the inverse of decoding. */
function compose(dialect: Dialect, { event, input, now }: Source, call?: HostCall): Composed {
  const shape: PayloadShape = PAYLOADS[dialect.name] ?? {};
  const tool = contractOf(event).matcher ? composeTool(dialect, shape, input, call) : undefined;
  const hostEvent = call?.event ?? shape.event?.(scriptEvent(event), input) ?? nameOf(dialect, event, input);
  const row = dialect.events[hostEvent];
  if (row === undefined) throw new Error(`${dialect.name} has no event for ${event}`);
  const payload: Record<string, unknown> = {};
  const { keys } = dialect;
  put(payload, keys.event, hostEvent);
  put(payload, keys.session, input["session_id"]);
  put(payload, keys.cwd, input["cwd"]);
  if (tool) {
    put(payload, keys.toolName, tool.name);
    put(payload, keys.toolInput, tool.hostInput);
    put(payload, keys.toolUseId, tool.id);
  }
  for (const [field, paths] of Object.entries(row.fields ?? {}))
    put(payload, typeof paths === "string" ? [paths] : paths, fieldValue(field, { input, shape, tool }));
  const composing = { event, hostEvent, input, tool, now };
  const added = { ...shape.adds?.(composing), ...payload };
  return { event: hostEvent, payload: defined(shape.finish?.(added, composing) ?? added), tool };
}

function fieldValue(
  field: string,
  { input, shape, tool }: { input: Payload; shape: PayloadShape; tool: ComposedTool | undefined },
): unknown {
  const value = input[field];
  if (field === "stop_hook_active") return value ?? false;
  if (field !== "tool_response" || value === undefined || !shape.result) return value;
  return shape.result(typeof value === "string" ? value : JSON.stringify(value), input["tool_error"] === true, tool);
}

/**
 * The name of an event in a host. Of several, the one whose constant fields fit: failed calls have their own event in
 * some hosts. Undefined names are a problem of the configuration and reported there.
 */
function nameOf(dialect: Dialect, event: EventName, input: Payload): string {
  const named = scriptEvent(event);
  const rows = Object.entries(dialect.events).filter(([, row]) => row.is.includes(named));
  const fitting = rows.filter(([, row]) => isFitting(row, input));
  const special = fitting.find(([, { fixed = {} }]) => Object.keys(fixed).some((key) => DISTINGUISHING.includes(key)));
  return (special ?? fitting[0] ?? rows[0])?.[0] ?? "";
}

/** The fields that tell events of a host apart which are one event of hooksh. */
const DISTINGUISHING: readonly string[] = ["tool_error", "source"];

function isFitting({ fixed = {} }: HostEvent, input: Payload): boolean {
  return DISTINGUISHING.every((key) => fixed[key] === undefined || fixed[key] === input[key]);
}

function composeTool(dialect: Dialect, shape: PayloadShape, input: Payload, call?: HostCall): ComposedTool {
  const { tool_name: name, tool_input: given, tool_use_id: id, tool_qualified_name: qualified } = input;
  const own = isObject(given) ? given : {};
  const called = call?.tool;
  if (called) {
    const { name: spelled, row, hostInput, server } = called;
    const inner = toHostInput(row, own, hostInput) ?? { ...hostInput, ...own };
    return { name: spelled, row, hostInput: inner, id, server };
  }
  const server = serverOf(qualified);
  if (server) return { name: shape.mcp?.(server) ?? String(name), row: undefined, hostInput: own, id, server };
  return { ...hostTool(dialect, shape, String(name), own), id, server };
}

function serverOf(qualified: unknown): { name: string; tool: string } | undefined {
  const [, name, tool] = /^mcp:([^:]+):(.+)$/s.exec(typeof qualified === "string" ? qualified : "") ?? [];
  return name !== undefined && tool !== undefined ? { name, tool } : undefined;
}

function hostTool(
  { tools }: Dialect,
  shape: PayloadShape,
  name: string,
  own: Payload,
): Pick<ComposedTool, "name" | "row" | "hostInput"> {
  const rows = [...tools.filter(({ is }) => is === name), ...tools.filter(({ also }) => also?.includes(name))];
  for (const row of rows) {
    const hostInput = shape.input?.(name, own, row) ?? toHostInput(row, own);
    if (hostInput) return { name: row.names[0] ?? name, row, hostInput };
  }
  const [row] = rows;
  return row ? { name: row.names[0] ?? name, row, hostInput: inexact(row, own) } : { name, row, hostInput: own };
}

/**
 * Input that the host's tool cannot express, such as several edits where it makes one. A script sees every text in it:
 * the old and the new ones are joined, and the edits are there too.
 */
function inexact(row: HostTool, { edits, ...rest }: Payload): Payload {
  const list = Array.isArray(edits) ? edits.filter(isObject) : [];
  const texts = (key: string) => list.map((edit) => (typeof edit[key] === "string" ? edit[key] : "")).join("\n");
  const [before = "old_string", after = "new_string"] = row.edit ?? [];
  const items = list.map(({ oldText, newText, ...more }) => ({ [before]: oldText, [after]: newText, ...more }));
  return {
    ...(toHostInput(row, rest) ?? rest),
    ...(edits === undefined ? {} : { [before]: texts("oldText"), [after]: texts("newText"), edits: items }),
  };
}

/** Sets the value at the first path: `tool_info.file_path`, `workspacePaths.0`. */
function put(payload: Record<string, unknown>, [path]: readonly string[], value: unknown): void {
  if (path === undefined || value === undefined) return;
  const keys = path.split(".");
  const last = keys.pop() ?? "";
  let at: Record<string, unknown> = payload;
  keys.forEach((key, index) => {
    at[key] ??= /^\d+$/.test(keys[index + 1] ?? last) ? [] : {};
    at = at[key] as Record<string, unknown>;
  });
  at[last] = value;
}

function defined(payload: Payload): Payload {
  return Object.fromEntries(Object.entries(payload).filter(([, value]) => value !== undefined));
}
