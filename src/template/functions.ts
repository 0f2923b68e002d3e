import { isObject } from "../lib/json.ts";
import { cutBytes } from "../lib/text/cut-text.ts";
import { printAll, printValue } from "./print-value.ts";
import { formatValues } from "./printf.ts";
import { isTrue, jsonText, kindOf, Struct } from "./template-values.ts";

/** A function of the template language. Throws an error if an argument has the wrong kind. */
interface TemplateFunction {
  /** The minimum and maximum number of arguments. */
  takes: readonly [number, number];
  call: (args: readonly unknown[]) => unknown;
}

/** The functions by name. The renderer implements `and` and `or`, which may not evaluate all arguments. */
const FUNCTIONS: Readonly<Record<string, TemplateFunction>> = {
  toJSON: { takes: [1, 1], call: ([value]) => jsonText(value) },
  truncate: { takes: [2, 2], call: ([limit, text]) => truncate(asInteger(limit), text) },
  print: { takes: [0, Infinity], call: printAll },
  println: { takes: [0, Infinity], call: (values) => `${values.map(printValue).join(" ")}\n` },
  printf: { takes: [1, Infinity], call: ([format, ...values]) => formatValues(asText(format), values) },
  len: { takes: [1, 1], call: ([value]) => lengthOf(value) },
  index: { takes: [1, Infinity], call: ([value, ...keys]) => keys.reduce(indexOne, value) },
  slice: { takes: [1, 3], call: ([value, ...ends]) => slice(value, ends) },
  eq: { takes: [2, Infinity], call: ([value, ...others]) => others.some((other) => equals(value, other)) },
  ne: { takes: [2, 2], call: ([a, b]) => !equals(a, b) },
  lt: { takes: [2, 2], call: ([a, b]) => isLess(a, b) },
  le: { takes: [2, 2], call: ([a, b]) => isLess(a, b) || equals(a, b) },
  gt: { takes: [2, 2], call: ([a, b]) => isLess(b, a) },
  ge: { takes: [2, 2], call: ([a, b]) => isLess(b, a) || equals(a, b) },
  not: { takes: [1, 1], call: ([value]) => !isTrue(value) },
  html: { takes: [0, Infinity], call: (values) => escapeHtml(printAll(values)) },
  js: { takes: [0, Infinity], call: (values) => escapeJs(printAll(values)) },
  urlquery: { takes: [0, Infinity], call: (values) => escapeQuery(printAll(values)) },
};

/** True if a template can call a function of this name. */
export function isFunction(name: string): boolean {
  return name === "and" || name === "or" || Object.hasOwn(FUNCTIONS, name);
}

/** Calls a function by name. Throws an error if it does not exist or cannot take the arguments. */
export function callFunction(name: string, args: readonly unknown[]): unknown {
  const entry = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
  if (!entry) throw new Error(`function ${JSON.stringify(name)} not defined`);
  const [min, max] = entry.takes;
  if (args.length < min || args.length > max) {
    throw new Error(`wrong number of arguments for ${name}: ${args.length}`);
  }
  try {
    return entry.call(args);
  } catch (error) {
    throw new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

function asText(value: unknown): string {
  if (typeof value === "string") return value;
  throw new Error(`expected a string, not ${kindOf(value)}`);
}

function asInteger(value: unknown): number {
  if (typeof value === "number" && Number.isInteger(value)) return value;
  throw new Error(`expected a whole number, not ${kindOf(value)}`);
}

/** Cuts text to `limit` bytes, never inside a character, and marks the cut. A limit of 0 cuts nothing. */
function truncate(limit: number, value: unknown): string {
  const text = asText(value);
  if (limit <= 0) return text;
  const start = cutBytes(text, limit);
  return start.length < text.length ? `${start}…` : text;
}

function lengthOf(value: unknown): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  if (Array.isArray(value)) return value.length;
  if (isObject(value) && !(value instanceof Struct)) return Object.keys(value).length;
  throw new Error(`${kindOf(value)} has no length`);
}

function indexOne(value: unknown, key: unknown): unknown {
  if (Array.isArray(value)) return value[checkedIndex(key, value.length - 1)];
  if (typeof value === "string") return Buffer.from(value)[checkedIndex(key, Buffer.byteLength(value) - 1)];
  if (!isObject(value) || value instanceof Struct) throw new Error(`cannot index ${kindOf(value)}`);
  const name = asText(key);
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

function checkedIndex(key: unknown, last: number): number {
  const index = asInteger(key);
  if (index < 0 || index > last) throw new Error(`index out of range: ${index}`);
  return index;
}

function slice(value: unknown, ends: readonly unknown[]): unknown {
  if (typeof value !== "string" && !Array.isArray(value)) throw new Error(`cannot slice ${kindOf(value)}`);
  const length = lengthOf(value);
  const end = ends.length > 1 ? checkedIndex(ends[1], length) : length;
  const start = ends.length > 0 ? checkedIndex(ends[0], end) : 0;
  return typeof value === "string" ? Buffer.from(value).toString("utf8", start, end) : value.slice(start, end);
}

/**
 * True if two strings, numbers or booleans are equal. An absent value equals only an absent value. Throws for lists,
 * maps and mixed kinds.
 */
function equals(a: unknown, b: unknown): boolean {
  const first = a ?? null;
  const second = b ?? null;
  if (first === null || second === null) return first === second;
  for (const value of [first, second]) {
    if (typeof value === "object") throw new Error(`cannot compare a ${kindOf(value)}`);
  }
  checkSameKind(first, second);
  return first === second;
}

/** True if the first number or string is less than the second. Strings compare by bytes. Throws for other kinds. */
function isLess(a: unknown, b: unknown): boolean {
  if (typeof a === "number" && typeof b === "number") return a < b;
  if (typeof a === "string" && typeof b === "string") return Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0;
  checkSameKind(a, b);
  throw new Error(`${kindOf(a)} has no order`);
}

function checkSameKind(a: unknown, b: unknown): void {
  if (kindOf(a) !== kindOf(b)) throw new Error(`cannot compare ${kindOf(a)} with ${kindOf(b)}`);
}

const HTML: Record<string, string> = {
  '"': "&#34;",
  "'": "&#39;",
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "\0": "\ufffd",
};

const JS: Record<string, string> = { "\\": "\\\\", "'": "\\'", '"': '\\"' };

function escapeHtml(text: string): string {
  return text.replace(/["'&<>\0]/g, (char) => HTML[char] ?? char);
}

function escapeJs(text: string): string {
  return text.replace(/[\\'"<>&=\p{Cc}\p{Zl}\p{Zp}]/gu, (char) => {
    const code = char.codePointAt(0) ?? 0;
    return JS[char] ?? `\\u${code.toString(16).toUpperCase().padStart(4, "0")}`;
  });
}

function escapeQuery(text: string): string {
  const escaped = encodeURIComponent(text.toWellFormed());
  const rest = escaped.replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
  return rest.replaceAll("%20", "+");
}
