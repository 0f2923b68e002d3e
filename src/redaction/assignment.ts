import { AHEAD, type Place, placesOf } from "./assignment/contexts.ts";
import { casesOf, type Name, readName, spellingsOf, strengthOf, suffices } from "./assignment/names.ts";
import { endsValue, isSecretValue, mayBeginValue, mayHoldValue } from "./assignment/values.ts";
import { isExampleBody } from "./placeholders.ts";
import type { AssignedRule } from "./rule.ts";
import type { Scan } from "./scan.ts";
import { matchAfter, type Part, parseSecretPattern } from "./secret-pattern.ts";

/** The rules of one word. `cases` and `value` are compiled when the word is first found in a text. */
export interface CompiledWord {
  /** The texts to search for, in lower case. */
  spellings: readonly string[];
  word: string;
  cases?: RegExp;
  rules: readonly { rule: AssignedRule; value?: readonly Part[] }[];
}

/** Groups rules by their word, so that the assignment after a word is read once for all of them. */
export function compileWords(rules: readonly AssignedRule[]): CompiledWord[] {
  const words = Map.groupBy(rules, (rule) => rule.word);
  return [...words].map(([word, own]) => ({
    word,
    spellings: spellingsOf(word),
    rules: own.map((rule) => ({ rule })),
  }));
}

/** Finds the values assigned to the name that contains a vendor's word from `start` up to `end`. */
export function findAssigned(scan: Scan, word: CompiledWord, start: number, end: number): void {
  word.cases ??= casesOf(word.word);
  if (!word.cases.test(scan.text.slice(start, end))) return;
  const name = readName(scan.text, start, end);
  if (!name || !(isSure(word) || mayHaveValue(scan.text, name))) return;
  const found = new Set<number>();
  for (const place of placesOf(scan.text, name)) {
    if (found.has(place.start) || !mayBeginValue(scan.text, place.start)) continue;
    if (findValue(scan, word, name, place)) found.add(place.start);
  }
}

/** True if a word has a kind whose value may consist of any characters. */
function isSure({ rules }: CompiledWord): boolean {
  return rules.some(({ rule }) => rule.sure);
}

/** True if a value may be close enough to a name. This costs much less than trying every way to assign it. */
function mayHaveValue(text: string, { start, end }: Name): boolean {
  return mayHoldValue(text, end, end + AHEAD) || mayHoldValue(text, start - AHEAD, start);
}

/** Adds the secrets that begin at a place. Returns true if there is one. */
function findValue(scan: Scan, word: CompiledWord, name: Name, { start, isOpened, nameEnd, needs }: Place): boolean {
  const { text } = scan;
  let isFound = false;
  for (const compiled of word.rules) {
    const { rule } = compiled;
    compiled.value ??= parseSecretPattern(rule.value);
    const from = valueStart(scan, compiled.value, start);
    const reach = matchAfter(scan, compiled.value, from);
    if (reach === undefined || !endsValue(text, reach.at, isOpened)) continue;
    const strength = strengthOf(
      text.slice(name.start, name.wordEnd),
      text.slice(name.wordEnd, nameEnd),
      rule.id.endsWith("-id"),
    );
    if (!suffices(strength, rule.sure ? "none" : (needs ?? (rule.weak ? "credential" : "none")))) continue;
    if (!rule.sure && !isSecretValue(text, from, reach.at, strength)) continue;
    if (isExampleBody(text, from, reach.at)) continue;
    scan.add(rule.id, from, reach.at);
    isFound = true;
  }
  return isFound;
}

/** Returns the start of the value: after all of `==`, unless a value of this pattern can begin with the second sign. */
function valueStart(scan: Scan, pattern: readonly Part[], start: number): number {
  const isDoubled = scan.text.startsWith("==", start - 2);
  return isDoubled && matchAfter(scan, pattern, start) === undefined ? start - 1 : start;
}
