import { describe, expect, test } from "bun:test";
import type { Json, JsonObject } from "../../../src/lib/json.ts";
import { readField } from "../../../src/terminal/front-end/form-field.ts";

describe("a line in a form is read as", () => {
  test.each<[string, JsonObject, Json]>([
    ["yes", { type: "boolean" }, true],
    ["F", { type: "string" }, "F"],
    ["no", { type: "boolean" }, false],
    ["3", { type: "integer" }, 3],
    ["2.5", { type: "number" }, 2.5],
    ["", { type: "integer", default: 7 }, 7],
    ["a, b", { type: "array" }, ["a", "b"]],
    ["1,2", { type: "array", items: { type: "integer" } }, [1, 2]],
    ["[1]", { type: "array" }, [1]],
    ['{"a":1}', { type: "object" }, { a: 1 }],
    ["2", { enum: ["x", "y"] }, "y"],
    ["Y", { enum: ["x", "y"] }, "y"],
    ["1", { enum: [2, 1] }, 1],
    ["b", { oneOf: [{ const: "a" }, { const: "b" }] }, "b"],
    ["5", { type: ["null", "integer"] }, 5],
    ["anything", {}, "anything"],
  ])("%p of %p: %p", (line, schema, value) => {
    expect(readField(line, schema)).toEqual({ kind: "value", value });
  });

  test.each<[string, JsonObject]>([
    ["maybe", { type: "boolean" }],
    ["1.5", { type: "integer" }],
    ["x", { type: "number" }],
    ["0", { type: "integer", minimum: 1 }],
    ["z", { enum: ["x", "y"] }],
    ["3", { enum: ["x", "y"] }],
    ["ab", { type: "string", maxLength: 1 }],
    ["1,x", { type: "array", items: { type: "integer" } }],
    ["{", { type: "object" }],
  ])("wrong: %p of %p", (line, schema) => {
    expect(readField(line, schema)).toMatchObject({ kind: "invalid" });
  });

  test("omitted if it is empty", () => {
    expect(readField("  ", { type: "string" })).toEqual({ kind: "omitted" });
  });
});
