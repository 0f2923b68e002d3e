import { isObject } from "../lib/json.ts";

/** Texts in the fields of an input that are about one thing, and whether one of these fields holds something else. */
export interface FieldTexts {
  texts: string[];
  /** True if such a field holds a value that is no text, or an empty one. */
  odd: boolean;
}

/** No tool of a host nests its input deeper, and names more. */
const MAX_DEPTH = 6;
const MAX_TEXTS = 10_000;

/** Collects the different texts of the fields with these names, in any case and with or without `_` and `-`, at any depth. */
export function textsOf(input: unknown, isField: (name: string) => boolean): FieldTexts {
  const found: FieldTexts = { texts: [], odd: false };
  collect(input, isField, found, 0);
  return { texts: [...new Set(found.texts)], odd: found.odd };
}

/** A name of a field as {@link textsOf} compares it. */
export function plainName(name: string): string {
  return name.replace(/[_-]/g, "").toLowerCase();
}

/** Every text in a value, at any depth. Not recursive, so that hostile input cannot overflow the stack. */
export function allTexts(value: unknown): string[] {
  const texts: string[] = [];
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === "string") texts.push(next);
    else if (typeof next === "object" && next !== null)
      for (const inner of Object.values(next).reverse()) open.push(inner);
  }
  return texts;
}

function collect(value: unknown, isField: (name: string) => boolean, found: FieldTexts, depth: number): void {
  if (depth > MAX_DEPTH || found.texts.length > MAX_TEXTS) {
    found.odd = true; // what is deeper or further is not read
    return;
  }
  if (Array.isArray(value)) for (const item of value) collectInside(item, isField, found, depth + 1);
  else if (isObject(value))
    for (const [name, inner] of Object.entries(value)) {
      if (isField(plainName(name))) take(inner, isField, found, depth + 1);
      else collectInside(inner, isField, found, depth + 1);
    }
}

function collectInside(value: unknown, isField: (name: string) => boolean, found: FieldTexts, depth: number): void {
  if (typeof value === "object" && value !== null) collect(value, isField, found, depth);
}

/** A list may hold texts, and objects that name them. */
function take(value: unknown, isField: (name: string) => boolean, found: FieldTexts, depth: number): void {
  if (typeof value === "string" && value !== "") found.texts.push(value);
  else if (Array.isArray(value))
    for (const item of value) {
      if (isObject(item)) collect(item, isField, found, depth);
      else take(item, isField, found, depth + 1);
    }
  else if (isObject(value)) collect(value, isField, found, depth);
  else if (value !== undefined && value !== null) found.odd = true;
}
