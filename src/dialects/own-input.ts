import { isObject } from "../lib/json.ts";
import type { Payload } from "../protocol/rewrite.ts";
import type { FieldRow, HostTool } from "./dialect.ts";

export type EditFields = NonNullable<HostTool["edit"]>;

/** The fields of the host in groups with the same meaning. */
export function fieldGroups({ fields = [], edit }: HostTool): string[][] {
  const owns = [...new Set(fields.map(([, own]) => own))];
  const groups = owns.map((own) => fields.filter((field) => field[1] === own).map(([host]) => host));
  return [...groups, ...(edit ?? []).flatMap((field) => (field === undefined ? [] : [[field]]))];
}

/** The fields of the host that a row names. */
export function mappedFields(tool: HostTool): string[] {
  return fieldGroups(tool).flat();
}

/** How many fields of a tool a call has. */
export function knownFields(tool: HostTool, input: Payload): number {
  let known = 0;
  for (const [host] of tool.fields ?? []) if (Object.hasOwn(input, host)) known++;
  for (const host of tool.edit ?? []) if (host !== undefined && Object.hasOwn(input, host)) known++;
  return known;
}

/**
 * Returns tool input in hooksh's fields. Fields without a mapping keep their name and value, unless a mapped one has
 * that name: what the host acts on must not be hidden by a field that it does not know. Of several fields for the same
 * the first in the table counts.
 */
export function toOwnInput(tool: HostTool, input: Payload): Payload {
  if (tool.read) return tool.read(input);
  const { fields = [], edit = [] } = tool;
  const unmapped: Record<string, unknown> = { ...input };
  const mapped: Record<string, unknown> = {};
  for (const field of fields.toReversed()) {
    const [host, own] = field;
    if (!Object.hasOwn(input, host)) continue;
    mapped[own] = toOwnValue(field, input[host]);
    delete unmapped[host];
  }
  for (const host of edit) if (host !== undefined) delete unmapped[host];
  return { ...unmapped, ...mapped, ...(tool.edit ? toOwnEdits(input, tool.edit) : {}) };
}

/** The edits of a call, whether the host has one or a list of them; an empty object if there are none. */
export function toOwnEdits(input: Payload, edit: EditFields): Payload {
  const [before, after, list] = edit;
  const single = Object.hasOwn(input, before) || Object.hasOwn(input, after) ? [toOwnEdit(input, edit, {})] : [];
  if (list === undefined || !Object.hasOwn(input, list)) return single.length > 0 ? { edits: single } : {};
  const several = toOwnList(input[list], edit);
  // A call with both shows both: which of them the host acts on is not known.
  return { edits: single.length > 0 ? [...single, ...(Array.isArray(several) ? several : [several])] : several };
}

/** Returns a list of edits in hooksh's fields; anything else as it is. */
export function toOwnList(edits: unknown, edit: EditFields): unknown {
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

/** Returns a value of a field in the unit of hooksh. */
export function toOwnValue([, , unit]: FieldRow, value: unknown): unknown {
  if (unit === "ms") return typeof value === "number" ? value / 1000 : value;
  return unit === "lines" && Array.isArray(value) ? value.map(asText).join("\n") : value;
}

/** Returns text as it is, and anything else as JSON. */
export function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
