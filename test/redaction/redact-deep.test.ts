import { expect, test } from "bun:test";
import { createRedactor } from "../../src/redaction/redact.ts";
import { redactDeep } from "../../src/redaction/redact-deep.ts";

const VALUE = "kT9xq2WmRbVp4Z";
const redactor = createRedactor({ known: [VALUE] });
const redact = (value: unknown) => redactDeep(value, redactor);

test("every string is redacted, at any depth, and everything else stays", () => {
  const value = { a: `x ${VALUE}`, [VALUE]: 1, b: [VALUE, 2, null, { c: VALUE, d: "x" }, []], e: { f: [[VALUE]] } };
  const before = structuredClone(value);
  expect(redact(value)).toEqual({
    a: "x [REDACTED]",
    [VALUE]: 1,
    b: ["[REDACTED]", 2, null, { c: "[REDACTED]", d: "x" }, []],
    e: { f: [["[REDACTED]"]] },
  });
  expect(value).toEqual(before);
  expect(redact(VALUE)).toBe("[REDACTED]");
});

test("a value without a secret is returned itself", () => {
  for (const value of [undefined, null, 7, true, "x", [], { a: ["b", { c: "d" }] }]) expect(redact(value)).toBe(value);
});

test("each string is searched once", () => {
  const searched: string[] = [];
  const counting = { ...redactor, redact: (text: string) => (searched.push(text), redactor.redact(text)) };
  redactDeep({ a: "x", b: [VALUE, "y"] }, counting);
  expect(searched.toSorted()).toEqual([VALUE, "x", "y"]);
});

test("the copy is made of ordinary properties, also under names that objects inherit", () => {
  const copy = redact(JSON.parse(`{"__proto__":{"a":"${VALUE}"},"b":"x"}`)) as Record<string, unknown>;
  expect(JSON.stringify(copy)).toBe('{"__proto__":{"a":"[REDACTED]"},"b":"x"}');
  expect(Object.getOwnPropertyDescriptor(copy, "b")).toEqual({
    value: "x",
    writable: true,
    enumerable: true,
    configurable: true,
  });
  expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
});

test("depth is no limit", () => {
  let value: unknown = VALUE;
  for (let level = 0; level < 200_000; level++) value = level % 2 === 0 ? [value] : { a: value };
  let inner = redact(value);
  for (let level = 0; level < 200_000; level++) inner = Array.isArray(inner) ? inner[0] : (inner as { a: unknown }).a;
  expect(inner).toBe("[REDACTED]");
});
