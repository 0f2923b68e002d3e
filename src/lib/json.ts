/** Any value that JSON can hold. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A JSON object. */
export type JsonObject = { readonly [key: string]: Json };

/** True for a plain object: not null, not an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** True for an object of a value that was JSON or configuration, so that everything inside it can be written as JSON. */
export function isJsonObject(value: unknown): value is JsonObject {
  return isObject(value);
}

/** True for an object without a class, as JSON and object literals make them. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (!isObject(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** True when objects and arrays stand in each other more than so many levels deep. Uses no stack. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  let open = [value].filter(isContainer);
  for (let level = 0; open.length > 0; level++) {
    if (level === levels) return true;
    open = open.flatMap((container) => Object.values(container).filter(isContainer));
  }
  return false;
}

/**
 * A JSON value without the nulls inside it, however deep: keys set to null and list items that are null. Returns the
 * value itself if there are none. Uses no stack, so that hostile input cannot overflow it.
 */
export function withoutNulls(value: unknown): unknown {
  if (!holdsNull(value) || !isContainer(value)) return value;
  const copy = emptyLike(value);
  const open: [object, object][] = [[value, copy]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [source, target] = next;
    for (const [key, inner] of Object.entries(source)) {
      if (inner === null) continue;
      const twin = isContainer(inner) ? emptyLike(inner) : (inner as unknown);
      if (Array.isArray(target)) target.push(twin);
      else Object.defineProperty(target, key, { value: twin, writable: true, enumerable: true, configurable: true });
      if (isContainer(inner)) open.push([inner, twin as object]);
    }
  }
  return copy;
}

function holdsNull(value: unknown): boolean {
  const open = [value].filter(isContainer);
  for (let next = open.pop(); next; next = open.pop()) {
    for (const inner of Object.values(next)) {
      if (inner === null) return true;
      if (isContainer(inner)) open.push(inner);
    }
  }
  return false;
}

function emptyLike(container: object): object {
  return Array.isArray(container) ? [] : {};
}

/** Beyond these a value counts as not plain: it may be a cycle. */
const PLAIN_LIMITS = { levels: 500, values: 1_000_000 };

/**
 * How many characters the strings and keys of a value hold together, if it is plain: objects without a class, arrays,
 * strings, finite numbers, booleans and nulls, so that a structured clone equals its JSON text parsed. Undefined for any other value,
 * for one nested more than 500 deep and for one of more than a million parts. Uses no stack.
 */
export function plainTextLength(value: unknown): number | undefined {
  let size = 0;
  let count = 0;
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    count += level.length;
    if (depth > PLAIN_LIMITS.levels || count > PLAIN_LIMITS.values) return undefined;
    const next: unknown[] = [];
    for (const each of level) {
      if (typeof each === "string") {
        size += each.length;
      } else if (Array.isArray(each)) {
        for (const item of each) next.push(item);
      } else if (isPlainObject(each)) {
        for (const key of Object.keys(each)) {
          size += key.length;
          if (each[key] !== undefined) next.push(each[key]);
        }
      } else if (each !== null && typeof each !== "boolean" && !Number.isFinite(each)) {
        return undefined;
      }
      if (next.length > PLAIN_LIMITS.values) return undefined;
    }
    level = next;
  }
  return size;
}

/** The number of keys in all objects of a value together. Uses no stack. */
export function countKeys(value: unknown): number {
  let keys = 0;
  const open: object[] = isContainer(value) ? [value] : [];
  for (let next = open.pop(); next; next = open.pop()) {
    const items: unknown[] = Array.isArray(next) ? next : Object.values(next);
    if (items !== next) keys += items.length;
    for (const item of items) if (isContainer(item)) open.push(item);
  }
  return keys;
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** The JSON text of a value with the keys of every object sorted, so that equal values give equal texts. */
export function canonicalJson(value: unknown): string {
  return (
    JSON.stringify(value, (_key, inner: unknown) =>
      isObject(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
        : inner,
    ) ?? "null"
  );
}

/**
 * The first key that stands twice in one object of a JSON text, or undefined. The text must be valid JSON:
 * `JSON.parse` accepts a repeated key in silence and keeps the last.
 */
export function findRepeatedKey(text: string): string | undefined {
  const open: (Set<string> | undefined)[] = [];
  let expectKey = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === "{") {
      open.push(new Set());
      expectKey = true;
    } else if (char === "[") {
      open.push(undefined);
      expectKey = false;
    } else if (char === "}" || char === "]") {
      open.pop();
      expectKey = false;
    } else if (char === ",") {
      expectKey = open.at(-1) !== undefined;
    } else if (char === '"') {
      const start = at;
      for (at++; at < text.length && text[at] !== '"'; at++) if (text[at] === "\\") at++;
      const keys = open.at(-1);
      if (expectKey && keys) {
        const key = String(JSON.parse(text.slice(start, at + 1)));
        if (keys.has(key)) return key;
        keys.add(key);
        expectKey = false;
      }
    }
  }
  return undefined;
}
