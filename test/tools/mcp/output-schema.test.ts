import { expect, test } from "bun:test";
import { compileOutputSchema } from "../../../src/tools/mcp/output-schema.ts";
import { settled } from "../../helpers/settled.ts";

const problem = async (schema: object, content: unknown) => (await compileOutputSchema(schema as never))(content);

test.each<[object, unknown, string | undefined]>([
  [{ type: "object", required: ["n"] }, { n: 1 }, undefined],
  [{ type: "object", required: ["n"] }, {}, "the content must have required property 'n'"],
  [{ properties: { a: { properties: { b: { type: "number" } } } } }, { a: { b: "x" } }, "/a/b must be number"],
  [
    { properties: {}, additionalProperties: false },
    { extra: 1 },
    'the content must NOT have additional properties ("extra")',
  ],
  [
    { $defs: { n: { enum: ["a"] } }, properties: { n: { $ref: "#/$defs/n" } } },
    { n: "b" },
    "/n must be equal to one of the allowed values",
  ],
  [{ $schema: "http://json-schema.org/draft-07/schema#", items: [{ type: "string" }] }, [1], "/0 must be string"],
  [
    { $schema: "https://json-schema.org/draft/2020-12/schema", prefixItems: [{ type: "string" }] },
    [1],
    "/0 must be string",
  ],
  [{ properties: { d: { format: "date" } } }, { d: "never" }, undefined],
  [{ properties: { n: { pattern: "b" } } }, { n: "abc" }, undefined],
  [{ properties: { n: { pattern: "^b$" } } }, { n: "abc" }, '/n must match pattern "^b$"'],
  [{ patternProperties: { "^x": { type: "string" } } }, { x1: 1 }, "/x1 must be string"],
  [{ $ref: "#" }, {}, undefined],
])("%j and %j: %p", async (schema, content, expected) => {
  expect(await problem(schema, content)).toBe(expected);
});

test("a pattern on which other engines backtrack forever is fast", async () => {
  expect(await problem({ properties: { n: { pattern: "^(a+)+$" } } }, { n: `${"a".repeat(50_000)}!` })).toContain(
    "must match pattern",
  );
});

test("content of any depth cannot overflow the stack", async () => {
  const deep = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`) as unknown;
  expect(await problem({ items: { $ref: "#" } }, deep)).toBeUndefined();
});

test.each<[object, string]>([
  [{ $ref: "https://example.com/schema" }, "can't resolve reference"],
  [{ type: "nonsense" }, "type must be JSONType"],
  [{ pattern: "(?=x)" }, "look-ahead"],
  [{ $async: true }, "asynchronous"],
  [{ description: "x".repeat(300_000) }, "larger than 256 KiB"],
])("a schema that cannot be checked is refused: %#", async (schema, message) => {
  expect(await settled(compileOutputSchema(schema as never))).toThrow(message);
});
