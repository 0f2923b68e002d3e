import { describe, expect, test } from "bun:test";
import { canonicalJson } from "../../src/lib/json.ts";

describe("canonical JSON (RFC 8785)", () => {
  test("numbers, strings and literals are written as in the example of section 3.2.2", () => {
    const source = String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`;
    expect(canonicalJson(JSON.parse(source))).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],` +
        `"string":"\u20ac${String.raw`$\u000f\nA'B\"\\\\\"/"}`}`,
    );
  });

  test("keys are sorted by their UTF-16 units, as in the example of section 3.2.3", () => {
    const source = String.raw`{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}`;
    const order = [...canonicalJson(JSON.parse(source)).matchAll(/:(\d)/g)].map(([, digit]) => digit).join("");
    expect(order).toBe("2467153");
  });

  test.each([
    ["keys that look like list indexes", { 10: 1, 9: 2, a: 3, 1: 4 }, '{"1":4,"10":1,"9":2,"a":3}'],
    ["the key __proto__", JSON.parse('{"b":1,"__proto__":{"z":1,"a":2}}'), '{"__proto__":{"a":2,"z":1},"b":1}'],
    ["minus zero", [-0], "[0]"],
    ["the largest exact integer, and numbers beyond it", [2 ** 53, 1e21, 5e-324], "[9007199254740992,1e+21,5e-324]"],
    ["half a surrogate pair, which the RFC refuses", "\ud800x", String.raw`"\ud800x"`],
    ["a number that JSON cannot hold", [Number.POSITIVE_INFINITY], "[null]"],
    ["fields without a value", { a: undefined, b: [undefined] }, '{"b":[null]}'],
    ["nothing", undefined, "null"],
    ["an object that converts itself", new Date(0), '"1970-01-01T00:00:00.000Z"'],
  ])("%s", (_name, value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });
});
