import { describe, expect, test } from "bun:test";
import { freezeJson, isFrozenJson, textOfObject } from "../../src/lib/frozen.ts";

describe("freezeJson", () => {
  test("returns the same value, which nothing can change any more, at any depth", () => {
    const value = { role: "user", parts: [{ text: "a" }], usage: { input: 1 }, none: null, absent: undefined };
    expect(freezeJson(value)).toBe(value);
    expect([value, value.parts, value.parts[0], value.usage].every(isFrozenJson)).toBe(true);
    expect(() => Object.assign(value.parts[0] ?? {}, { text: "b" })).toThrow(TypeError);
    expect(() => value.parts.push({ text: "b" })).toThrow(TypeError);
    expect(() => Object.setPrototypeOf(value, { toJSON: () => "b" })).toThrow(TypeError);
  });

  test("a value deeper than the stack, and one that holds itself", () => {
    let deep: unknown = "end";
    for (let level = 0; level < 50_000; level++) deep = [deep];
    expect(isFrozenJson(freezeJson(deep))).toBe(true);
    const loop: { self?: unknown } = {};
    loop.self = loop;
    expect(isFrozenJson(freezeJson(loop))).toBe(true);
  });

  const changing: [string, () => object][] = [
    ["a getter", () => ({ inner: Object.defineProperty({}, "text", { get: Math.random, enumerable: true }) })],
    ["a hidden getter", () => Object.defineProperty({}, "toJSON", { get: () => Math.random })],
    ["a function", () => ({ toJSON: () => Math.random() })],
    ["a class instance", () => ({ at: new Date() })],
    ["a prototype of its own", () => Object.create({ text: "a" }) as object],
    ["bytes", () => ({ bytes: new Uint8Array(2) })],
    ["a map", () => [new Map()]],
  ];
  test.each(changing)("leaves a value alone that can change nevertheless: %s", (_name, make) => {
    const value = make();
    expect(freezeJson(value)).toBe(value);
    expect(isFrozenJson(value)).toBe(false);
    expect(Object.isFrozen(value)).toBe(false);
  });

  test("what others froze does not count: parts of it may change", () => {
    expect(isFrozenJson(Object.freeze({ parts: [1] }))).toBe(false);
    expect([undefined, null, "text", 1].some(isFrozenJson)).toBe(false);
  });
});

test("textOfObject writes what JSON.stringify writes, also of an item that was changed since", () => {
  const open = { text: "before" };
  const body: Record<string, unknown> = {
    messages: [freezeJson({ a: "é\ud800", none: undefined }), open, undefined, () => {}, null, [undefined], "text"],
    none: undefined,
    run: () => {},
    "10": 1,
    "2": Number.NaN,
    'a "key"': { at: new Date(0), list: [] },
    empty: [],
  };
  expect(textOfObject(body)).toBe(JSON.stringify(body));
  open.text = "after";
  body["more"] = [freezeJson({ b: 1 })];
  expect(textOfObject(body)).toBe(JSON.stringify(body));
  expect(textOfObject(body)).toBe(JSON.stringify(body));
  expect(textOfObject({})).toBe("{}");
});
