import { expect, test } from "bun:test";
import { omitEmpty } from "../../src/lib/json.ts";

test("drops empty values and keeps zero", () => {
  const fields = { a: undefined, b: "", c: false, d: [], e: {}, f: 0, g: "x", h: true, i: ["y"], j: { k: 1 } };
  expect(omitEmpty(fields)).toEqual({ f: 0, g: "x", h: true, i: ["y"], j: { k: 1 } });
});
