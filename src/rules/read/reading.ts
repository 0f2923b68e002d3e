import { nearestWithinTwo } from "../../lib/text/nearest.ts";
import type { OwnSets, RulePath } from "../rule.ts";

/** A mistake at one place in a document, or advice about it. */
export interface RuleProblem {
  path: RulePath;
  /** The path in the message, if it is not that of the place. */
  printedPath?: RulePath;
  message: string;
  /** Whether the place is that of the key or of the value. Default: the value. */
  at?: "key" | "value";
}

/** What the reading of a file knows and finds. */
export interface Reading {
  problems: RuleProblem[];
  /** What does not prevent loading. */
  notices: RuleProblem[];
  sets: OwnSets;
  /** The agents of the team; undefined without an agent file. */
  agents: readonly string[] | undefined;
}

export function quoted(text: unknown): string {
  return JSON.stringify(text);
}

/** `a, b and c`. */
export function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** Returns the name that was probably meant: close, in another case, or one that goes on where the word ends. */
export function meantName(word: string, names: readonly string[]): string | undefined {
  const lower = word.toLowerCase();
  const snake = word.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
  return (
    names.find((name) => name.toLowerCase() === lower || name === snake) ??
    nearestWithinTwo(word, names) ??
    (word.length > 3 ? names.find((name) => name.startsWith(lower)) : undefined)
  );
}

/**
 * The message for an unknown name: with the one that was probably meant, else with all there are. `tried` has what people
 * write instead.
 */
export function unknownName(
  what: string,
  word: string,
  names: readonly string[],
  tried: Readonly<Record<string, string>> = {},
): string {
  const advice = Object.hasOwn(tried, word.toLowerCase()) ? tried[word.toLowerCase()] : undefined;
  if (advice?.includes(" ")) return `unknown ${what} ${quoted(word)}: ${advice}`;
  const meant = advice ?? meantName(word, names);
  if (meant !== undefined) return `unknown ${what} ${quoted(word)}, did you mean ${quoted(meant)}?`;
  return `unknown ${what} ${quoted(word)}; there ${names.length === 1 ? "is" : "are"} ${listed(names)}`;
}

/** Reports a key that a mapping does not take. */
export function unknownKey(reading: Reading, path: RulePath, key: string, message: string): void {
  reading.problems.push({ path: [...path, key], printedPath: path, at: "key", message });
}

/** What a value is, for messages. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (typeof value === "object") return Object.keys(value).length === 0 ? "an empty mapping" : "a mapping";
  if (typeof value === "string") return value.trim() === "" ? "a blank text" : "a text";
  return typeof value === "number" ? "a number" : String(value);
}
