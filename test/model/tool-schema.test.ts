import { expect, test } from "bun:test";
import { cleanSchema } from "../../src/model/tool-schema.ts";

test("every property becomes required, and those that were optional nullable", () => {
  const given = {
    type: "object",
    properties: {
      path: { type: "string", format: "uri" },
      depth: { type: "integer" },
      mode: { type: "string", enum: ["a", "b"] },
      either: { anyOf: [{ type: "string" }, { type: "number" }] },
      already: { type: ["string", "null"] },
    },
    required: ["path"],
  };
  const before = structuredClone(given);
  expect(cleanSchema(given)).toEqual({
    strict: true,
    schema: {
      type: "object",
      properties: {
        path: { type: "string" },
        depth: { type: ["integer", "null"] },
        mode: { type: ["string", "null"], enum: ["a", "b", null] },
        either: { anyOf: [{ type: "string" }, { type: "number" }, { type: "null" }] },
        already: { type: ["string", "null"] },
      },
      required: ["path", "depth", "mode", "either", "already"],
      additionalProperties: false,
    },
  });
  expect(given).toEqual(before);
});

test("a property named format stays", () => {
  expect(
    cleanSchema({ type: "object", properties: { format: { type: "string" } }, required: ["format"] }).schema[
      "required"
    ],
  ).toEqual(["format"]);
});

test("a missing type is an object and missing items are objects", () => {
  expect(cleanSchema({}).schema).toEqual({ type: "object", properties: {}, required: [], additionalProperties: false });
  expect(cleanSchema({ properties: { list: { type: "array" } }, required: ["list"] }).schema["properties"]).toEqual({
    list: { type: "array", items: { type: "object", properties: {}, required: [], additionalProperties: false } },
  });
});

test("nested objects are cleaned too", () => {
  const nested = { type: "array", items: { type: "object", properties: { a: { type: "string" } } } };
  expect(cleanSchema({ type: "object", properties: { nested }, required: ["nested"] }).schema["properties"]).toEqual({
    nested: {
      type: "array",
      items: {
        type: "object",
        properties: { a: { type: ["string", "null"] } },
        required: ["a"],
        additionalProperties: false,
      },
    },
  });
});

test.each([[true], [{ type: "string" }]])(
  "an object that takes additional properties (%j) keeps them and is not strict",
  (additionalProperties) => {
    const cleaned = cleanSchema({
      type: "object",
      properties: { map: { type: "object", additionalProperties } },
      required: ["map"],
    });
    expect(cleaned.strict).toBe(false);
    expect(cleaned.schema["properties"]).toMatchObject({ map: { additionalProperties } });
    expect(cleaned.schema["additionalProperties"]).toBe(false);
  },
);
