import { canonicalJson, type Json } from "../../lib/json.ts";
import { JSON_TYPES, type JsonType, type SchemaNode, uniteConditions } from "./schema-node.ts";

/** Returns the node without its reference. */
export function withoutReference({ ref: _ref, ...node }: SchemaNode): SchemaNode {
  return node;
}

/** Merges the description, facets and conditions of two nodes; the narrower of two bounds counts. */
export function mergeAnnotations(
  first: SchemaNode,
  second: SchemaNode,
): Pick<SchemaNode, "description" | "facets" | "conditions"> {
  const description = first.description ?? second.description;
  const facets = new Map([...second.facets, ...first.facets]);
  for (const [name, value] of second.facets) {
    const other = first.facets.get(name);
    if (typeof value !== "number" || typeof other !== "number") continue;
    facets.set(name, /^(min|exclusiveMin)/.test(name) ? Math.max(value, other) : Math.min(value, other));
  }
  return {
    ...(description === undefined ? {} : { description }),
    facets,
    conditions: uniteConditions(first.conditions, second.conditions),
  };
}

/** Returns the types that both lists allow; the first list if there are none. */
export function intersectTypes(first: SchemaNode["types"], second: SchemaNode["types"]): SchemaNode["types"] {
  if (!first || !second) return first ?? second;
  const fits = (type: JsonType, types: readonly JsonType[]) =>
    types.includes(type) || (type === "integer" && types.includes("number"));
  const shared = JSON_TYPES.filter(
    (type) => (first.includes(type) && fits(type, second)) || (second.includes(type) && fits(type, first)),
  );
  return shared.length > 0 ? shared : first;
}

/** Returns the values in both lists; the first list if there are none. */
export function intersectValues(first: SchemaNode["values"], second: SchemaNode["values"]): SchemaNode["values"] {
  if (!first || !second) return first ?? second;
  const known = new Set(second.map(canonicalJson));
  const shared = first.filter((value) => known.has(canonicalJson(value)));
  return shared.length > 0 ? shared : first;
}

/** Returns the values of both lists without duplicates. */
export function uniteValues(first: readonly Json[], second: readonly Json[]): readonly Json[] {
  return [...new Map([...first, ...second].map((value) => [canonicalJson(value), value])).values()];
}

/** Returns the names of both lists without duplicates. */
export function uniteNames(
  first: readonly string[] | undefined,
  second: readonly string[] | undefined,
): readonly string[] | undefined {
  return first && second ? [...new Set([...first, ...second])] : (first ?? second);
}
