import { canonicalJson, isObject } from "../lib/json.ts";
import type { Payload } from "../protocol/rewrite.ts";
import { ownToolClass, TOOL_CLASSES, type ToolClass } from "../protocol/tool-class.ts";
import type { DecodedTool, Dialect, FieldRow, HostTool, ToolCall } from "./dialect.ts";
import { readMcpName } from "./mcp-name.ts";
import {
  asText,
  type EditFields,
  fieldGroups,
  knownFields,
  mappedFields,
  toOwnEdits,
  toOwnInput,
  toOwnList,
  toOwnValue,
} from "./own-input.ts";

/** What else is known about a call. */
export interface DecodeOptions {
  /** Another host that the payload looks like, for tools and fields that the dialect does not know. */
  like?: Dialect | undefined;
  /** The MCP servers of the host. */
  servers?: readonly string[];
}

/** Returns a tool call as hooks see it: hooksh's names where the dialect has them, the host's everywhere else. */
export function decodeTool(
  dialect: Dialect,
  call: ToolCall,
  payload: Payload,
  { like, servers = [] }: DecodeOptions = {},
): DecodedTool {
  const told = call.server ?? dialect.serverOf?.(call.name, payload);
  // A tool of an MCP server may have the name of a host's tool and is still a different tool.
  const row = told ? undefined : (bestRow([dialect, like], call) ?? scheduled(call));
  const other = row || told ? undefined : (classOf(dialect, call.name) ?? (like && classOf(like, call.name)));
  const mcp = row || other ? {} : readMcpName(dialect, call, { told, servers });
  const names = [row?.is, ...(row?.also ?? []), call.shownAs, call.name, ...(mcp.names ?? [])];
  const hostInput = row ? withExactNames(row, call.input) : call.input;
  return {
    ...call,
    server: mcp.server,
    row,
    class: row ? ownToolClass(row.is) : mcp.isMcp ? "other" : other,
    isAmbiguous: mcp.isAmbiguous ?? false,
    hostInput,
    input: row ? toOwnInput(row, hostInput) : hostInput,
    names: [...new Set(names.filter((name) => name !== undefined && name !== ""))] as string[],
  };
}

/** The class of a tool that does nothing that a tool of hooksh does; undefined if the dialect does not know it. */
export function classOf({ others }: Dialect, name: string): ToolClass | undefined {
  return TOOL_CLASSES.find((each) => others[each]?.split(" ").includes(name));
}

/** True if a dialect knows neither the tool nor, of a tool that it knows, any field of the call. */
export function isUnknownTool({ row, server, hostInput }: DecodedTool): boolean {
  return server === undefined && (row === undefined || knownFields(row, hostInput) === 0);
}

/** The row of a tool that knows most fields of the call; the first of them. */
function bestRow(dialects: readonly (Dialect | undefined)[], { name, input }: ToolCall): HostTool | undefined {
  const rows = dialects.flatMap((dialect) => {
    const row = dialect?.tools.find(({ names, when }) => names.includes(name) && (when === undefined || when(input)));
    return row ? [{ row, known: knownFields(row, input) }] : [];
  });
  const most = Math.max(...rows.map(({ known }) => known));
  return rows.find(({ known }) => known === most)?.row;
}

/** Tools that do something later: most take a prompt, some a command. */
const RUNS_LATER = /cron|schedule|wakeup|loop|attempt_completion/i;
const SCHEDULED: HostTool = { is: "shell", names: [], fields: [["command", "cmd"]] };

/** The row of a tool that runs the command in its input later. */
function scheduled({ name, input }: ToolCall): HostTool | undefined {
  return RUNS_LATER.test(name) && typeof input["command"] === "string" ? SCHEDULED : undefined;
}

/** Some hosts read `Command` as `command`, so hooks see it as that too, unless the call has both. */
function withExactNames(tool: HostTool, input: Payload): Payload {
  const known = mappedFields(tool);
  const other = spellings(known, input).filter((key) => !known.includes(key));
  if (other.length === 0) return input;
  const exact = (key: string): string => known.find((field) => spellings([field], { [key]: true }).length > 0) ?? key;
  const renamed = Object.entries(input).map(([key, value]): [string, unknown] => {
    const name = other.includes(key) ? exact(key) : key;
    return Object.hasOwn(input, name) ? [key, value] : [name, value];
  });
  return Object.fromEntries(renamed);
}

/**
 * Returns why hooks cannot judge the input of a call: it has a field of the host in two spellings with different values,
 * and hooksh cannot know which one the host uses. Undefined if there is no such field.
 */
export function ambiguousField({ row, hostInput }: DecodedTool): string | undefined {
  for (const known of row ? fieldGroups(row) : []) {
    const [first = "", ...others] = spellings(known, hostInput);
    const other = others.find((key) => canonicalJson(hostInput[key]) !== canonicalJson(hostInput[first]));
    if (other !== undefined)
      return `the input of the tool has ${JSON.stringify(first)} and ${JSON.stringify(other)}: which of the two counts is not clear`;
  }
  return undefined;
}

/** The keys of the input that spell one of the fields in any case, because some JSON parsers ignore case. */
function spellings(fields: readonly string[], input: Payload): string[] {
  if (fields.length === 0) return [];
  const pattern = new RegExp(`^(?:${fields.join("|")})$`, "iu");
  return Object.keys(input).filter((key) => pattern.test(key));
}

/** Returns a value in the host's unit; undefined if it has no inverse. `before`: the value in the call. */
function toHostValue([, , unit]: FieldRow, value: unknown, before: unknown): unknown {
  if (unit === "ms") return typeof value === "number" ? value * 1000 : value;
  return unit === "lines" && typeof value === "string" ? toList(value, Array.isArray(before) ? before : []) : value;
}

/** A list with one text stays that text. Several texts become lines, which has no inverse if a text has several lines. */
function toList(value: string, before: readonly unknown[]): unknown[] | undefined {
  const texts = before.map(asText);
  if (texts.join("\n") === value && before.length > 0) return [...before];
  if (texts.length <= 1) return [value];
  return texts.some((text) => text.includes("\n")) ? undefined : value.split("\n");
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
    // A host that refuses such a rewrite makes the call as it was.
    if (field && typeof original[name] === "string" && typeof host[name] !== "string") return undefined;
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
  const isSingle = Object.hasOwn(original, before) || Object.hasOwn(original, after);
  if (isSingle && list !== undefined && Object.hasOwn(original, list)) return undefined;
  if (list !== undefined && !isSingle) {
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

/** The edits in a patch with the host's fields; a field of the pair that the patch omits keeps its value. */
function patchedEdits(patch: Payload, edit: EditFields, hostInput: Payload): Payload {
  const [before, after, list] = edit;
  if (Object.hasOwn(patch, before) || Object.hasOwn(patch, after)) {
    const kept = Object.entries(hostInput).filter(([key]) => key !== list);
    return toOwnEdits({ ...Object.fromEntries(kept), ...patch }, edit);
  }
  return list === undefined || list === "edits" ? {} : toOwnEdits(patch, edit);
}
