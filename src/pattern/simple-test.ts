import { once } from "../lib/once.ts";

const LITERAL_NAMES = /^[A-Za-z0-9_:-]+(?:\|[A-Za-z0-9_:-]+)*$/;

/** The names in a pattern that consists only of names separated by `|`; undefined for any other pattern. */
export function literalNames(pattern: string): string[] | undefined {
  return LITERAL_NAMES.test(pattern) ? pattern.split("|") : undefined;
}

/**
 * The test of a pattern that needs no compiling (cold start): names separated by `|`, in which `.*` stands for any text, or a
 * plain pattern (see {@link PLAIN}). Undefined for any other pattern.
 */
export function simpleTest(pattern: string): ((name: string) => boolean) | undefined {
  const literals = literalNames(pattern);
  if (literals) return (name) => literals.includes(name);
  const parts = namesWithWildcards(pattern);
  if (parts) return (name) => parts.some((part) => matchesParts(name, part));
  return plainTest(pattern);
}

/** Names separated by `|`, in which `.*` stands for any text. */
const WITH_WILDCARDS = /^(?:[A-Za-z0-9_:|-]|\.\*)+$/;

/** A longer pattern, or one with more wildcards, could be too large for {@link compilePattern}, which then refuses it. */
const MOST_SIMPLE = { length: 400, wildcards: 20 };

/**
 * Characters of names, sets of them, and groups of names, each possibly with `?`; `|`; and `.*`. Such a pattern is valid,
 * and means to JavaScript what it means to RE2.
 */
const PLAIN = /^(?:[A-Za-z0-9_:-]\??|\[[A-Za-z0-9_]+\]\??|\((?:\?:)?[A-Za-z0-9_:|-]*\)\??|\||\.\*)+$/;

/** The most groups, `?` and `.*` together: backtracking tries all combinations of what they can be. */
const MOST_CHOICES = 2;

function plainTest(pattern: string): ((name: string) => boolean) | undefined {
  if (pattern.length > MOST_SIMPLE.length || !PLAIN.test(pattern)) return undefined;
  const choices = pattern.match(/\((?:\?:)?|\?|\.\*/g) ?? [];
  if (choices.length > MOST_CHOICES) return undefined;
  const whole = once(() => new RegExp(`^(?:${pattern})$`, "s"));
  return (name) => whole().test(name);
}

/**
 * Returns the texts around each `.*` in each name of a pattern that consists only of both; undefined for any other. Such
 * a pattern is valid, and needs no compiling (cold start).
 */
function namesWithWildcards(pattern: string): string[][] | undefined {
  if (pattern.length > MOST_SIMPLE.length || !WITH_WILDCARDS.test(pattern)) return undefined;
  const names = pattern.split("|").map((name) => name.split(".*"));
  return names.flat().length - names.length > MOST_SIMPLE.wildcards ? undefined : names;
}

/** True if a name is these texts in order, with any text between two. */
function matchesParts(name: string, [first = "", ...rest]: readonly string[]): boolean {
  const last = rest.pop();
  if (last === undefined) return name === first;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}
