import type { CharSet } from "../../pattern/character-sets.ts";
import { parsePattern } from "../../pattern/parse-pattern.ts";
import { compileProgram, OP, type Program } from "../../pattern/program.ts";

/** A set of texts. Two with the same key are the same set. */
export type Language = { key: string } & (
  | { kind: "leaf"; expression: string; program: Program; contains: boolean }
  | { kind: "both" | "either"; of: readonly Language[] }
  | { kind: "not"; of: Language }
  /** The texts whose first word, up to a blank, is in a language. */
  | { kind: "word"; of: Language }
);

export const EVERY: Language = { key: "*", kind: "both", of: [] };
export const NOTHING: Language = { key: "-", kind: "either", of: [] };

/** The texts that are in all of some languages. What two of them say in the same words is settled here. */
export function both(of: readonly Language[]): Language {
  const all = joined("both", of, EVERY, NOTHING);
  if (all.kind !== "both") return all;
  const keys = new Set(all.of.map(({ key }) => key));
  const isDenied = (one: Language): boolean => keys.has(not(one).key);
  if (all.of.some(isDenied)) return NOTHING;
  const isOpen = all.of.some((part) => part.kind === "either" && part.of.some(isDenied));
  return isOpen
    ? both(all.of.map((part) => (part.kind === "either" ? either(part.of.filter((one) => !isDenied(one))) : part)))
    : all;
}

export function either(of: readonly Language[]): Language {
  return joined("either", of, NOTHING, EVERY);
}

/** The same parts in another order are the same language. */
function joined(kind: "both" | "either", of: readonly Language[], none: Language, all: Language): Language {
  const byKey = new Map(of.flatMap((one) => (one.kind === kind ? one.of : [one])).map((one) => [one.key, one]));
  const keys = [...byKey.keys()].sort();
  const [first] = keys;
  if (first === undefined) return none;
  if (byKey.has(all.key)) return all;
  const parts = keys.flatMap((key) => byKey.get(key) ?? []);
  return parts.length === 1 && parts[0] ? parts[0] : { key: `${kind}(${keys.join(",")})`, kind, of: parts };
}

/** Only leaves and first words are negated: a search looks into the parts of `both` one by one. */
export function not(of: Language): Language {
  switch (of.kind) {
    case "both":
      return either(of.of.map(not));
    case "either":
      return both(of.of.map(not));
    case "not":
      return of.of;
    default:
      return { key: `not(${of.key})`, kind: "not", of };
  }
}

export function firstWord(of: Language): Language {
  return of.key === EVERY.key ? EVERY : { key: `word(${of.key})`, kind: "word", of };
}

/** The texts that a regular expression of the project matches as a whole. Throws a `PatternError`. */
export function whole(expression: string): Language {
  return leafOf("=", expression, false);
}

/** The texts in which a regular expression matches somewhere. Throws a `PatternError`. */
export function containing(expression: string): Language {
  return leafOf("~", `(?s:.*)(?:${expression})`, true);
}

const leaves = new Map<string, Language>();

function leafOf(mark: string, expression: string, contains: boolean): Language {
  const key = JSON.stringify(mark + expression);
  let leaf = leaves.get(key);
  if (!leaf) {
    leaf = {
      key,
      kind: "leaf",
      expression,
      program: compileProgram(parsePattern(expression), Number.POSITIVE_INFINITY),
      contains,
    };
    leaves.set(key, leaf);
  }
  return leaf;
}

/** The texts that a pattern with `*`, `?` and `[..]` matches as a whole. */
export function glob(pattern: string, options: { fold?: boolean } = {}): Language {
  return whole(globExpression(pattern, "(?s:.)", options.fold));
}

const CLASS = /^\[([!^]?)(\]?[^\]]*)\]/;

/** Translates a pattern into a regular expression; `any` is what `*` and `?` stand for. */
export function globExpression(pattern: string, any: string, fold = false): string {
  let expression = "";
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at] ?? "";
    const found = char === "[" ? CLASS.exec(pattern.slice(at)) : undefined;
    if (found && found[2] !== "") {
      expression += `[${found[1] ? "^" : ""}${(found[2] ?? "").replaceAll(/[\\[\]^]/g, "\\$&")}]`;
      at += found[0].length - 1;
    } else if (char === "*") expression += `${any}*`;
    else if (char === "?") expression += any;
    else if (fold && /[a-z]/i.test(char)) expression += `[${char.toLowerCase()}${char.toUpperCase()}]`;
    else expression += literal(char);
  }
  return expression;
}

/** Escapes a text for a regular expression. */
export function literal(text: string): string {
  return text.replaceAll(/[\\^$.|?*+()[\]{}]/g, "\\$&");
}

/** The characters and sets that the leaves of a language tell apart, with blanks for first words. */
export function lettersOf(language: Language, codes: Set<number>, sets: Set<CharSet>): void {
  switch (language.kind) {
    case "leaf":
      for (const [at, op] of language.program.ops.entries())
        if (op === OP.char) codes.add(language.program.first[at] ?? 0);
      for (const set of language.program.sets) sets.add(set);
      return;
    case "not":
      return lettersOf(language.of, codes, sets);
    case "word":
      codes.add(0x20);
      return lettersOf(language.of, codes, sets);
    default:
      for (const one of language.of) lettersOf(one, codes, sets);
  }
}
