import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/lib/json.ts";
import type { SchemaDialectName } from "../../../src/model/schema/dialects.ts";
import { outputSchema, strictOutputProblem, toolParameters } from "../../../src/model/schema/provider-schema.ts";
import { SCHEMA_RULES } from "../servers/schema-rules.ts";

const strictly = (parameters: JsonObject) => toolParameters(parameters, "openai", "openai-strict");
const object = (properties: JsonObject, required: readonly string[] = Object.keys(properties)): JsonObject => ({
  type: "object",
  properties,
  required,
});
/** Returns the written schema of the property `a` of a tool. */
const property = (a: JsonObject, dialect: SchemaDialectName, required = true, more: JsonObject = {}) => {
  const { schema } = toolParameters({ ...object({ a }, required ? ["a"] : []), ...more }, dialect);
  expect(SCHEMA_RULES[dialect](schema)).toBeUndefined();
  return (schema["properties"] as JsonObject)["a"];
};

describe("strict mode", () => {
  test("every argument becomes required, and optional ones nullable", () => {
    const given = {
      type: "object",
      properties: {
        path: { type: "string", description: "Where." },
        depth: { type: "integer" },
        mode: { type: "string", enum: ["a", "b"] },
        either: { anyOf: [{ type: "string" }, { type: "number" }] },
        already: { type: ["string", "null"] },
        node: { $ref: "#/$defs/node" },
      },
      required: ["path"],
      $defs: { node: object({ children: { type: "array", items: { $ref: "#/$defs/node" } } }) },
    };
    const before = structuredClone(given);
    const { schema, strict } = strictly(given);
    expect(SCHEMA_RULES["openai-strict"](schema)).toBeUndefined();
    expect({ schema, strict }).toEqual({
      strict: true,
      schema: {
        type: "object",
        properties: {
          path: { type: "string", description: "Where." },
          depth: { type: ["integer", "null"] },
          mode: { type: ["string", "null"], enum: ["a", "b", null] },
          either: { anyOf: [{ type: "string" }, { type: "number" }, { type: "null" }] },
          already: { type: ["string", "null"] },
          node: { anyOf: [{ $ref: "#/$defs/node" }, { type: "null" }] },
        },
        required: ["path", "depth", "mode", "either", "already", "node"],
        additionalProperties: false,
        $defs: {
          node: {
            type: "object",
            properties: { children: { type: "array", items: { $ref: "#/$defs/node" } } },
            required: ["children"],
            additionalProperties: false,
          },
        },
      },
    });
    expect(given).toEqual(before);
  });

  test("a tool without arguments is strict", () => {
    const none = { type: "object", properties: {}, required: [], additionalProperties: false };
    expect(strictly({})).toEqual({ schema: none, strict: true });
    expect(strictly({ type: "object" })).toEqual({ schema: none, strict: true });
  });

  test("keywords that strict mode lacks are put into the description", () => {
    const limit = { type: "integer", description: "How many", default: 10, minimum: 1, examples: [5] };
    const name = { type: "string", minLength: 1, format: "uri", pattern: "^(?!x)" };
    const { schema, strict } = strictly(object({ limit, name }));
    expect(strict).toBe(true);
    expect(schema["properties"]).toEqual({
      limit: { type: "integer", minimum: 1, description: "How many (default: 10; for example 5)" },
      name: { type: "string", description: "at least 1 character; format: uri; must match ^(?!x)" },
    });
    expect(toolParameters(object({ limit }), "openai", "azure-strict").schema["properties"]).toEqual({
      limit: { type: "integer", description: "How many (default: 10; at least 1; for example 5)" },
    });
  });

  test.each<[string, JsonObject]>([
    ["a map", object({ a: { type: "object", additionalProperties: { type: "string" } } })],
    ["an object that names no properties", object({ a: { type: "object" } })],
    [
      "an object that takes others",
      object({ a: { ...object({ b: { type: "string" } }), additionalProperties: true } }),
    ],
    ["arguments of any name", { type: "object", additionalProperties: true }],
    ["a value of any type", object({ a: {} })],
    ["a list of anything", object({ a: { type: "array" } })],
    [
      "an optional key inside an argument, whose null would reach the tool",
      object({ a: object({ b: { type: "string" } }, []) }),
    ],
    ["a tuple", object({ a: { type: "array", prefixItems: [{ type: "string" }], items: { type: "number" } } })],
    ["a condition", object({ a: { type: "string", not: { const: "x" } } })],
    [
      "arguments of which one is needed",
      { ...object({ a: { type: "string" } }, []), anyOf: [{ required: ["a"] }, { required: ["b"] }] },
    ],
    [
      "objects six levels deep",
      [1, 2, 3, 4, 5, 6].reduce<JsonObject>((inner) => object({ a: inner }), { type: "string" }),
    ],
    [
      "more than 100 arguments",
      object(Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`p${index}`, { type: "string" }]))),
    ],
    [
      "branches that begin alike",
      object({ a: { anyOf: [object({ x: { type: "string" } }), object({ x: { type: "number" } })] } }),
    ],
    ["a broken reference", object({ a: { $ref: "https://example.com/s.json" } })],
  ])("%s is sent without it", (_name, given) => {
    const { schema, strict } = strictly(given);
    expect(strict).toBe(false);
    expect(SCHEMA_RULES.openai(schema)).toBeUndefined();
  });

  test("a choice between objects with different first keys is strict", () => {
    const shape = (kind: string, key: string) => object({ kind: { const: kind }, [key]: { type: "number" } });
    const { schema, strict } = strictly(object({ a: { oneOf: [shape("circle", "radius"), shape("square", "side")] } }));
    expect(strict).toBe(true);
    expect(schema["properties"]).toMatchObject({
      a: {
        anyOf: [
          { properties: { kind: { type: "string", enum: ["circle"] } } },
          { properties: { kind: { enum: ["square"] } } },
        ],
      },
    });
  });
});

