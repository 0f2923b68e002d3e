import { describe, expect, test } from "bun:test";
import {
  contextHeaders,
  contextVariables,
  formatTraceparent,
  isBaggage,
  parseContext,
} from "../../src/trace/context.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN = "00f067aa0ba902b7";
const VALID = `00-${TRACE}-${SPAN}-01`;

describe("traceparent", () => {
  test("is read and written", () => {
    const context = parseContext(VALID);
    expect(context).toEqual({ traceId: TRACE, spanId: SPAN, isSampled: true });
    expect(context && formatTraceparent(context)).toBe(VALID);
  });

  test.each([
    ["flags other than the lowest do not count", `00-${TRACE}-${SPAN}-fe`, false],
    ["a later version is read as far as 00 goes", `cc-${TRACE}-${SPAN}-01-what-the-future-adds`, true],
    ["a later version need not be longer", `01-${TRACE}-${SPAN}-01`, true],
  ])("%s", (_what, text, isSampled) => {
    expect(parseContext(text)).toEqual({ traceId: TRACE, spanId: SPAN, isSampled });
  });

  test.each([
    ["nothing", ""],
    ["version ff", `ff-${TRACE}-${SPAN}-01`],
    ["version 00 with more", `${VALID}-00`],
    ["a later version with something that is not a field", `cc-${TRACE}-${SPAN}-01.x`],
    ["a trace of zeros", `00-${"0".repeat(32)}-${SPAN}-01`],
    ["a span of zeros", `00-${TRACE}-${"0".repeat(16)}-01`],
    ["upper case", VALID.toUpperCase()],
    ["blanks around it", ` ${VALID} `],
    ["a line end", `${VALID}\n`],
    ["a short trace", `00-${TRACE.slice(1)}-${SPAN}-01`],
    ["a letter that is no digit", `00-${TRACE.slice(1)}g-${SPAN}-01`],
    ["a missing field", `00-${TRACE}-${SPAN}`],
    ["too much of it", `cc-${TRACE}-${SPAN}-01-${"x".repeat(600)}`],
  ])("%s is not valid", (_what, text) => {
    expect(parseContext(text)).toBeUndefined();
  });
});

describe("tracestate", () => {
  const stateOf = (text: string) => parseContext(VALID, text)?.state;

  test.each([
    ["a list", "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"],
    ["blanks and empty members", "foo=1 ,\t, bar=2"],
    ["a tenant", "fw529a3039@dt=FfAAA"],
    ["every character that a value may have", "a=!\"#$%&'()*+-./0123456789:;<>?@[]^_`{|}~"],
    ["32 members", Array.from({ length: 32 }, (_, at) => `k${at}=v`).join(",")],
  ])("%s is passed on unchanged", (_what, text) => {
    expect(stateOf(text)).toBe(text);
  });

  test.each([
    ["33 members", Array.from({ length: 33 }, (_, at) => `k${at}=v`).join(",")],
    ["a key twice", "a=1,a=2"],
    ["a key in upper case", "A=1"],
    ["a key that begins with a digit", "1a=1"],
    ["a key of 257 characters", `${"k".repeat(257)}=1`],
    ["a tenant without a system", "a@=1"],
    ["a value with an equals sign", "a=b=c"],
    ["a value of 257 characters", `a=${"v".repeat(257)}`],
    ["no value", "a="],
    ["no equals sign", "a"],
    ["a control character", "a=\u0001"],
    ["only blanks", " , "],
  ])("%s is left out, and traceparent counts", (_what, text) => {
    expect(parseContext(VALID, text)).toEqual({ traceId: TRACE, spanId: SPAN, isSampled: true });
  });
});

test.each([
  ["a=1", true],
  ["userId=alice,serverNode=DF%2028,isProduction=false", true],
  ["a=1 ; p ; q = 2 , b = x", true],
  ["a", false],
  ["a b=1", false],
  ["a=b c", false],
  ['a="1"', false],
  [`a=${"x".repeat(9000)}`, false],
])("baggage %p: %p", (text, isValid) => {
  expect(isBaggage(text)).toBe(isValid);
});

describe("what a process inherits", () => {
  const context = { traceId: TRACE, spanId: SPAN, isSampled: true };

  test("is the context of the span that starts it", () => {
    expect(contextVariables(context, {})).toEqual({ TRACEPARENT: VALID });
    expect(contextVariables({ ...context, state: "a=1" }, {})).toEqual({ TRACEPARENT: VALID, TRACESTATE: "a=1" });
  });

  test("does not hold state or baggage of another trace, or that is not valid", () => {
    expect(contextVariables(context, { TRACESTATE: "a=1", BAGGAGE: "no baggage" })).toEqual({
      TRACEPARENT: VALID,
      TRACESTATE: "",
      BAGGAGE: "",
    });
    expect(contextVariables(context, { BAGGAGE: "a=1" })).toEqual({ TRACEPARENT: VALID });
  });
});

test("headers hold no baggage", () => {
  expect(contextHeaders({ traceId: TRACE, spanId: SPAN, isSampled: false, state: "a=1" })).toEqual({
    traceparent: `00-${TRACE}-${SPAN}-00`,
    tracestate: "a=1",
  });
});
