import { isDeeperThan, isObject, type Json, type JsonObject } from "../../lib/json.ts";
import { uniteNames, uniteValues } from "./merge-nodes.ts";
import { FACETS, type FacetName, isShallow, JSON_TYPES, type JsonType, VALUE_DEPTH } from "./schema-node.ts";

/** Replaces a condition that is too large for a description. */
export const FURTHER_CONDITIONS: JsonObject = { $comment: "further conditions" };

/** Reads the types of a node, including null for `nullable` of OpenAPI. */
export function readTypes(value: Readonly<Record<string, unknown>>): readonly JsonType[] | undefined {
  const written = [value["type"]].flat();
  const types = JSON_TYPES.filter((type) => written.includes(type));
  if (types.length === 0) return undefined;
  return value["nullable"] === true && !types.includes("null") ? [...types, "null"] : types;
}

/** Reads the values of `enum`, or that of `const`. */
export function readValues(value: Readonly<Record<string, unknown>>): readonly Json[] | undefined {
  const written: unknown = Object.hasOwn(value, "const") ? [value["const"]] : value["enum"];
  if (!Array.isArray(written) || written.length === 0 || !isShallow(written)) return undefined;
  return uniteValues(written as readonly Json[], []);
}

/** Reads the names of required properties. */
export function readRequired({
  required,
  properties,
}: Readonly<Record<string, unknown>>): readonly string[] | undefined {
  // In draft 3, `required` is a boolean in the property.
  const marked = isObject(properties)
    ? Object.entries(properties).flatMap(([name, schema]) =>
        isObject(schema) && schema["required"] === true ? [name] : [],
      )
    : [];
  const listed = Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
  const forbidden = isObject(properties)
    ? listed.filter((name) => Object.hasOwn(properties, name) && properties[name] === false)
    : [];
  const names = uniteNames(
    listed.filter((name) => !forbidden.includes(name)),
    marked,
  );
  return names && names.length > 0 ? names : undefined;
}

const EVERY_KEY = /^\^?(\(?\.\*\)?|\(?\.\+\)?)?\$?$/;

/** Reads the schema of additional properties. Patterns that it cannot express become conditions. */
export function readAdditional(value: Readonly<Record<string, unknown>>): {
  additional?: unknown;
  conditions: JsonObject[];
} {
  const written: unknown = value["additionalProperties"] ?? value["unevaluatedProperties"];
  const known = typeof written === "boolean" || isObject(written) ? written : undefined;
  const patterns = isObject(value["patternProperties"]) ? Object.entries(value["patternProperties"]) : [];
  const [first] = patterns;
  if (!first) return { additional: known, conditions: [] };
  const [pattern, schema] = first;
  if (patterns.length > 1 || (known !== undefined && known !== false)) {
    return {
      additional: known === false ? true : known,
      conditions: asConditions({ patternProperties: value["patternProperties"] }),
    };
  }
  return { additional: schema, conditions: EVERY_KEY.test(pattern) ? [] : [{ propertyNames: { pattern } }] };
}

/** Reads the schema of the items, and of the first ones if they have schemas of their own. */
export function readItems(value: Readonly<Record<string, unknown>>): { items?: unknown; tuple?: readonly unknown[] } {
  const { items, prefixItems, additionalItems } = value;
  const tuple: unknown = Array.isArray(prefixItems) ? prefixItems : items;
  const rest: unknown = Array.isArray(items) ? additionalItems : items;
  return {
    ...(isObject(rest) || rest === true ? { items: rest } : {}),
    ...(Array.isArray(tuple) && tuple.length > 0 ? { tuple } : {}),
  };
}

/** Reads the single-value keywords of a node that have a valid value. */
export function readFacets(value: Readonly<Record<string, unknown>>): ReadonlyMap<FacetName, Json> {
  const facets = new Map<FacetName, Json>();
  for (const [name, written] of Object.entries(value)) {
    const [facet, read] = modernFacet(name, written, value);
    if (isFacet(facet) && read !== undefined && FACETS[facet].accepts(read)) facets.set(facet, read as Json);
  }
  return facets;
}

function isFacet(name: string): name is FacetName {
  return Object.hasOwn(FACETS, name);
}

/** Draft 4 marks a bound as exclusive with a separate boolean; OpenAPI has a single `example`. */
function modernFacet(
  name: string,
  written: unknown,
  value: Readonly<Record<string, unknown>>,
): readonly [string, unknown] {
  switch (name) {
    case "minimum":
      return [value["exclusiveMinimum"] === true ? "exclusiveMinimum" : name, written];
    case "maximum":
      return [value["exclusiveMaximum"] === true ? "exclusiveMaximum" : name, written];
    case "example":
      return ["examples", value["examples"] === undefined ? [written] : undefined];
    default:
      return [name, written];
  }
}

const CONDITIONS: readonly (readonly string[])[] = [
  ["not"],
  ["if", "then", "else"],
  ["contains", "minContains", "maxContains"],
  ["propertyNames"],
  ["dependentRequired"],
  ["dependentSchemas"],
  ["dependencies"],
];

/** Reads the keywords that only a validator can check. */
export function readConditions(value: Readonly<Record<string, unknown>>): JsonObject[] {
  return CONDITIONS.flatMap((keywords) => {
    if (value[keywords[0] ?? ""] === undefined) return [];
    const found = keywords.filter((name) => value[name] !== undefined);
    return asConditions(Object.fromEntries(found.map((name) => [name, value[name]])));
  });
}

function asConditions(condition: Record<string, unknown>): JsonObject[] {
  return isDeeperThan(condition, VALUE_DEPTH) ? [FURTHER_CONDITIONS] : [condition as JsonObject];
}
