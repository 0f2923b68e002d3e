import { isPlainObject } from "./json.ts";

/** Frozen with everything in them. */
const frozen = new WeakSet<object>();

/**
 * Freezes a JSON value with everything in it, so that what was computed from it stays true as long as it exists. Returns
 * the value. A value that can change nevertheless, or look different at each reading, is left as it is: one with a class
 * instance, a function or a getter in it.
 */
export function freezeJson<T>(value: T): T {
  const parts = new Set<object>();
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== "object" || next === null) {
      if (typeof next === "function" || typeof next === "bigint" || typeof next === "symbol") return value;
    } else if (!parts.has(next) && !frozen.has(next)) {
      if (!Array.isArray(next) && !isPlainObject(next)) return value;
      parts.add(next);
      // A frozen value has no further properties; until then they may be hidden from `Object.values`.
      for (const key of Reflect.ownKeys(next)) {
        const property = Reflect.getOwnPropertyDescriptor(next, key);
        if (property?.get || property?.set) return value;
        open.push(property?.value);
      }
    }
  }
  for (const part of parts) frozen.add(Object.freeze(part));
  return value;
}

/** True for an object that {@link freezeJson} has frozen with everything in it. */
export function isFrozenJson(value: unknown): value is object {
  return typeof value === "object" && value !== null && frozen.has(value);
}

/** The JSON texts of frozen values. */
const texts = new WeakMap<object, string>();

/** Returns the JSON text of an object, as `JSON.stringify` does; that of a frozen item of a list in it is kept. */
export function textOfObject(value: Readonly<Record<string, unknown>>): string {
  // Joined once: a long conversation is copied no more often than it must.
  const pieces: string[] = [];
  for (const [key, field] of Object.entries(value)) {
    const text = Array.isArray(field) ? "[" : JSON.stringify(field);
    if (text === undefined) continue;
    pieces.push(pieces.length === 0 ? "{" : ",", JSON.stringify(key), ":", text);
    if (!Array.isArray(field)) continue;
    for (const [at, item] of field.entries()) pieces.push(at === 0 ? "" : ",", itemText(item));
    pieces.push("]");
  }
  pieces.push(pieces.length === 0 ? "{}" : "}");
  return pieces.join("");
}

function itemText(item: unknown): string {
  const known = typeof item === "object" && item !== null ? texts.get(item) : undefined;
  if (known !== undefined) return known;
  const text = JSON.stringify(item) ?? "null";
  if (isFrozenJson(item)) texts.set(item, text);
  return text;
}
