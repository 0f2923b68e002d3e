import {
  toJsonSchema as convert,
  type OverrideActionContext,
  type OverrideSchemaContext,
} from "@valibot/to-json-schema";
import type { Json, JsonObject } from "../../lib/json.ts";
import type { KeyFacts, Schema } from "../../lib/schema/keys.ts";
import { PLAIN_OBJECT } from "../../lib/schema/schema-from-shape.ts";

/** The JSON Schema dialect of the generated schemas. */
export const JSON_SCHEMA_DIALECT = "https://json-schema.org/draft/2020-12/schema";

/**
 * Converts a Valibot schema to JSON Schema. Strict objects are configuration, in which a key set to null counts as
 * absent; loose ones are data from hooks, in which null is not a value. Throws on a schema or check that has no JSON
 * Schema, so that none is lost silently.
 */
export function toJsonSchema(schema: Schema): JsonObject {
  // The two functions below throw on every error except that a pipe contains two schemas, whose keywords are merged.
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
      return {}; // the record after it in the pipe is more precise
    case "picklist":
      return without(made, "type"); // it would reject the null that an optional key accepts
    case "record":
      return without(made, "propertyNames"); // all keys in JSON are strings
    case "variant": {
      // Because null counts as absent, several alternatives may match.
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

/** Removes an empty `required`; in configuration, also accepts null for optional keys. */
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

/** Also accepts null, because an optional key without a value counts as absent. */
export function orNull(schema: JsonObject): JsonObject {
  const { description, ...shape } = schema;
  const note = description === undefined ? {} : { description };
  if (Object.keys(shape).length === 0) return schema;
  if (Array.isArray(shape["enum"])) return { ...shape, enum: [...(shape["enum"] as Json[]), null], ...note };
  if (typeof shape["type"] === "string") return { ...shape, type: [shape["type"], "null"], ...note };
  return { anyOf: [shape, { type: "null" }], ...note };
}

/** Ignores checks and transforms of hooksh itself, so a file may satisfy the JSON Schema and still be rejected. */
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
  return (["since", "withoutEffect", "instead"] as const).reduce(without, schema as JsonObject);
}

function describe({ since, withoutEffect, instead }: KeyFacts): JsonObject {
  if (withoutEffect === "refused") return { not: {}, description: `Refused: ${instead}.` };
  const notes = [
    ...(since ? [`Schema version ${since}.`] : []),
    ...(withoutEffect ? [`Not supported yet; ${instead}.`] : []),
  ];
  return notes.length > 0 ? { description: notes.join(" ") } : {};
}
