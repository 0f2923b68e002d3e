import { canonicalJson, isObject } from "../lib/json.ts";
import { anything, type Shape } from "../lib/schema/shape.ts";

const UPPER_CASE = new Set(["id", "url", "api"]);

/** The name of a wire field in templates: `tool_use_id` is `ToolUseID`. */
export function goName(wireName: string): string {
  return wireName
    .split("_")
    .map((word) => (UPPER_CASE.has(word) ? word.toUpperCase() : word.slice(0, 1).toUpperCase() + word.slice(1)))
    .join("");
}

/**
 * An object with the fields of a shape. An absent field has its zero value; an unknown field is an error. Objects
 * without a shape, such as tool arguments, stay plain objects and are read by key.
 */
export class Struct {
  /** The object itself; undefined if it is absent. */
  readonly raw: Readonly<Record<string, unknown>> | undefined;
  readonly #names: ReadonlyMap<string, string>;
  readonly #entries: Readonly<Record<string, Shape>>;
  readonly #read = new Map<string, unknown>();

  constructor(raw: Readonly<Record<string, unknown>> | undefined, entries: Readonly<Record<string, Shape>>) {
    this.raw = raw;
    this.#entries = entries;
    this.#names = new Map(Object.keys(entries).map((wire) => [goName(wire), wire]));
  }

  /** The object as JSON: the fields that it has in the order of its shape, then its other keys, sorted. */
  toText(): string {
    const { raw } = this;
    if (raw === undefined) return "null";
    const known = Object.entries(this.#entries).filter(([wire]) => Object.hasOwn(raw, wire));
    const others = sortedKeys(raw).filter((key) => !Object.hasOwn(this.#entries, key));
    const values = [
      ...known.map(([wire, shape]) => [wire, raw[wire] === null ? null : wrapValue(raw[wire], shape)] as const),
      ...others.map((key) => [key, raw[key]] as const),
    ].filter(([key]) => raw[key] !== undefined);
    return `{${values.map(([key, value]) => `${JSON.stringify(key)}:${jsonText(value)}`).join(",")}}`;
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** The value of an existing field. */
  get(name: string): unknown {
    if (!this.#read.has(name)) {
      const wire = this.#names.get(name) ?? "";
      const shape = this.#entries[wire] ?? anything;
      this.#read.set(name, wrapValue(this.raw && Object.hasOwn(this.raw, wire) ? this.raw[wire] : undefined, shape));
    }
    return this.#read.get(name);
  }
}

/** The zero value of each kind. */
const ZERO: Record<Exclude<Shape["kind"], "object">, unknown> = {
  text: "",
  choice: "",
  anything: "",
  number: 0,
  whole: 0,
  flag: false,
  list: [],
  map: {},
};

/** Wraps a value in its shape. An absent value becomes the zero value. */
export function wrapValue(value: unknown, shape: Shape): unknown {
  const isAbsent = value === undefined || value === null;
  if (shape.kind === "object")
    return isAbsent || isObject(value) ? new Struct(value ?? undefined, shape.fields) : value;
  if (isAbsent) return ZERO[shape.kind];
  if (Array.isArray(value) && shape.kind === "list")
    return value.map((element: unknown) => wrapValue(element, shape.item));
  return value;
}

/** The value without its shape. */
export function plainValue(value: unknown): unknown {
  if (value instanceof Struct) return value.raw ?? null;
  return Array.isArray(value) ? value.map(plainValue) : value;
}

/** The value as JSON, without white space. The keys of a map are sorted. */
export function jsonText(value: unknown): string {
  if (value instanceof Struct) return value.toText();
  return Array.isArray(value) ? `[${value.map(jsonText).join(",")}]` : canonicalJson(value);
}

/** The truth of a value, for `if`, `with`, `and`, `or` and `not`. */
export function isTrue(value: unknown): boolean {
  if (value instanceof Struct) return value.raw !== undefined;
  if (Array.isArray(value)) return value.length > 0;
  if (isObject(value)) return Object.keys(value).length > 0;
  return Boolean(value);
}

/** The kind of a value, for messages. */
export function kindOf(value: unknown): string {
  if (value === undefined || value === null) return "nil";
  if (Array.isArray(value)) return "list";
  if (typeof value === "object") return "map";
  return typeof value;
}

export function sortedKeys(map: object): string[] {
  return Object.keys(map).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}
