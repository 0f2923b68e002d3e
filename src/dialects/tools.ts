import { canonicalJson, isObject } from "../lib/json.ts";
import type { Payload } from "../protocol/rewrite.ts";
import type { DecodedTool, Dialect, FieldRow, HostTool, ToolCall } from "./dialect.ts";

type EditFields = NonNullable<HostTool["edit"]>;

/** Returns a tool call as hooks see it: hooksh's names where the dialect has them, the host's everywhere else. */
export function decodeTool(dialect: Dialect, call: ToolCall, payload: Payload): DecodedTool {
  const server = call.server ?? dialect.serverOf?.(call.name, payload);
  // A tool of an MCP server may be called like one of the host and is still another one.
  const row = server
    ? undefined
    : dialect.tools.find(({ names, when }) => names.includes(call.name) && (when === undefined || when(call.input)));
  const qualified = server && `mcp:${server.name}:${server.tool}`;
  const names = [row?.is, ...(row?.also ?? []), call.shownAs, call.name, qualified];
  return {
    ...call,
    server,
    row,
    hostInput: call.input,
    input: row ? toOwnInput(row, call.input) : call.input,
    names: [...new Set(names.filter((name) => name !== undefined && name !== ""))] as string[],
  };
}

/**
 * Returns tool input in hooksh's fields. Fields without a mapping keep their name and value, unless a mapped one has
 * that name: what the host acts on must not be hidden by a field that it does not know. Of several fields for the same
 * the first in the table counts.
 */
export function toOwnInput(tool: HostTool, input: Payload): Payload {
  if (tool.read) return tool.read(input);
  const fields = (tool.fields ?? []).filter(([host]) => Object.hasOwn(input, host));
  const mapped: Record<string, unknown> = {};
  for (const field of fields.toReversed()) mapped[field[1]] = toOwnValue(field, input[field[0]]);
  const hosts: readonly (string | undefined)[] = [...fields.map(([host]) => host), ...(tool.edit ?? [])];
  const unmapped = Object.entries(input).filter(([key]) => !hosts.includes(key));
  return { ...Object.fromEntries(unmapped), ...mapped, ...(tool.edit ? toOwnEdits(input, tool.edit) : {}) };
}

/** The edits of a call, whether the host has one or a list of them; an empty object if there are none. */
function toOwnEdits(input: Payload, edit: EditFields): Payload {
  const [before, after, list] = edit;
  if (Object.hasOwn(input, before) || Object.hasOwn(input, after)) return { edits: [toOwnEdit(input, edit, {})] };
  return list === undefined || !Object.hasOwn(input, list) ? {} : { edits: toOwnList(input[list], edit) };
}

function toOwnList(edits: unknown, edit: EditFields): unknown {
  if (!Array.isArray(edits)) return edits;
  const [before, after] = edit;
  const isOfHost = (item: unknown): item is Payload =>
    isObject(item) && (Object.hasOwn(item, before) || Object.hasOwn(item, after));
  return edits.map((item: unknown) => {
    if (!isOfHost(item)) return item;
    const { [before]: _before, [after]: _after, ...rest } = item;
    return toOwnEdit(item, edit, rest);
  });
}

function toOwnEdit(item: Payload, [before, after]: EditFields, rest: Payload): Payload {
  return { oldText: item[before] ?? "", newText: item[after] ?? "", ...rest };
}

function toOwnValue([, , unit]: FieldRow, value: unknown): unknown {
  if (unit === "ms") return typeof value === "number" ? value / 1000 : value;
  return unit === "lines" && Array.isArray(value) ? value.map(asText).join("\n") : value;
}

/** Returns a value in the host's unit; undefined if it has no inverse. `before`: the value in the call. */
function toHostValue([, , unit]: FieldRow, value: unknown, before: unknown): unknown {
  if (unit === "ms") return typeof value === "number" ? value * 1000 : value;
  return unit === "lines" && typeof value === "string" ? toList(value, Array.isArray(before) ? before : []) : value;
}

