import { isObject } from "../json.ts";

/**
 * What a value from outside must look like. Written by hand, not as a Valibot schema, because every cold dispatch checks
 * its event and its hooks' answers by shapes; `schema.ts` makes a Valibot schema of one where one is needed.
 */
export type Shape<T = unknown> = ShapeKind & { readonly [holds]?: T };

declare const holds: unique symbol;

type ShapeKind =
  | { kind: "text" | "flag" | "number" | "whole" | "anything" }
  | { kind: "choice"; options: readonly string[] }
  | { kind: "list"; item: Shape }
  /** An object with keys of any name, whose values all have one shape. */
  | { kind: "map"; value: Shape }
  /** An object with some known keys; others are accepted as they are. */
  | { kind: "object"; fields: Readonly<Record<string, Shape>>; optional: ReadonlySet<string> };

/** The values that a shape accepts. */
export type ShapeValue<S> = S extends Shape<infer T> ? T : never;

/** A text. */
export const text: Shape<string> = { kind: "text" };
/** True or false. */
export const flag: Shape<boolean> = { kind: "flag" };
/** Any number but NaN. */
export const number: Shape<number> = { kind: "number" };
/** A whole number. */
export const wholeNumber: Shape<number> = { kind: "whole" };
/** Any value. */
export const anything: Shape = { kind: "anything" };
/** An object with any keys and values. */
export const anyObject: Shape<Record<string, unknown>> = { kind: "map", value: anything };
/** An object whose values are texts. */
export const textObject: Shape<Record<string, string>> = { kind: "map", value: text };

/** One of some texts. */
export function choice<const T extends readonly string[]>(options: T): Shape<T[number]> {
  return { kind: "choice", options };
}

/** A list of values of one shape. */
export function list<T>(item: Shape<T>): Shape<T[]> {
  return { kind: "list", item };
}

type Fields = Readonly<Record<string, Shape>>;

type Filled<F extends Fields> = { [K in keyof F]: ShapeValue<F[K]> };

/** An object with required and optional keys; other keys are accepted as they are. */
export function object<R extends Fields, O extends Fields>(
  required: R,
  optional: O,
): Shape<Filled<R> & { [K in keyof O]?: ShapeValue<O[K]> | undefined } & { [key: string]: unknown }> {
  return { kind: "object", fields: { ...required, ...optional }, optional: new Set(Object.keys(optional)) };
}

/** Where a value does not fit a shape, and how. */
export interface Mismatch {
  /** The keys and indexes that lead there, joined by dots; empty for the value itself. */
  path: string;
  /** What is accepted there, in words. */
  expected: string;
  /** What is there, in words. */
  received: string;
}

/** The first place where a value does not fit a shape; undefined if it fits. */
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
        return inner === undefined && shape.optional.has(key) ? undefined : below(key, findMismatch(field, inner));
      });
    default:
      return isScalar(shape, value) ? undefined : wrong(shape, value);
  }
}

/** A mismatch as one text: `messages.0.role: expected string but received 5`. */
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

/** Longer texts are cut where a message quotes them. */
const QUOTED = 200;

function wrong(shape: Shape, value: unknown): Mismatch {
  const expected =
    shape.kind === "choice"
      ? `(${shape.options.map((option) => JSON.stringify(option)).join(" | ")})`
      : EXPECTED[shape.kind];
  return { path: "", expected, received: shown(value) };
}

function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.length > QUOTED ? `${value.slice(0, QUOTED)}...` : value);
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
