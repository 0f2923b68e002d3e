import { placesOf, type Place } from "./assignment/contexts.ts";
import { casesOf, readName, spellingsOf, strengthOf, suffices } from "./assignment/names.ts";
import { endsValue, isSecretValue } from "./assignment/values.ts";
import type { AssignedRule } from "./rule.ts";
import type { Scan } from "./scan.ts";
import { matchAfter, parseShape, type Part } from "./shape.ts";

/** The rules of one word; what they need is worked out when the word is first met. */
export interface CompiledWord {
  /** The texts to search for, in lower case. */
  spellings: readonly string[];
  word: string;
  cases?: RegExp;
  rules: readonly { rule: AssignedRule; value?: readonly Part[] }[];
}

/** Groups rules by their word, so that the assignment behind a word is read once. */
export function compileWords(rules: readonly AssignedRule[]): CompiledWord[] {
  const words = Map.groupBy(rules, (rule) => rule.word);
  return [...words].map(([word, own]) => ({ word, spellings: spellingsOf(word), rules: own.map((rule) => ({ rule })) }));
}

/** Finds the values assigned to the name in which a word stands from `start` up to `end`. */
export function findAssigned(scan: Scan, word: CompiledWord, start: number, end: number): void {
  word.cases ??= casesOf(word.word);
  if (!word.cases.test(scan.text.slice(start, end))) return;
  const name = readName(scan.text, start, end);
  if (!name) return;
  if (!name) return;
  for (const place of placesOf(scan.text, name)) findValue(scan, word, place);
}

function findValue(scan: Scan, word: CompiledWord, { start, isOpened, name, needs }: Place): void {
  for (const compiled of word.rules) {
    const { rule } = compiled;
    const strength = strengthOf(name, rule.id.endsWith("-id"));
    if (!suffices(strength, rule.sure ? "none" : (needs ?? (rule.weak ? "credential" : "none")))) continue;
    compiled.value ??= parseShape(rule.value);
    const from = valueStart(scan, compiled.value, start);
    const reach = matchAfter(scan, compiled.value, from);
    if (reach === undefined || !endsValue(scan.text, reach.at, isOpened)) continue;
    if (rule.sure || isSecretValue(scan.text, from, reach.at, strength)) scan.add(rule.id, from, reach.at);
  }
}

/** Where the value begins: after all of `==`, unless a value of this shape can begin with the second of them. */
function valueStart(scan: Scan, shape: readonly Part[], start: number): number {
  const isDoubled = scan.text.startsWith("==", start - 2);
  return isDoubled && matchAfter(scan, shape, start) === undefined ? start - 1 : start;
}
