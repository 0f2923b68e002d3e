import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/lib/json.ts";
import { SCHEMA_DIALECTS, type SchemaDialectName } from "../../../src/model/schema/dialects.ts";
import { outputSchema, toolParameters } from "../../../src/model/schema/provider-schema.ts";
import { randomFrom } from "../../helpers/dice.ts";
import { SCHEMA_RULES } from "../servers/schema-rules.ts";

const DIALECTS = Object.keys(SCHEMA_DIALECTS) as SchemaDialectName[];
const STRICT: readonly SchemaDialectName[] = ["openai-strict", "azure-strict"];
const LOOSE = DIALECTS.filter((dialect) => !STRICT.includes(dialect));
const ROUNDS = 500;

type Keys = Record<string, unknown>;

/** Returns a schema as a tool server might send it: valid, partly valid, or nonsense. */
function randomSchema(next: () => number): JsonObject {
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(next() * items.length)] as Item;
  const chance = (odds: number) => next() < odds;
  const names = ["a", "b", "kind", "type", "properties", "$filter", "filter[id]", "__proto__", "ä", "", "x".repeat(70)];
  const types = ["string", "integer", "number", "boolean", "object", "array", "null", "any", "file", 7];
  const values = ["a", "b", "", 1, 2.5, -1, true, false, null, [1], { a: 1 }, "x".repeat(300)];
  const refs = [
    "#",
    "#/$defs/one",
    "#/$defs/two",
    "#/definitions/three",
    "#/properties/a",
    "#/$defs/none",
    "https://example.com/s.json",
    "one",
  ];
  const bounds: Keys = {
    minLength: 1,
    maxLength: -1,
    pattern: "^a+$",
    format: "uri",
    minimum: 0,
    maximum: 5,
    exclusiveMinimum: true,
    exclusiveMaximum: 9,
    multipleOf: 0,
    minItems: 1,
    maxItems: 2.5,
    uniqueItems: true,
    minProperties: 1,
    default: { a: 1 },
    examples: [1, "b"],
    title: "T",
    deprecated: true,
    $comment: "c",
    nullable: true,
    readOnly: true,
    example: 3,
    $schema: "http://json-schema.org/draft-07/schema#",
    $id: "x",
    "x-order": 3,
    description: 5,
  };
  const many = (make: () => unknown, most = 3) => Array.from({ length: Math.floor(next() * (most + 1)) }, make);
  const node = (depth: number): unknown => {
    if (chance(0.04)) return pick<unknown>([true, false, null, "string", [], 3]);
    const schema: Keys = {};
    if (chance(0.8)) schema["type"] = chance(0.2) ? many(() => pick(types)) : pick(types);
    if (chance(0.3)) schema["description"] = pick(["Says what.", "", "Ends."]);
    for (const name of Object.keys(bounds)) if (chance(0.08)) schema[name] = bounds[name];
    if (chance(0.06)) schema["pattern"] = pick(["(?=a)b", "(", "a", "\\p{L}", "^(a|b)$"]);
    if (chance(0.12)) schema["enum"] = many(() => pick(values), 5);
    if (chance(0.06)) schema["const"] = pick(values);
    if (chance(0.15)) schema["$ref"] = pick(refs);
    if (depth <= 0) return schema;
    const inner = () => node(depth - 1);
    const map = () => Object.fromEntries(many(() => [pick(names), inner()], 4) as [string, unknown][]);
    if (schema["type"] === "object" || chance(0.2)) {
      if (chance(0.85)) schema["properties"] = chance(0.03) ? [] : map();
      if (chance(0.5)) schema["required"] = chance(0.1) ? true : many(() => pick(names), 3);
      if (chance(0.4)) schema["additionalProperties"] = pick<unknown>([true, false, false, inner(), 1]);
    }
    if (schema["type"] === "array" || chance(0.1)) {
      if (chance(0.8)) schema["items"] = chance(0.2) ? many(inner) : inner();
      if (chance(0.15)) schema["prefixItems"] = many(inner);
      if (chance(0.1)) schema["additionalItems"] = inner();
    }
    for (const name of ["anyOf", "oneOf", "allOf"])
      if (chance(0.12)) schema[name] = chance(0.05) ? inner() : many(inner);
    for (const name of ["not", "if", "then", "contains", "propertyNames", "unevaluatedProperties"])
      if (chance(0.04)) schema[name] = inner();
    for (const name of ["patternProperties", "dependentSchemas", "$defs"]) if (chance(0.05)) schema[name] = map();
    if (chance(0.04)) schema["dependentRequired"] = { a: ["b"] };
    return schema;
  };
  const root = node(4);
  const object = typeof root === "object" && root !== null && !Array.isArray(root) ? root : {};
  const defs = { one: node(3), two: node(2), three: node(2) };
  return {
    ...object,
    $defs: { ...defs, ...((object as Keys)["$defs"] as Keys) },
    definitions: { three: node(2) },
  } as JsonObject;
}