describe("without strict mode a schema keeps its meaning", () => {
  test("optional arguments stay optional, defaults and open objects stay", () => {
    const given = object(
      { a: { type: "string", default: "x", minLength: 2 }, b: { type: "object" }, c: { type: "array" } },
      ["b"],
    );
    expect(strictly(given)).toEqual({
      strict: false,
      schema: { ...given, properties: { ...(given["properties"] as JsonObject), c: { type: "array", items: {} } } },
    });
  });

  test("oneOf inside an argument becomes anyOf", () => {
    const a = { description: "Which", oneOf: [{ type: "object" }, { type: "string", default: "x" }] };
    expect(property(a, "openai")).toEqual({
      anyOf: [{ type: "object" }, { type: "string", default: "x" }],
      description: "Which",
    });
  });

  test("a choice at the root becomes optional arguments and a condition", () => {
    const given = {
      type: "object",
      oneOf: [
        object({ kind: { const: "file" }, path: { type: "string" } }),
        object({ kind: { const: "url" }, url: { type: "string" } }),
      ],
    };
    for (const dialect of ["openai", "anthropic", "moonshot"] as const) {
      const { schema } = toolParameters(given, dialect);
      expect(SCHEMA_RULES[dialect](schema)).toBeUndefined();
      expect(schema).toMatchObject({
        type: "object",
        properties: {
          kind: { type: "string", enum: ["file", "url"] },
          path: { type: "string" },
          url: { type: "string" },
        },
        required: ["kind"],
      });
      expect(schema["description"]).toBe(
        'must satisfy the JSON Schema {"anyOf":[{"properties":{"kind":{"const":"file"}},"required":["kind","path"]},' +
          '{"properties":{"kind":{"const":"url"}},"required":["kind","url"]}]}',
      );
    }
  });

  test("allOf is merged, with the definitions it names", () => {
    const a = {
      description: "A",
      allOf: [{ $ref: "#/$defs/base" }, { properties: { c: { type: "integer", minimum: 3 } }, required: ["c"] }],
    };
    const $defs = {
      base: {
        type: "object",
        properties: { b: { type: "string" }, c: { type: "number", minimum: 1 } },
        required: ["b"],
      },
    };
    expect(property(a, "anthropic", true, { $defs })).toEqual({
      type: "object",
      description: "A",
      properties: { b: { type: "string" }, c: { type: "integer", minimum: 3 } },
      required: ["b", "c"],
    });
  });

  test("a required key without a schema is put into the description", () => {
    expect(toolParameters({ type: "object", required: ["a"], additionalProperties: true }, "groq").schema).toEqual({
      type: "object",
      properties: {},
      additionalProperties: true,
      description: 'must have the key "a"',
    });
  });

  test("a property named like a keyword stays", () => {
    const names = {
      format: { type: "string" },
      $ref: { type: "string" },
      type: { type: "string" },
      required: { type: "boolean" },
    };
    expect(Object.keys(strictly(object(names)).schema["properties"] as JsonObject)).toEqual(Object.keys(names));
  });

  test("older drafts keep their meaning", () => {
    const a = {
      properties: {
        n: { type: "number", minimum: 0, exclusiveMinimum: true, required: true },
        t: { type: "string", nullable: true },
      },
      items: [{ type: "string" }],
    };
    expect(property(a, "anthropic")).toEqual({
      type: "object",
      properties: { n: { type: "number", exclusiveMinimum: 0 }, t: { type: ["string", "null"] } },
      required: ["n"],
    });
    const pair = { type: "array", items: [{ type: "string" }, { type: "number" }], additionalItems: false };
    expect(property(pair, "anthropic")).toEqual({
      type: "array",
      prefixItems: [{ type: "string" }, { type: "number" }],
    });
    expect(property(pair, "mistral")).toEqual({
      type: "array",
      items: { anyOf: [{ type: "string" }, { type: "number" }] },
      description: "the first 2 items differ from each other",
    });
  });
});

