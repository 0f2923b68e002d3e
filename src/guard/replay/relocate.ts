import { isObject } from "../../lib/json.ts";

/** Replaces texts in every text of a value, and back. */
export interface Relocation {
  /** Puts the places of this machine in. */
  into: <T>(value: T) => T;
  /** Puts the recorded places back. */
  outOf: <T>(value: T) => T;
}

/** A recorded text and the one that takes its place: paths, or names that stand alone. */
export type RelocatedPair = readonly [recorded: string, here: string];

/** A shorter name, such as the session `s1`, is replaced only where it is the whole text. */
const SHORTEST_INSIDE = 16;

/** Returns a relocation. Only whole names are replaced: `/home/user` is not found in `/home/users`. */
export function relocationOf(pairs: readonly RelocatedPair[]): Relocation {
  const different = pairs.filter(([recorded, here]) => recorded !== "" && here !== "" && recorded !== here);
  return {
    into: replacer(different),
    outOf: replacer(different.map(([recorded, here]) => [here, recorded] as const)),
  };
}

/** All texts are searched at once, the longest first, so that no replacement is replaced again. */
function replacer(pairs: readonly RelocatedPair[]): <T>(value: T) => T {
  if (pairs.length === 0) return (value) => value;
  const targets = new Map(pairs.toReversed());
  const longestFirst = [...targets.keys()].toSorted((a, b) => b.length - a.length);
  const inside = longestFirst.filter((name) => name.includes("/") || name.length >= SHORTEST_INSIDE);
  const pattern = new RegExp(`(?<![\\w.~])(?:${inside.map(escaped).join("|") || "(?!)"})(?![\\w-])`, "g");
  const replace = (text: string) => targets.get(text) ?? text.replace(pattern, (found) => targets.get(found) ?? found);
  return <T>(value: T) => mapTexts(value, replace) as T;
}

/** Returns a value with every text in it changed, keys of objects included. */
function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [change(key), mapTexts(inner, change)]));
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