/** One text of a list stays one; of several each is a line, which has no inverse if one of them has several lines. */
function toList(value: string, before: readonly unknown[]): unknown[] | undefined {
  const texts = before.map(asText);
  if (texts.join("\n") === value && before.length > 0) return [...before];
  if (texts.length <= 1) return [value];
  return texts.some((text) => text.includes("\n")) ? undefined : value.split("\n");
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/**
 * Returns tool input in the host's fields, or undefined if the host cannot express it, such as several edits in one
 * call. `original` is the input of the call, whose order of fields is kept.
 */
export function toHostInput(tool: HostTool | undefined, input: Payload, original: Payload = {}): Payload | undefined {
  if (tool === undefined) return input;
  if (tool.write) return tool.write(input, original);
  const host: Record<string, unknown> = {};
  for (const key of Object.keys(original)) host[key] = undefined; // keeps the order
  for (const [key, value] of Object.entries(input)) {
    if (key === "edits" && tool.edit) {
      const edits = toHostEdits(value, tool.edit, original);
      if (!edits) return undefined;
      Object.assign(host, edits);
      continue;
    }
    const field = fieldFor(tool, key, original);
    const name = field?.[0] ?? key;
    host[name] = field ? toHostValue(field, value, original[name]) : value;
    if (host[name] === undefined && value !== undefined) return undefined;
  }
  const isNew = Object.keys(original).length === 0;
  const present = Object.entries(host).filter(([, value]) => value !== undefined);
  return { ...(isNew ? tool.adds : {}), ...Object.fromEntries(present) };
}

/** Of several fields of the host for one of hooksh, the one that the call used. */
function fieldFor(tool: HostTool, key: string, original: Payload): FieldRow | undefined {
  const fields = tool.fields?.filter(([, own]) => own === key) ?? [];
  return fields.find(([host]) => Object.hasOwn(original, host)) ?? fields[0];
}

function toHostEdits(edits: unknown, [before, after, list]: EditFields, original: Payload): Payload | undefined {
  if (!Array.isArray(edits) || !edits.every(isObject)) return undefined;
  if (list !== undefined && !Object.hasOwn(original, before) && !Object.hasOwn(original, after)) {
    const items = edits.map(({ oldText, newText, ...rest }) => ({ [before]: oldText, [after]: newText, ...rest }));
    return { [list]: items };
  }
  const [edit] = edits;
  return edit && edits.length === 1 ? { [before]: edit["oldText"], [after]: edit["newText"] } : undefined;
}

/**
 * Returns a hook's patch of tool input in hooksh's fields; the patch may name fields of hooksh and of the host. Returns
 * a message if it gives one field two values under its two names.
 */
export function toOwnPatch({ row, hostInput }: DecodedTool, patch: Payload): Payload | string {
  if (row === undefined) return patch;
  const own: Record<string, unknown> = {};
  const fromHost: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(patch)) {
    const field = row.fields?.find(([host, name]) => host === key && name !== key);
    if (field) fromHost[field[1]] = toOwnValue(field, value);
    else if (key === "edits" && row.edit) own[key] = toOwnList(value, row.edit);
    else if (!row.edit?.includes(key)) own[key] = value;
  }
  if (row.edit) Object.assign(fromHost, patchedEdits(patch, row.edit, hostInput));
  const twice = Object.keys(fromHost).find(
    (key) => Object.hasOwn(own, key) && canonicalJson(own[key]) !== canonicalJson(fromHost[key]),
  );
  if (twice !== undefined) return `updated_input gives ${JSON.stringify(twice)} two values, under two names`;
  return { ...own, ...fromHost };
}

/** The edits that a patch gives in the host's fields; a field of the pair that it does not name stays. */
function patchedEdits(patch: Payload, edit: EditFields, hostInput: Payload): Payload {
  const [before, after, list] = edit;
  if (Object.hasOwn(patch, before) || Object.hasOwn(patch, after)) return toOwnEdits({ ...hostInput, ...patch }, edit);
  return list === undefined || list === "edits" ? {} : toOwnEdits(patch, edit);
}