describe("keywords that a family refuses are rewritten", () => {
  test.each<[SchemaDialectName, string, JsonObject, JsonObject]>([
    [
      "moonshot",
      "a type for every node",
      {},
      {
        anyOf: [
          { type: "string" },
          { type: "number" },
          { type: "boolean" },
          { type: "object" },
          { type: "array" },
          { type: "null" },
        ],
      },
    ],
    [
      "moonshot",
      "one type a node",
      { type: ["string", "integer"], description: "D", minLength: 1 },
      { anyOf: [{ type: "string", description: "at least 1 character" }, { type: "integer" }], description: "D" },
    ],
    [
      "moonshot",
      "values of one type",
      { enum: ["a", 1] },
      {
        anyOf: [
          { type: "string", enum: ["a"] },
          { type: "integer", enum: [1] },
        ],
      },
    ],
    [
      "moonshot",
      "no bounds",
      { type: "integer", minimum: 1, default: 3 },
      { type: "integer", default: 3, description: "at least 1" },
    ],
    ["gemini", "values that are texts or numbers", { enum: [true] }, { type: "boolean", description: "one of true" }],
    [
      "gemini",
      "few keywords",
      { type: "string", minLength: 2, pattern: "^a", format: "uri" },
      { type: "string", description: "at least 2 characters; must match ^a; format: uri" },
    ],
    [
      "xai",
      "no bounds on lengths",
      { type: "array", items: { type: "string" }, minItems: 1 },
      { type: "array", items: { type: "string" }, description: "at least 1 item" },
    ],
    [
      "common",
      "one type, no bounds",
      { type: ["string", "null"], maxLength: 3 },
      { anyOf: [{ type: "string", description: "at most 3 characters" }, { type: "null" }] },
    ],
  ])("%s: %s", (dialect, _name, given, written) => {
    expect(property(given, dialect)).toEqual(written);
  });

  test("null is allowed for optional arguments of Groq's models, which write it", () => {
    const { schema } = toolParameters(object({ a: { type: "string" }, b: { type: "string" } }, ["a"]), "groq");
    expect(schema).toEqual({
      type: "object",
      properties: { a: { type: "string" }, b: { type: ["string", "null"] } },
      required: ["a"],
    });
  });

  test("a value without a type gets the types of its values", () => {
    expect(property({ const: 2.5 }, "common")).toEqual({ type: "number", enum: [2.5] });
    expect(property({ enum: [1, "a"] }, "openai")).toEqual({ type: ["string", "integer"], enum: [1, "a"] });
    expect(property({ type: ["string", "null"], enum: [null] }, "anthropic", false)).toEqual({
      type: ["string", "null"],
      enum: [null],
    });
  });

  test("null is removed from optional arguments of models that omit them", () => {
    expect(property({ type: ["string", "null"] }, "common", false)).toEqual({ type: "string" });
    expect(property({ anyOf: [{ type: "string" }, { type: "null" }], description: "D" }, "moonshot", false)).toEqual({
      type: "string",
      description: "D",
    });
  });

  test("a name that Anthropic refuses is put into the description, and other names are allowed", () => {
    const { schema } = toolParameters(object({ "filter[id]": { type: "string" }, a: { type: "string" } }), "anthropic");
    expect(schema).toEqual({
      type: "object",
      properties: { a: { type: "string" } },
      required: ["a"],
      additionalProperties: true,
      description: 'takes the key "filter[id]" too, which is required: {"type":"string"}',
    });
    expect(SCHEMA_RULES.anthropic(schema)).toBeUndefined();
  });

  test("references are expanded for families that do not support them, circles once", () => {
    const $defs = {
      node: { type: "object", properties: { name: { type: "string" }, next: { $ref: "#/$defs/node" } } },
    };
    expect(property({ $ref: "#/$defs/node", description: "The list" }, "gemini", true, { $defs })).toEqual({
      type: "object",
      description: "The list",
      properties: { name: { type: "string" }, next: { type: "object", description: "built like the node around it" } },
    });
  });
});

describe("structured output", () => {
  const answer = object({ verdict: { type: "string" }, why: { type: "string" } });

  test("is strict if requested and possible", () => {
    const { schema, strict } = outputSchema({ schema: answer, strict: true }, "openai", "openai-strict");
    expect({ schema, strict }).toEqual({ strict: true, schema: { ...answer, additionalProperties: false } });
    expect(strictOutputProblem(answer)).toBeUndefined();
    expect(outputSchema({ schema: answer }, "openai", "openai-strict").strict).toBe(false);
  });

  test("keeps optional keys optional: nothing would drop their nulls", () => {
    const open = object({ verdict: { type: "string" }, why: { type: "string" } }, ["verdict"]);
    expect(strictOutputProblem(open)).toBe('the root does not require "why"');
    expect(outputSchema({ schema: open, strict: true }, "openai", "openai-strict")).toEqual({
      strict: false,
      schema: open,
    });
  });
});
