/** Any value that JSON can hold. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A JSON object. */
export type JsonObject = { readonly [key: string]: Json };

/** True for an object that is neither null nor an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * True for an object. Only for values that were parsed from JSON or configuration: the type says that all of it is
 * JSON.
 */
export function isJsonObject(value: unknown): value is JsonObject {
  return isObject(value);
}

/** True if a text is valid JSON. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** True for an object without a class, such as an object literal or a parsed JSON object. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (!isObject(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** True if the value nests deeper than `levels`. Not recursive, so that hostile input cannot overflow the stack. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  let open = [value].filter(isContainer);
  for (let level = 0; open.length > 0; level++) {
    if (level === levels) return true;
    open = open.flatMap((container) => Object.values(container).filter(isContainer));
  }
  return false;
}

/**
 * True if the value holds a number that may not be the one in its JSON text: an integer with more digits than a number has,
 * or one too large for it. Not recursive, so that hostile input cannot overflow the stack.
 */
export function holdsInexactNumber(value: unknown): boolean {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === "number" && Math.abs(next) > Number.MAX_SAFE_INTEGER) return true;
    if (isContainer(next)) for (const inner of Object.values(next)) open.push(inner);
  }
  return false;
}

/**
 * Removes keys set to null and list items that are null, at every depth. Returns the value itself if it contains none.
 * Not recursive, so that hostile input cannot overflow the stack.
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

/** A value beyond these limits may contain a cycle, so it does not count as plain. */
const PLAIN_LIMITS = { levels: 500, values: 1_000_000 };

/**
 * Returns the total length of all strings and keys of a value, if it is plain: objects without a class, arrays,
 * strings, finite numbers, booleans and nulls. A structured clone of a plain value equals its JSON text parsed.
 * Undefined for any other value, for one that nests more than 500 levels deep and for one with more than a million
 * parts. Not recursive.
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

/** Returns the total number of keys in all objects of a value. Not recursive. */
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

/**
 * Returns the canonical JSON text of a value (RFC 8785), so that equal values have equal texts. Two values that the RFC
 * refuses have a text too: half a surrogate pair is escaped (`\ud800`), and a number that JSON cannot hold is null.
 * Throws a `RangeError` if the value nests too deep for the stack.
 */
export function canonicalJson(value: unknown): string {
  return canonicalText(value) ?? "null";
}

/** JSON.stringify writes strings and numbers as the RFC wants them. Undefined if JSON has no text for the value. */
function canonicalText(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => canonicalText(item) ?? "null").join(",")}]`;
  if ("toJSON" in value && typeof value.toJSON === "function") return canonicalText(value.toJSON());
  const fields: string[] = [];
  // Sorts by UTF-16 units. An object with its keys sorted would not do: it puts keys like "10" first.
  for (const key of Object.keys(value).sort()) {
    const text = canonicalText((value as Record<string, unknown>)[key]);
    if (text !== undefined) fields.push(`${JSON.stringify(key)}:${text}`);
  }
  return `{${fields.join(",")}}`;
}

/**
 * Returns the first key that occurs twice in the same object of a JSON text, or undefined. The text must be valid JSON.
 * `JSON.parse` silently keeps the last value of a repeated key.
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

/**
 * Drops fields whose value is undefined, null, false, an empty string, an empty list or an empty object. Keeps zero,
 * because it can be a measurement.
 */
export function omitEmpty<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const kept = { ...fields };
  for (const key in fields) if (isBlank(fields[key])) delete kept[key];
  return kept as { [K in keyof T]?: Exclude<T[K], undefined> };
}

function isBlank(value: unknown): boolean {
  if (value === undefined || value === null || value === "" || value === false) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}
