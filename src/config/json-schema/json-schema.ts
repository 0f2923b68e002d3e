import {
  toJsonSchema as convert,
  type OverrideActionContext,
  type OverrideSchemaContext,
} from "@valibot/to-json-schema";
import type { Json, JsonObject } from "../../lib/json.ts";
import type { KeyFacts, Schema } from "../../lib/schema/keys.ts";
import { PLAIN_OBJECT } from "../../lib/schema/schema-from-shape.ts";

/** The JSON Schema dialect of what is made here. */
export const JSON_SCHEMA_DIALECT = "https://json-schema.org/draft/2020-12/schema";

/**
 * The JSON Schema of a Valibot schema. Strict objects are configuration, in which a key set to null counts as absent;
 * loose ones are of the wire, where null is no value. Throws on a kind of schema or check that has no JSON Schema, so that
 * none is lost in silence.
 */
export function toJsonSchema(schema: Schema): JsonObject {
  // The two functions below throw every error but one: that a pipe holds two schemas, whose keywords are joined.
  const { $schema: _dialect, ...converted } = convert(schema, {
    target: "draft-2020-12",
    errorMode: "ignore",
    overrideSchema,
    overrideAction,
  });
  return converted as JsonObject;
}

function overrideSchema({ valibotSchema: schema, jsonSchema, errors }: OverrideSchemaContext): Converted {
  const made = jsonSchema as JsonObject;
  switch (schema.type) {
    case "custom":
      if (schema !== PLAIN_OBJECT) break;
      return {}; // the record behind it in the pipe says more
    case "picklist":
      return without(made, "type"); // it would refuse the null that an optional key accepts
    case "record":
      return without(made, "propertyNames"); // every key of JSON is a text
    case "variant": {
      // Where null counts as absent, more than one of the alternatives may fit.
      const { oneOf = [], ...rest } = made;
      return { ...rest, anyOf: oneOf } as Converted;
    }
    case "strict_object":
    case "loose_object":
      return objectOf(made, schema.type === "strict_object");
  }
  if (errors) throw new Error(errors.join("\n"));
  return undefined;
}

type Converted = OverrideSchemaContext["jsonSchema"] | undefined;

/** An object without an empty `required`, whose optional keys accept null if it is of configuration. */
function objectOf(made: JsonObject, isConfiguration: boolean): JsonObject {
  const { properties, required, ...rest } = made as { properties: Record<string, JsonObject>; required: string[] };
  const accepted = Object.entries(properties).map(([key, property]) => [
    key,
    isConfiguration && !required.includes(key) ? orNull(property) : property,
  ]);
  const needed = required.length > 0 ? { required } : {};
  return { type: "object", properties: Object.fromEntries(accepted), ...needed, ...without(rest, "type") };
}

function without(schema: JsonObject, key: string): JsonObject {
  const { [key]: _dropped, ...rest } = schema;
  return rest;
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

/** Own checks and transforms add nothing: a file may pass here and fail there. */
function overrideAction({ valibotAction: action, jsonSchema, errors }: OverrideActionContext): Converted {
  switch (action.type) {
    case "check":
    case "transform":
      return jsonSchema;
    case "metadata":
      return { ...withoutFacts(jsonSchema), ...describe((action as unknown as { metadata: KeyFacts }).metadata) };
    case "max_value": {
      const { requirement } = action as unknown as { requirement: number };
      if (requirement === Number.MAX_SAFE_INTEGER) return without(jsonSchema as JsonObject, "maximum");
      if (requirement === Number.POSITIVE_INFINITY) return jsonSchema;
    }
  }
  if (errors) throw new Error(errors.join("\n"));
  return undefined;
}

function withoutFacts(schema: OverrideActionContext["jsonSchema"]): JsonObject {
  return without(without(schema as JsonObject, "since"), "withoutEffect");
}

function describe({ since, withoutEffect }: KeyFacts): JsonObject {
  const notes = [...(since ? [`Schema version ${since}.`] : []), ...(withoutEffect ? ["Not supported yet."] : [])];
  return notes.length > 0 ? { description: notes.join(" ") } : {};
}
