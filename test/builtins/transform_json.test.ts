import { describe, expect, test } from "bun:test";
import { run } from "../../builtins/transform_json.ts";
import type { BuiltinInput } from "../../src/protocol/builtin.ts";
import { callBuiltin } from "../helpers/call-builtin.ts";
import { settled } from "../helpers/settled.ts";

async function transform(response: unknown, names: string[], more: Partial<BuiltinInput> = {}) {
  const input = { hook_event_name: "tool_response_transform", tool_name: "get", tool_response: response, ...more };
  const { output } = await callBuiltin(run, input as Parameters<typeof callBuiltin>[1], names);
  return output?.hook_specific_output?.updated_tool_response;
}

describe("the new response", () => {
  test.each([
    ["holds the named fields, sorted", '{"b":1,"c":2,"a":3}', ["c", "a"], '{"a":3,"c":2}'],
    [
      "has no white space outside strings",
      '{ "a" : [ 1 , "x y" , { "k" : null } ] ,\n"b":1 }',
      ["a"],
      '{"a":[1,"x y",{"k":null}]}',
    ],
    [
      "keeps numbers as written",
      '{"a":44.0,"b":9007199254740993,"c":1e400,"d":-0}',
      ["a", "b", "c", "d"],
      '{"a":44.0,"b":9007199254740993,"c":1e400,"d":-0}',
    ],
    [
      "keeps escapes as written",
      '{"a":"\\u003c\\/\\"}{,:","b":"<&>"}',
      ["a", "b"],
      '{"a":"\\u003c\\/\\"}{,:","b":"<&>"}',
    ],
    ["compares the names of fields unescaped", '{"\\u0061":1}', ["a"], '{"a":1}'],
    ["takes names literally", '{"a.b":1,"a":{"b":2}}', ["a.b"], '{"a.b":1}'],
    ["takes a name that objects inherit", '{"__proto__":1,"b":2}', ["__proto__", "toString"], '{"__proto__":1}'],
    ["has a name once", '{"a":1}', ["a", "a"], '{"a":1}'],
    ["has the last value of a key given twice", '{"a":1,"a":{"b":[]}}', ["a"], '{"a":{"b":[]}}'],
    ["leaves out nested fields of the same name", '{"x":{"a":1},"y":[{"a":2}]}', ["a"], "{}"],
    ["is empty for an empty object", " {} ", ["a"], "{}"],
  ])("%s", async (_name, response, names, expected) => {
    expect(await transform(response, names)).toBe(expected);
  });
});

test("a long string with many escapes is kept", async () => {
  const long = JSON.stringify('"\\'.repeat(1_000_000));
  expect(await transform(`{"a":${long},"b":1}`, ["a"])).toBe(`{"a":${long}}`);
});

describe("nothing happens", () => {
  test.each([
    ["to a failed call", { tool_error: true }, ["a"]],
    ["on another event", { hook_event_name: "post_tool_use" as const }, ["a"]],
    ["without names", {}, []],
  ])("%s", async (_name, more, names) => {
    expect(await transform("no JSON", names, more)).toBeUndefined();
  });
});

describe("fails", () => {
  test.each([
    ["on a response that is not text", { a: 1 }, "transform_json: expected JSON text"],
    ["on no response", undefined, "transform_json: expected JSON text"],
    ["on null", "null", "transform_json: expected a JSON object"],
    ["on an array", "[1]", "transform_json: decode response: it is JSON, but not an object"],
    ["on a number", "1", "transform_json: decode response: it is JSON, but not an object"],
    ["on text behind the object", '{"a":1} x', "transform_json: decode response: "],
    ["on a cut object", '{"a":', "transform_json: decode response: "],
  ])("%s", async (_name, response, message) => {
    expect(await settled(transform(response, ["a"]))).toThrow(message);
  });
});
