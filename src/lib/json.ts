/** Any value that JSON can hold. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A JSON object. */
export type JsonObject = { readonly [key: string]: Json };

/** True for a plain object: not null, not an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
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

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** The JSON text of a value with the keys of every object sorted, so that equal values give equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))) : inner,
  ) ?? "null";
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
