import { canonicalJson, isObject } from "../lib/json.ts";
import type { Payload } from "../protocol/rewrite.ts";
import type { DecodedTool, Dialect, FieldRow, HostTool, ToolCall } from "./dialect.ts";

/** Returns a tool call as hooks see it: hooksh's names where the dialect has them, the host's everywhere else. */
export function decodeTool(dialect: Dialect, call: ToolCall, payload: Payload): DecodedTool {
  const row = dialect.tools.find(
    ({ names, when }) => names.includes(call.name) && (when === undefined || when(call.input)),
  );
  const server = call.server ?? dialect.serverOf?.(call.name, payload);
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

/** Returns tool input in hooksh's fields. Fields without a mapping keep their name and value. */
export function toOwnInput(tool: HostTool, input: Payload): Payload {
  if (tool.read) return tool.read(input);
  const own: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(input)) {
    const field = tool.fields?.find(([host]) => host === key);
    if (field) own[field[1]] = toOwnValue(field, value);
    else if (!tool.edit?.includes(key)) own[key] = value;
  }
  return tool.edit ? withEdits(own, input, tool.edit) : own;
}

function withEdits(own: Payload, input: Payload, [before, after]: readonly [string, string]): Payload {
  if (!Object.hasOwn(input, before) && !Object.hasOwn(input, after)) return own;
  return { ...own, edits: [{ oldText: input[before] ?? "", newText: input[after] ?? "" }] };
}

function toOwnValue([, , unit]: FieldRow, value: unknown): unknown {
  return unit === "ms" && typeof value === "number" ? value / 1000 : value;
}

function toHostValue([, , unit]: FieldRow, value: unknown): unknown {
  return unit === "ms" && typeof value === "number" ? value * 1000 : value;
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
      const edit = onlyEdit(value);
      if (!edit) return undefined;
      [host[tool.edit[0]], host[tool.edit[1]]] = edit;
      continue;
    }
    const field = fieldFor(tool, key, original);
    host[field?.[0] ?? key] = field ? toHostValue(field, value) : value;
  }
  return Object.fromEntries(Object.entries(host).filter(([, value]) => value !== undefined));
}

/** Of several fields of the host for one of hooksh, the one that the call used. */
function fieldFor(tool: HostTool, key: string, original: Payload): FieldRow | undefined {
  const fields = tool.fields?.filter(([, own]) => own === key) ?? [];
  return fields.find(([host]) => Object.hasOwn(original, host)) ?? fields[0];
}

function onlyEdit(edits: unknown): [unknown, unknown] | undefined {
  if (!Array.isArray(edits) || edits.length !== 1 || !isObject(edits[0])) return undefined;
  return [edits[0]["oldText"], edits[0]["newText"]];
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
    else if (!row.edit?.includes(key)) own[key] = value;
  }
  if (row.edit?.some((key) => Object.hasOwn(patch, key)))
    Object.assign(fromHost, withEdits({}, { ...hostInput, ...patch }, row.edit));
  const twice = Object.keys(fromHost).find(
    (key) => Object.hasOwn(own, key) && canonicalJson(own[key]) !== canonicalJson(fromHost[key]),
  );
  if (twice !== undefined) return `updated_input gives ${JSON.stringify(twice)} two values, under two names`;
  return { ...own, ...fromHost };
}
