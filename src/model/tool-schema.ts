import { isObject } from "../lib/json.ts";

/** A JSON Schema made acceptable, and whether the provider can enforce it to the letter. */
export interface CleanSchema {
  schema: Record<string, unknown>;
  strict: boolean;
}

const SHAPES = ["anyOf", "oneOf", "allOf"] as const;

/**
 * Prepares the parameters of a tool for providers of the OpenAI kind: every property is required, those that were not
 * become nullable; `additionalProperties` is false unless it is a schema or true; `format` goes; a missing type is
 * `object`, missing items are objects. Strict only when no object takes additional properties. The given schema stays
 * as it is.
 *
 * Source: config-and-cli 6.8.
 */
export function cleanSchema(parameters: Readonly<Record<string, unknown>>): CleanSchema {
  let strict = true;
  const clean = (node: unknown): unknown => {
    if (!isObject(node)) return node;
    const { format: _dropped, ...kept } = node;
    const result: Record<string, unknown> = kept;
    for (const key of SHAPES) if (Array.isArray(result[key])) result[key] = result[key].map(clean);
    for (const key of ["$defs", "definitions"]) {
      const group = result[key];
      if (isObject(group)) result[key] = mapValues(group, clean);
    }
    if (!hasShape(result)) result["type"] = "object";
    if (includesType(result, "array")) result["items"] = clean(result["items"] ?? { type: "object" });
    if (includesType(result, "object")) {
      const open = result["additionalProperties"];
      if (open === true || isObject(open)) strict = false;
      result["additionalProperties"] = isObject(open) ? clean(open) : open === true;
      Object.assign(result, requireAll(result, clean));
    }
    return result;
  };
  const schema = clean({ ...parameters, type: parameters["type"] ?? "object" });
  return { schema: isObject(schema) ? schema : {}, strict };
}

function requireAll(node: Record<string, unknown>, clean: (node: unknown) => unknown): Record<string, unknown> {
  const properties = isObject(node["properties"]) ? node["properties"] : {};
  const required: readonly unknown[] = Array.isArray(node["required"]) ? node["required"] : [];
  return {
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [
        name,
        required.includes(name) ? clean(property) : nullable(clean(property)),
      ]),
    ),
    required: Object.keys(properties),
  };
}

function nullable(node: unknown): unknown {
  if (!isObject(node)) return node;
  const values = node["enum"];
  const withNull = Array.isArray(values) && !values.includes(null) ? { enum: [...values, null] } : {};
  const type = node["type"];
  if (typeof type === "string") return type === "null" ? node : { ...node, ...withNull, type: [type, "null"] };
  if (Array.isArray(type)) return type.includes("null") ? node : { ...node, ...withNull, type: [...type, "null"] };
  if (Array.isArray(node["anyOf"])) return { ...node, anyOf: [...node["anyOf"], { type: "null" }] };
  if (Array.isArray(values)) return { ...node, ...withNull };
  return { anyOf: [node, { type: "null" }] };
}

function hasShape(node: Record<string, unknown>): boolean {
  return ["type", "$ref", "enum", "const", ...SHAPES].some((key) => node[key] !== undefined);
}

function includesType(node: Record<string, unknown>, type: string): boolean {
  return node["type"] === type || (Array.isArray(node["type"]) && node["type"].includes(type));
}

function mapValues(group: Record<string, unknown>, change: (value: unknown) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(group).map(([name, value]) => [name, change(value)]));
}
