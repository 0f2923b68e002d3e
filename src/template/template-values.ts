import { isObject } from "../lib/json.ts";
import { anything, type Shape } from "../lib/schema/shape.ts";

const UPPER_CASE = new Set(["id", "url", "api"]);

/** The name by which templates know a wire field: `tool_use_id` is `ToolUseID`. */
export function goName(wireName: string): string {
  return wireName
    .split("_")
    .map((word) => (UPPER_CASE.has(word) ? word.toUpperCase() : word.slice(0, 1).toUpperCase() + word.slice(1)))
    .join("");
}

/**
 * An object whose fields are fixed by a shape: a field that is absent holds its zero value, and any other name is a
 * mistake. Objects without one, such as tool arguments, stay plain and are read by key.
 */
export class Struct {
  /** The object itself; undefined when it is absent. */
  readonly raw: Readonly<Record<string, unknown>> | undefined;
  readonly #names: ReadonlyMap<string, string>;
  readonly #entries: Readonly<Record<string, Shape>>;
  readonly #read = new Map<string, unknown>();

  constructor(raw: Readonly<Record<string, unknown>> | undefined, entries: Readonly<Record<string, Shape>>) {
    this.raw = raw;
    this.#entries = entries;
    this.#names = new Map(Object.keys(entries).map((wire) => [goName(wire), wire]));
  }

  /** True when there is a field of that name. */
  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** The value of a field that exists. */
  get(name: string): unknown {
    if (!this.#read.has(name)) {
      const wire = this.#names.get(name) ?? "";
      const shape = this.#entries[wire] ?? anything;
      this.#read.set(name, wrapValue(this.raw && Object.hasOwn(this.raw, wire) ? this.raw[wire] : undefined, shape));
    }
    return this.#read.get(name);
  }
}

/** What an absent value of each kind prints as. */
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

/** Gives a value the fields of its shape, and an absent one its zero value. */
export function wrapValue(value: unknown, shape: Shape): unknown {
  const isAbsent = value === undefined || value === null;
  if (shape.kind === "object")
    return isAbsent || isObject(value) ? new Struct(value ?? undefined, shape.fields) : value;
  if (isAbsent) return ZERO[shape.kind];
  if (Array.isArray(value) && shape.kind === "list")
    return value.map((element: unknown) => wrapValue(element, shape.item));
  return value;
}

/** A value as JSON knows it. */
export function plainValue(value: unknown): unknown {
  if (value instanceof Struct) return value.raw ?? null;
  return Array.isArray(value) ? value.map(plainValue) : value;
}

/** What `if`, `with`, `and`, `or` and `not` go by. */
export function isTrue(value: unknown): boolean {
  if (value instanceof Struct) return value.raw !== undefined;
  if (Array.isArray(value)) return value.length > 0;
  if (isObject(value)) return Object.keys(value).length > 0;
  return Boolean(value);
}

/** What a value is, for messages. */
export function kindOf(value: unknown): string {
  if (value === undefined || value === null) return "nil";
  if (Array.isArray(value)) return "list";
  if (typeof value === "object") return "map";
  return typeof value;
}

/** The keys of a map in order. */
export function sortedKeys(map: object): string[] {
  return Object.keys(map).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}
