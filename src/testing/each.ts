import { isObject } from "../lib/json.ts";

/** Matches `$each` and `$each.key`. */
const EACH = /\$each(?:\.([A-Za-z_]\w*))?(?!\w)/g;

/** Returns the part of an item that `$each` or `$each.key` names; undefined if the item has no such key. */
function partOf(item: unknown, key: string | undefined): unknown {
  if (key === undefined) return item;
  return isObject(item) && Object.hasOwn(item, key) ? item[key] : undefined;
}

/** The places of `$each` in a value, in every text and key. */
export function eachReferences(value: unknown): (string | undefined)[] {
  if (typeof value === "string") return [...value.matchAll(EACH)].map(([, key]) => key);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [...eachReferences(key), ...eachReferences(inner)]);
}

/**
 * Replaces `$each` with an item, and `$each.key` with one of its values. A text that is nothing else becomes the value
 * itself; inside a longer text, and in a regular expression, it becomes text.
 */
export function withItem(value: unknown, item: unknown): unknown {
  if (typeof value === "string") return inText(value, item);
  if (Array.isArray(value)) return value.map((inner) => withItem(inner, item));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [String(inText(key, item)), withItem(inner, item)]),
  );
}

function inText(text: string, item: unknown): unknown {
  const [whole] = [...text.matchAll(EACH)];
  if (whole?.[0] === text) return partOf(item, whole[1]);
  const isExpression = text.startsWith("/");
  return text.replace(EACH, (_all, key: string | undefined) => {
    const part = itemText(partOf(item, key));
    return isExpression ? part.replace(/[\\^$.|?*+()[\]{}/]/g, "\\$&") : part;
  });
}

/** An item as text: itself, or its JSON. */
export function itemText(item: unknown): string {
  return typeof item === "string" ? item : (JSON.stringify(item) ?? "");
}
