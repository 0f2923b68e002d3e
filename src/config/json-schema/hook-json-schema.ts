import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import { schemaFromShape } from "../../lib/schema/schema-from-shape.ts";
import type { Shape } from "../../lib/schema/shape.ts";
import { contractOf, EVENT_NAMES, type EventName } from "../../protocol/events.ts";
import { FIELDS, type FieldName } from "../../protocol/fields.ts";
import { ANSWER_FIELDS, BLOCK, OUTPUT_FIELDS, SPECIFIC_FIELDS } from "../../protocol/output.ts";
import { DECISIONS } from "../../protocol/result.ts";
import { JSON_SCHEMA_DIALECT, orNull, toJsonSchema } from "./json-schema.ts";

/** The fields that every input has, even if they are empty. */
const ALWAYS = ["session_id", "cwd", "hook_event_name"] as const satisfies readonly FieldName[];

/**
 * Returns the JSON Schema of a hook's input: one alternative per event, selected by `hook_event_name`. Unknown fields
 * are allowed, because later versions may add some.
 */
export function hookInputJsonSchema(): JsonObject {
  return {
    $schema: JSON_SCHEMA_DIALECT,
    title: "hooksh hook input",
    description: "The input of a hook: a JSON object on standard input, or the first argument of a TypeScript hook.",
    oneOf: EVENT_NAMES.map((event) => ({ $ref: `#/$defs/${event}` })),
    $defs: Object.fromEntries(EVENT_NAMES.map((event) => [event, inputOf(event)])),
  };
}

/**
 * Returns the JSON Schema of a hook's output. A key set to null counts as absent, and unknown keys are ignored unless
 * the hook is configured with `strict_output`.
 */
export function hookOutputJsonSchema(): JsonObject {
  const specific = fieldsOf(SPECIFIC_FIELDS, {
    hook_event_name: { enum: [...EVENT_NAMES] },
    permission_decision: { enum: [...DECISIONS, ""] },
  });
  const top = fieldsOf(OUTPUT_FIELDS, { decision: { enum: [BLOCK, "allow", ""] } });
  return {
    $schema: JSON_SCHEMA_DIALECT,
    title: "hooksh hook output",
    description: "The output of a hook: a JSON object on standard output, or the value that a TypeScript hook returns.",
    type: "object",
    properties: {
      ...top,
      hook_specific_output: { type: ["object", "null"], properties: withMeaning(specific) },
    },
  };
}

function inputOf(event: EventName): JsonObject {
  const { fields, summary, matcher, values } = contractOf(event);
  const known: readonly FieldName[] = [...ALWAYS, "agent_name", ...fields];
  const properties = known.map((field): [string, JsonObject] => {
    const examples: readonly Json[] | undefined = values?.[field];
    return [
      field,
      { ...toJsonSchema(schemaFromShape<unknown>(FIELDS[field])), ...(examples ? { examples: [...examples] } : {}) },
    ];
  });
  return {
    title: event,
    description: summary,
    type: "object",
    properties: { ...Object.fromEntries(properties), hook_event_name: { const: event } },
    required: [...ALWAYS, ...(matcher ? ["tool_name"] : [])],
  };
}

/** Returns the properties for an output's fields. `narrower` replaces the shapes that a later check restricts. */
function fieldsOf(
  fields: Readonly<Record<string, Shape>>,
  narrower: Readonly<Record<string, JsonObject>>,
): Record<string, JsonObject> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, shape]) => [
      name,
      orNull(narrower[name] ?? withInnerNulls(toJsonSchema(schemaFromShape(shape)))),
    ]),
  );
}

/** Also accepts null inside a value where it counts as absent: for optional keys and list items. */
function withInnerNulls(schema: JsonObject): JsonObject {
  const { items, properties, required, additionalProperties } = schema;
  const needed = Array.isArray(required) ? (required as Json[]) : [];
  const inner = isObject(properties)
    ? {
        properties: mapValues(properties, (property, key) =>
          needed.includes(key) ? withInnerNulls(property) : orNull(withInnerNulls(property)),
        ),
      }
    : {};
  return {
    ...schema,
    ...inner,
    ...(isObject(items) ? { items: orNull(withInnerNulls(items as JsonObject)) } : {}),
    ...(isObject(additionalProperties) ? { additionalProperties: orNull(additionalProperties as JsonObject) } : {}),
  };
}

function mapValues(properties: object, map: (property: JsonObject, key: string) => JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).map(([key, property]) => [key, map(property as JsonObject, key)]),
  );
}

/** Describes each property with the events on which it has a meaning. */
function withMeaning(properties: Readonly<Record<string, JsonObject>>): JsonObject {
  const answers = Object.entries(ANSWER_FIELDS) as [keyof typeof ANSWER_FIELDS, readonly string[]][];
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => {
      const answer = answers.find(([, names]) => names.includes(name))?.[0];
      const events = EVENT_NAMES.filter((event) => answer !== undefined && contractOf(event).accepts.includes(answer));
      return [
        name,
        events.length > 0 ? { ...property, description: `Has a meaning on ${events.join(", ")}.` } : property,
      ];
    }),
  );
}
