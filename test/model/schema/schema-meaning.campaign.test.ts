/** A written schema accepts every value that the original accepts: a validator checks random values by both. */

import { expect, test } from "bun:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { isObject, type JsonObject } from "../../../src/lib/json.ts";
import type { SchemaDialectName } from "../../../src/model/schema/dialects.ts";
import { toolParameters } from "../../../src/model/schema/provider-schema.ts";
import { type Dice, diceFrom, pick } from "../../helpers/dice.ts";

type Keys = Record<string, unknown>;

const DIALECTS: readonly SchemaDialectName[] = [
  "common",
  "openai",
  "anthropic",
  "gemini",
  "mistral",
  "moonshot",
  "groq",
  "xai",
];
const NAMES = ["a", "b", "kind", "filter[id]"];
const VALUES = ["x", "y", "", 1, 2.5, 7, true, null];

/** Returns a valid schema of draft 2020-12. */
function randomSchema(dice: Dice, depth = 3): Keys {
  const inner = () => randomSchema(dice, depth - 1);
  const some = (odds: number) => dice(100) < odds;
  const base: Keys = {
    ...(some(10) ? { enum: [...new Set([pick(dice, VALUES), pick(dice, VALUES)])] } : {}),
    ...(some(6) ? { const: pick(dice, VALUES) } : {}),
    ...(some(15) ? { minLength: 1, minimum: 2 } : {}),
    ...(some(10) ? { default: "x", description: "Says what." } : {}),
    ...(some(8) ? { $ref: pick(dice, ["#/$defs/one", "#/$defs/two"]) } : {}),
    ...(some(85)
      ? {
          type: some(20)
            ? ["string", pick(dice, ["integer", "null"])]
            : pick(dice, ["string", "integer", "number", "boolean", "object", "object", "array", "null"]),
        }
      : {}),
  };
  if (depth <= 0) return base;
  const union = pick(dice, ["anyOf", "oneOf", "allOf"]);
  return {
    ...base,
    ...(some(15) ? { [union]: [inner(), inner()] } : {}),
    ...(base["type"] === "object" || some(5)
      ? {
          properties: Object.fromEntries(NAMES.slice(0, 1 + dice(NAMES.length)).map((name) => [name, inner()])),
          ...(some(50) ? { required: [pick(dice, NAMES)] } : {}),
          ...(some(40) ? { additionalProperties: pick(dice, [true, false, inner()]) } : {}),
        }
      : {}),
    ...(base["type"] === "array"
      ? { ...(some(80) ? { items: inner() } : {}), ...(some(15) ? { prefixItems: [inner()] } : {}) }
      : {}),
    ...(some(4) ? { not: { type: "boolean" } } : {}),
  };
}

/** Returns a value that is likely to match a schema. */
function randomValue(dice: Dice, schema: unknown, root: Keys, depth = 5): unknown {
  if (!isObject(schema) || depth <= 0) return pick(dice, VALUES);
  const sample = (inner: unknown) => randomValue(dice, inner, root, depth - 1);
  if (typeof schema["$ref"] === "string")
    return sample((root["$defs"] as Keys)[schema["$ref"].split("/").at(-1) ?? ""]);
  if ("const" in schema) return schema["const"];
  if (Array.isArray(schema["enum"])) return pick(dice, schema["enum"]);
  const branches = schema["anyOf"] ?? schema["oneOf"];
  const chosen = Array.isArray(branches) ? sample(pick(dice, branches)) : undefined;
  if (chosen !== undefined && !isObject(chosen)) return chosen;
  const parts = Array.isArray(schema["allOf"]) ? schema["allOf"].map(sample) : [];
  const other = parts.find((part) => !isObject(part));
  if (other !== undefined) return other;
  switch (pick(dice, [schema["type"] ?? (isObject(schema["properties"]) ? "object" : "string")].flat())) {
    case "object": {
      const properties = Object.entries(isObject(schema["properties"]) ? schema["properties"] : {});
      const required = Array.isArray(schema["required"]) ? schema["required"] : [];
      const given = properties
        .filter(([name]) => required.includes(name) || dice(3) > 0)
        .map(([name, inner]) => [name, sample(inner)] as const);
      const missing = required
        .filter((name) => !properties.some(([known]) => known === name))
        .map((name) => [String(name), "x"] as const);
      return Object.assign({}, ...parts, chosen, Object.fromEntries([...given, ...missing]));
    }
    case "array":
      return Array.from({ length: dice(3) }, () => sample(schema["items"]));
    case "integer":
      return 1 + dice(9);
    case "number":
      return dice(90) / 10;
    case "boolean":
      return dice(2) === 0;
    case "null":
      return null;
    default:
      return pick(dice, ["x", "y", "z"]);
  }
}

const judge = (schema: object) => new Ajv2020({ strict: false, validateFormats: false }).compile(schema);

test("every value that a tool accepts matches its schema in every dialect", () => {
  let judged = 0;
  for (let seed = 1; seed <= 30; seed++) {
    const dice = diceFrom(seed);
    const object = {
      ...randomSchema(dice),
      type: "object",
      properties: { a: randomSchema(dice), b: randomSchema(dice) },
    };
    const { $ref: _ref, const: _const, enum: _enum, ...rest } = object as Keys;
    const schema: Keys = { ...rest, $defs: { one: randomSchema(dice, 2), two: randomSchema(dice, 1) } };
    const fits = judge(schema);
    const values = Array.from({ length: 20 }, () => randomValue(dice, schema, schema)).filter(
      (value): value is Keys => isObject(value) && fits(value),
    );
    if (values.length === 0) continue;
    for (const dialect of DIALECTS) {
      const { schema: written } = toolParameters(schema as JsonObject, dialect);
      const takes = judge(written);
      const asked = Object.keys(isObject(written["properties"]) ? written["properties"] : {});
      // An omitted argument may be required as null, which never reaches the tool, and nulls may count as omitted.
      const isAsked = (name: string) => Array.isArray(written["required"]) && written["required"].includes(name);
      for (const value of values) {
        const given = Object.entries(value).filter(([name, inner]) => inner !== null || isAsked(name));
        const sent = Object.fromEntries([...asked.filter(isAsked).map((name) => [name, null] as const), ...given]);
        judged++;
        if (!takes(sent)) expect({ seed, dialect, schema, written, sent, errors: takes.errors }).toBeUndefined();
      }
    }
  }
  expect(judged).toBeGreaterThan(500);
});
