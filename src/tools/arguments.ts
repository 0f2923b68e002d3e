import { errorText } from "../lib/errors.ts";
import { isDeeperThan, isJsonObject, isObject, type Json, type JsonObject } from "../lib/json.ts";
import type { Tool } from "./tool.ts";

/** The parsed arguments of a tool call, or why the text that the model sent is invalid. */
export type ParsedArguments = { ok: true; input: Record<string, unknown> } | { ok: false; problem: string };

/** Deeper values are hardly intended, and would overflow the stack of code that walks through them. */
export const MAX_ARGUMENT_DEPTH = 200;

/** Called with a message for the log for each repair. */
export type OnRepair = (message: string) => void;

/**
 * Parses the arguments of a tool call: replaces aliases, removes top-level nulls and repairs types. Hooks, permission
 * rules and the tool itself all get the result. Never throws.
 */
export function parseArguments(tool: Tool, text: string, onRepair: OnRepair = () => {}): ParsedArguments {
  const parsed = parseObject(text);
  if (!parsed.ok) return parsed;
  const named = withoutNulls(applyAliases(parsed.input, tool.aliases ?? {}, onRepair));
  const input = repairArguments(named, tool.parameters, onRepair);
  if (isDeeperThan(input, MAX_ARGUMENT_DEPTH))
    return { ok: false, problem: `they nest more than ${MAX_ARGUMENT_DEPTH} levels deep` };
  // The arguments of an MCP tool are checked by its server, whose schema may be loose.
  const problem = tool.qualifiedName === undefined ? findMismatch(input, tool.parameters) : undefined;
  return problem === undefined ? { ok: true, input } : { ok: false, problem };
}

/**
 * Converts arguments of the wrong type to the type in the schema if there is only one way to: JSON text to a list or an
 * object, a single value to a list of one, null inside a value to an empty text, 0 or false. Leaves other values alone.
 */
export function repairArguments(
  input: Readonly<Record<string, unknown>>,
  schema: JsonObject,
  onRepair: OnRepair = () => {},
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => [name, repair(value, propertyOf(schema, name), name, onRepair)]),
  );
}

/**
 * Adds the optional `description` argument to a describable tool, and keeps it from the tool's `run`. Returns other
 * tools unchanged.
 */
export function withDescription(tool: Tool): Tool {
  const properties = tool.parameters["properties"];
  if (!tool.describable || (isObject(properties) && Object.hasOwn(properties, "description"))) return tool;
  const description = { type: "string", description: "What this call is for, in a few words. Shown to the user." };
  return {
    ...tool,
    parameters: { ...tool.parameters, properties: { ...(isJsonObject(properties) ? properties : {}), description } },
    run: ({ description: _description, ...input }, context) => tool.run(input, context),
  };
}

function parseObject(text: string): ParsedArguments {
  if (text.trim() === "") return { ok: true, input: {} };
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return { ok: true, input: value };
    return { ok: false, problem: `the arguments must be a JSON object, not ${kindOf(value)}` };
  } catch (error) {
    return { ok: false, problem: `the arguments are not valid JSON: ${errorText(error)}` };
  }
}

type Input = Record<string, unknown>;

/** Replaces every alias, so that hooks never judge an argument that the tool ignores. */
function applyAliases(input: Input, aliases: Readonly<Record<string, string>>, onRepair: OnRepair): Input {
  return Object.entries(aliases).reduce((current, [alias, name]) => {
    const { [alias]: value, ...others } = current;
    if (isBlank(value)) return others;
    if (!isBlank(current[name])) {
      onRepair(`${alias}: left out, ${name} is given as well`);
      return others;
    }
    const { [name]: _blank, ...rest } = others;
    return { [name]: value, ...rest };
  }, input);
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "string" && value.trim() === "");
}

function withoutNulls(input: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
}

function repair(value: unknown, schema: JsonObject | undefined, path: string, onRepair: OnRepair): unknown {
  if (!schema) return value;
  const unwrapped = fits(value, schema) ? value : unwrapText(value, schema, path, onRepair);
  const listed = fits(unwrapped, schema) ? unwrapped : wrapInList(unwrapped, schema, path, onRepair);
  const filled = fits(listed, schema) ? listed : fillNull(listed, schema, path, onRepair);
  return repairInside(filled, schema, path, onRepair);
}

function unwrapText(value: unknown, schema: JsonObject, path: string, onRepair: OnRepair): unknown {
  if (typeof value !== "string" || !(wants(schema, "array") || wants(schema, "object"))) return value;
  try {
    const inner: unknown = JSON.parse(value);
    if (typeof inner !== "object" || inner === null) return value;
    onRepair(`${path}: read the text as JSON`);
    return inner;
  } catch {
    return value; // not JSON: the type mismatch is reported later
  }
}

function wrapInList(value: unknown, schema: JsonObject, path: string, onRepair: OnRepair): unknown {
  if (!wants(schema, "array") || value === null || Array.isArray(value)) return value;
  const item = asSchema(schema["items"]);
  if (item && !fits(value, item)) return value;
  onRepair(`${path}: took the single value as a list of one`);
  return [value];
}

const EMPTY: readonly (readonly [string, Json])[] = [
  ["string", ""],
  ["integer", 0],
  ["number", 0],
  ["boolean", false],
];

function fillNull(value: unknown, schema: JsonObject, path: string, onRepair: OnRepair): unknown {
  const empty = EMPTY.find(([type]) => wants(schema, type));
  if (value !== null || !empty) return value;
  onRepair(`${path}: took null as ${JSON.stringify(empty[1])}`);
  return empty[1];
}

function repairInside(value: unknown, schema: JsonObject, path: string, onRepair: OnRepair): unknown {
  if (Array.isArray(value)) {
    const item = asSchema(schema["items"]);
    return value.map((inner: unknown, index) => repair(inner, item, `${path}[${index}]`, onRepair));
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([name, inner]) => [name, repair(inner, propertyOf(schema, name), `${path}.${name}`, onRepair)]),
  );
}

function findMismatch(input: Record<string, unknown>, schema: JsonObject): string | undefined {
  for (const [name, value] of Object.entries(input)) {
    const property = propertyOf(schema, name);
    if (!property || fits(value, property)) continue;
    return `${name} must be ${typesOf(property).join(" or ")}, not ${kindOf(value)}`;
  }
  return undefined;
}

function fits(value: unknown, schema: JsonObject): boolean {
  const types = typesOf(schema);
  const kind = kindOf(value);
  if (types.length === 0 || types.includes(kind)) return true;
  return types.includes("integer") && Number.isInteger(value);
}

function wants(schema: JsonObject, type: string): boolean {
  return typesOf(schema).includes(type);
}

/** Returns the JSON types in the `type` of a schema; empty if it has none, or uses other keywords. */
function typesOf(schema: JsonObject): string[] {
  return [schema["type"]].flat().filter((type) => typeof type === "string");
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function propertyOf(schema: JsonObject, name: string): JsonObject | undefined {
  const properties = schema["properties"];
  return isJsonObject(properties) && Object.hasOwn(properties, name) ? asSchema(properties[name]) : undefined;
}

function asSchema(value: Json | undefined): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}
