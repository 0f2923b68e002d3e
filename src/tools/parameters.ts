import * as v from "valibot";
import type { Json, JsonObject } from "../lib/json.ts";

/** The parameters of a tool by name, in the order the model sees them. */
export type Parameters = Readonly<Record<string, v.GenericSchema>>;

export const text = (description: string) => v.pipe(v.string(), v.description(description));

export const integer = (description: string) => v.pipe(v.number(), v.integer(), v.description(description));

export const flag = (description: string) => v.pipe(v.boolean(), v.description(description));

/** A list of items of one schema. */
export const list = <const Item extends v.GenericSchema>(item: Item, description: string) =>
  v.pipe(v.array(item), v.description(description));

/** One of the given words. */
export const choice = <const Words extends readonly string[]>(words: Words, description: string) =>
  v.pipe(v.picklist(words), v.description(description));

/** A parameter that the model may leave out. */
export const optional = <const Schema extends v.GenericSchema>(schema: Schema) => v.exactOptional(schema);

/**
 * Converts the parameters of a tool to JSON Schema, with the properties in the given order and no others allowed.
 * Throws on a schema that the functions of this file do not make.
 */
export function parametersSchema(parameters: Parameters): JsonObject {
  const names = Object.keys(parameters);
  return {
    type: "object",
    properties: Object.fromEntries(Object.entries(parameters).map(([name, schema]) => [name, jsonSchema(schema)])),
    required: names.filter((name) => parameters[name]?.type !== "exact_optional"),
    additionalProperties: false,
  };
}

function jsonSchema(schema: v.GenericSchema): JsonObject {
  if ("wrapped" in schema && isSchema(schema.wrapped)) return jsonSchema(schema.wrapped);
  return { ...shape(schema), ...Object.fromEntries(actions(schema).flatMap(keyword)) };
}

function shape(schema: v.GenericSchema): JsonObject {
  if ("entries" in schema && isEntries(schema.entries)) return parametersSchema(schema.entries);
  if ("item" in schema && isSchema(schema.item)) return { type: "array", items: jsonSchema(schema.item) };
  if ("options" in schema && isWords(schema.options)) return { type: "string", enum: schema.options };
  if (schema.type === "record") return { type: "object" };
  if (schema.type === "string" || schema.type === "number" || schema.type === "boolean") return { type: schema.type };
  throw new Error(`a tool parameter cannot be a ${JSON.stringify(schema.type)}`);
}

function actions(schema: v.GenericSchema): object[] {
  return "pipe" in schema && Array.isArray(schema.pipe) ? schema.pipe.slice(1) : [];
}

/** Returns the JSON Schema keyword for one step of a schema's pipe. */
function keyword(action: object): [string, Json][] {
  if (!("type" in action)) return [];
  if (action.type === "integer") return [["type", "integer"]];
  if (action.type === "description" && "description" in action) return [["description", String(action.description)]];
  if (!("requirement" in action) || typeof action.requirement !== "number") return [];
  if (action.type === "min_length") return [["minItems", action.requirement]];
  if (action.type === "max_length") return [["maxItems", action.requirement]];
  if (action.type === "min_value") return [["minimum", action.requirement]];
  if (action.type === "max_value") return [["maximum", action.requirement]];
  return [];
}

function isSchema(value: unknown): value is v.GenericSchema {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "schema";
}

function isEntries(value: unknown): value is Parameters {
  return typeof value === "object" && value !== null && Object.values(value).every(isSchema);
}

function isWords(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((word) => typeof word === "string");
}
