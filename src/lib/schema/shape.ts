import { isObject } from "../json.ts";

/**
 * Describes what an untrusted value must look like, without Valibot (cold start). `schema-from-shape.ts` converts a
 * shape to a Valibot schema.
 */
export type Shape<T = unknown> = ShapeKind & { readonly [holds]?: T };

declare const holds: unique symbol;

type ShapeKind =
  | { kind: "text" | "flag" | "number" | "whole" | "anything" }
  | { kind: "choice"; options: readonly string[] }
  | { kind: "list"; item: Shape }
  /** An object with arbitrary keys, whose values all have one shape. */
  | { kind: "map"; value: Shape }
  /** An object with some known keys; other keys may have any value. */
  | { kind: "object"; fields: Fields; optional: Fields };

/** The type of the values that a shape accepts. */
export type ShapeValue<S> = S extends Shape<infer T> ? T : never;

export const text: Shape<string> = { kind: "text" };
/** True or false. */
export const flag: Shape<boolean> = { kind: "flag" };
/** Any number but NaN. */
export const number: Shape<number> = { kind: "number" };
export const wholeNumber: Shape<number> = { kind: "whole" };
export const anything: Shape = { kind: "anything" };
/** An object with any keys and values. */
export const anyObject: Shape<Record<string, unknown>> = { kind: "map", value: anything };
/** An object whose values are texts. */
export const textObject: Shape<Record<string, string>> = { kind: "map", value: text };

/** One of the given texts. */
export function choice<const T extends readonly string[]>(options: T): Shape<T[number]> {
  return { kind: "choice", options };
}

/** A list of values of one shape. */
export function list<T>(item: Shape<T>): Shape<T[]> {
  return { kind: "list", item };
}

type Fields = Readonly<Record<string, Shape>>;

type Filled<F extends Fields> = { [K in keyof F]: ShapeValue<F[K]> };

/** An object with required and optional keys; other keys may have any value. */
export function object<R extends Fields, O extends Fields>(
  required: R,
  optional: O,
): Shape<Filled<R> & { [K in keyof O]?: ShapeValue<O[K]> | undefined } & { [key: string]: unknown }> {
  return { kind: "object", fields: { ...required, ...optional }, optional };
}

/** The place where a value does not fit its shape. */
export interface Mismatch {
  /** The keys and indexes of the place, joined by dots; empty for the value itself. */
  path: string;
  /** What the shape accepts there, in words. */
  expected: string;
  /** What the value has there, in words. */
  received: string;
}

/** Returns the first place where a value does not fit a shape; undefined if it fits. */
export function findMismatch(shape: Shape, value: unknown): Mismatch | undefined {
  switch (shape.kind) {
    case "list":
      if (!Array.isArray(value)) return wrong(shape, value);
      return first(value, (item, index) => below(String(index), findMismatch(shape.item, item)));
    case "map":
      if (!isObject(value)) return wrong(shape, value);
      if (shape.value.kind === "anything") return undefined;
      return first(Object.entries(value), ([key, inner]) => below(key, findMismatch(shape.value, inner)));
    case "object":
      if (!isObject(value)) return wrong(shape, value);
      return first(Object.entries(shape.fields), ([key, field]) => {
        const inner = Object.hasOwn(value, key) ? value[key] : undefined;
        return inner === undefined && Object.hasOwn(shape.optional, key)
          ? undefined
          : below(key, findMismatch(field, inner));
      });
    default:
      return isScalar(shape, value) ? undefined : wrong(shape, value);
  }
}

/** Formats a mismatch: `messages.0.role: expected string but received 5`. */
export function mismatchText({ path, expected, received }: Mismatch): string {
  return `${path}: expected ${expected} but received ${received}`;
}

function isScalar(shape: Shape, value: unknown): boolean {
  switch (shape.kind) {
    case "text":
      return typeof value === "string";
    case "flag":
      return typeof value === "boolean";
    case "number":
      return typeof value === "number" && !Number.isNaN(value);
    case "whole":
      return Number.isInteger(value);
    case "choice":
      return typeof value === "string" && shape.options.includes(value);
    default:
      return true;
  }
}

const EXPECTED: Record<Exclude<Shape["kind"], "choice">, string> = {
  text: "string",
  flag: "boolean",
  number: "number",
  whole: "a whole number",
  anything: "a value",
  list: "Array",
  map: "an object",
  object: "an object",
};

/** Messages quote at most this many characters of a text. */
const MAX_QUOTED = 200;

function wrong(shape: Shape, value: unknown): Mismatch {
  const expected =
    shape.kind === "choice"
      ? `(${shape.options.map((option) => JSON.stringify(option)).join(" | ")})`
      : EXPECTED[shape.kind];
  return { path: "", expected, received: shown(value) };
}

function shown(value: unknown): string {
  if (typeof value === "string")
    return JSON.stringify(value.length > MAX_QUOTED ? `${value.slice(0, MAX_QUOTED)}...` : value);
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "Array" : "Object";
  return typeof value === "function" ? "Function" : String(value);
}

function below(key: string, found: Mismatch | undefined): Mismatch | undefined {
  return found && { ...found, path: found.path === "" ? key : `${key}.${found.path}` };
}

function first<T>(items: readonly T[], check: (item: T, index: number) => Mismatch | undefined): Mismatch | undefined {
  for (const [index, item] of items.entries()) {
    const found = check(item, index);
    if (found) return found;
  }
  return undefined;
}
