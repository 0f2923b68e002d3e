import type * as v from "valibot";
import type { Json, JsonObject } from "../../lib/json.ts";
import { keyFactsOf, type Schema } from "../../lib/schema/keys.ts";

/** The JSON Schema dialect of what is made here. */
export const JSON_SCHEMA_DIALECT = "https://json-schema.org/draft/2020-12/schema";

/**
 * The JSON Schema of a Valibot schema. Strict objects are of configuration: what they accept once keys set to null are
 * taken for absent; loose ones are of the wire, where null is no value. Throws on a kind of schema or check it does not
 * know, so that none is lost in silence.
 */
export function toJsonSchema(schema: Schema): JsonObject {
  const facts = keyFactsOf(schema);
  const notes = [
    ...(facts.since ? [`Schema version ${facts.since}.`] : []),
    ...(facts.withoutEffect ? ["Not supported yet."] : []),
  ];
  const checks = actionsOf(schema).map(keywords);
  return Object.assign({}, shapeOf(schema), ...checks, notes.length > 0 ? { description: notes.join(" ") } : {});
}

function shapeOf(schema: Schema): JsonObject {
  switch (schema.type) {
    case "string":
    case "number":
    case "boolean":
      return { type: schema.type };
    case "unknown":
      return {};
    case "literal":
      return { const: part<Json>(schema, "literal") };
    case "picklist":
      return { enum: part<Json[]>(schema, "options") };
    case "array":
      return { type: "array", items: toJsonSchema(part<Schema>(schema, "item")) };
    case "record":
      return { type: "object", additionalProperties: toJsonSchema(part<Schema>(schema, "value")) };
    case "union":
    case "variant":
      return { anyOf: part<Schema[]>(schema, "options").map(toJsonSchema) };
    case "strict_object":
      return { ...objectOf(part<v.ObjectEntries>(schema, "entries"), orNull), additionalProperties: false };
    case "loose_object":
      return objectOf(part<v.ObjectEntries>(schema, "entries"), (property) => property);
    default:
      // a check of its own kind in front of a schema: that schema, further down the pipe, says more
      if (schema.type === "custom" && actionsOf(schema).some(({ kind }) => kind === "schema")) return {};
      throw new Error(`no JSON Schema for a Valibot schema of kind ${JSON.stringify(schema.type)}`);
  }
}

/** An object; `optionally` says what an optional key of it accepts. */
function objectOf(entries: v.ObjectEntries, optionally: (schema: JsonObject) => JsonObject): JsonObject {
  const properties = Object.entries(entries as Record<string, Schema>).map(([key, entry]): [string, JsonObject] => {
    return [key, isOptional(entry) ? optionally(toJsonSchema(part<Schema>(entry, "wrapped"))) : toJsonSchema(entry)];
  });
  const required = Object.keys(entries).filter((key) => !isOptional(entries[key] as Schema));
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length > 0 ? { required } : {}),
  };
}

function isOptional(schema: Schema): boolean {
  return schema.type === "exact_optional" || schema.type === "optional";
}

/** Accepts null too: an optional key without a value counts as absent. */
export function orNull(schema: JsonObject): JsonObject {
  const { description, ...shape } = schema;
  const note = description === undefined ? {} : { description };
  if (Object.keys(shape).length === 0) return schema;
  if (Array.isArray(shape["enum"])) return { ...shape, enum: [...(shape["enum"] as Json[]), null], ...note };
  if (typeof shape["type"] === "string") return { ...shape, type: [shape["type"], "null"], ...note };
  return { anyOf: [shape, { type: "null" }], ...note };
}

/** One step of a Valibot pipe. */
interface Action {
  kind: string;
  type: string;
  requirement?: Json;
}

/** What a check adds to the shape. Transforms and own checks add nothing: a file may pass here and fail there. */
function keywords(action: Action): JsonObject {
  const { kind, type, requirement = null } = action;
  if (kind === "schema") return toJsonSchema(action as unknown as Schema);
  switch (type) {
    case "non_empty":
      return { minLength: 1 };
    case "integer":
      return { type: "integer" };
    case "min_value":
      return { minimum: requirement };
    case "max_value":
      return requirement === Number.MAX_SAFE_INTEGER || requirement === Infinity ? {} : { maximum: requirement };
    case "gt_value":
      return { exclusiveMinimum: requirement };
    case "check":
    case "transform":
    case "metadata":
      return {};
    default:
      throw new Error(`no JSON Schema for a Valibot check of kind ${JSON.stringify(type)}`);
  }
}

function actionsOf(schema: Schema): Action[] {
  const pipe = "pipe" in schema && Array.isArray(schema.pipe) ? (schema.pipe.slice(1) as Action[]) : [];
  const inner = "pipe" in schema && Array.isArray(schema.pipe) ? (schema.pipe[0] as Schema) : undefined;
  return inner && "pipe" in inner ? [...actionsOf(inner), ...pipe] : pipe;
}

function part<T>(schema: Schema, key: string): T {
  return Reflect.get(schema, key) as T;
}