describe("providers accept the schema of any tool", () => {
  test.each(LOOSE)("%s", (dialect) => {
    for (let seed = 1; seed <= ROUNDS; seed++) {
      const given = randomSchema(randomFrom(seed));
      const before = JSON.stringify(given);
      for (const { schema, strict } of [
        toolParameters(given, dialect),
        outputSchema({ schema: given, strict: true }, dialect),
      ]) {
        expect({ seed, strict, complaint: SCHEMA_RULES[dialect](schema) }).toEqual({
          seed,
          strict: false,
          complaint: undefined,
        });
      }
      expect(JSON.stringify(given)).toBe(before);
    }
  });

  test.each(STRICT)("%s, or OpenAI without strict mode", (dialect) => {
    let strictOnes = 0;
    for (let seed = 1; seed <= 2 * ROUNDS; seed++) {
      const given = randomSchema(randomFrom(seed));
      for (const { schema, strict } of [
        toolParameters(given, "openai", dialect),
        outputSchema({ schema: given, strict: true }, "openai", dialect),
      ]) {
        const rule = SCHEMA_RULES[strict ? dialect : "openai"];
        expect({ seed, strict, complaint: rule(schema) }).toEqual({ seed, strict, complaint: undefined });
        if (strict) strictOnes++;
      }
    }
    expect(strictOnes).toBeGreaterThan(20);
  });
});

/** Returns `levels` nested schemas, made by `wrap`. */
function nested(levels: number, wrap: (inner: JsonObject) => JsonObject): JsonObject {
  let schema: JsonObject = { type: "string" };
  for (let level = 0; level < levels; level++) schema = wrap(schema);
  return schema;
}

const all = (levels: number, name: string) => nested(levels, (inner) => ({ [name]: [inner, inner] }));

describe("hostile schemas are cut", () => {
  test.each<[string, JsonObject]>([
    ["100,000 nested objects", nested(100_000, (inner) => ({ type: "object", properties: { a: inner } }))],
    ["100,000 nested lists", nested(100_000, (items) => ({ type: "array", items }))],
    ["a negation of 50,000 levels", { properties: { a: { not: nested(50_000, (inner) => ({ not: inner })) } } }],
    ["allOf that doubles 40 times", { properties: { a: all(40, "allOf") } }],
    ["anyOf that doubles 40 times", { properties: { a: all(40, "anyOf") } }],
    ["definitions that double", doubling("anyOf")],
    ["definitions that double and merge", doubling("allOf")],
    ["a chain of 20,000 definitions", chain((name) => ({ $ref: name }))],
    [
      "a chain of 20,000 merged definitions",
      chain((name) => ({ description: "x", minLength: 1, allOf: [{ $ref: name }] })),
    ],
    ["a reference to itself", { $ref: "#" }],
    [
      "a definition that refers to itself only",
      { properties: { a: { $ref: "#/$defs/a" } }, $defs: { a: { $ref: "#/$defs/a" } } },
    ],
    [
      "a definition that extends itself",
      {
        properties: { a: { $ref: "#/$defs/a" } },
        $defs: { a: { allOf: [{ $ref: "#/$defs/a" }, { type: "object" }] } },
      },
    ],
    [
      "two that extend each other",
      {
        allOf: [{ $ref: "#/$defs/a" }],
        $defs: {
          a: { allOf: [{ $ref: "#/$defs/b" }], minLength: 2 },
          b: { allOf: [{ $ref: "#/$defs/a" }], maxLength: 3 },
        },
      },
    ],
    [
      "8,000 properties",
      { properties: Object.fromEntries(Array.from({ length: 8000 }, (_, index) => [`p${index}`, { type: "string" }])) },
    ],
    ["20,000 values", { properties: { a: { enum: Array.from({ length: 20_000 }, (_, index) => `v${index}`) } } }],
    [
      "a tree of itself",
      { type: "object", properties: { left: { $ref: "#" }, right: { $ref: "#" }, value: { type: "string" } } },
    ],
  ])("%s", (_name, given) => {
    for (const dialect of LOOSE) {
      const { schema } = toolParameters(given, dialect);
      expect(SCHEMA_RULES[dialect](schema)).toBeUndefined();
      expect(JSON.stringify(schema).length).toBeLessThan(2_000_000);
    }
    const { schema, strict } = toolParameters(given, "openai", "openai-strict");
    expect(SCHEMA_RULES[strict ? "openai-strict" : "openai"](schema)).toBeUndefined();
  });
});

function doubling(name: string): JsonObject {
  const $defs = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => {
      const next = { $ref: `#/$defs/d${index + 1}` };
      return [`d${index}`, { type: "object", properties: { a: next, b: next }, [name]: [next, next] }];
    }),
  );
  return { properties: { a: { $ref: "#/$defs/d0" } }, $defs: { ...$defs, d40: { type: "object" } } };
}

function chain(link: (name: string) => JsonObject): JsonObject {
  const $defs = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, index) => [`d${index}`, link(`#/$defs/d${index + 1}`)]),
  );
  return { properties: { a: { $ref: "#/$defs/d0" } }, $defs: { ...$defs, d20000: { type: "string" } } };
}
