import { CLASSES, holds, type CharacterClass } from "./classes.ts";
import type { AssignedRule } from "./rule.ts";
import { isMarkAt, type Scan } from "./scan.ts";
import { matchAfter, parseShape, type Part } from "./shape.ts";

/** The rules of one word; their shapes are read when a value is first met. */
export interface CompiledWord {
  word: string;
  rules: readonly { rule: AssignedRule; value?: readonly Part[] }[];
}

/** Groups rules by their word, so that the assignment behind a word is read once. */
export function compileWords(rules: readonly AssignedRule[]): CompiledWord[] {
  const words = Map.groupBy(rules, (rule) => rule.word);
  return [...words].map(([word, own]) => ({ word, rules: own.map((rule) => ({ rule })) }));
}

const LONGEST_NAME = 40;
const SPACE = " \t\r\n";
const flags = (characters: string): CharacterClass => {
  const table = new Uint8Array(CLASSES.alnum.length);
  for (const character of characters) table[character.charCodeAt(0)] = 1;
  return table;
};
const NAME = CLASSES.alnum.map((flag, code) => flag | (flags("_-. \t")[code] ?? 0));
const CLOSERS = flags(`"'\`]) \t\\`);
const OPERATORS = flags("=:>|?");
const OPENERS = flags(`${SPACE}"'\`\\=`);
const SEPARATORS = flags(`${SPACE}"'\`\\,-`);
const VALUE = flags("_+/=-").map((flag, code) => flag | (CLASSES.alnum[code] ?? 0));

/** Finds the value assigned to the name in which a word stands up to `at`. */
export function findAssigned(scan: Scan, word: CompiledWord, at: number): void {
  const { text } = scan;
  const nameEnd = skip(text, NAME, at, LONGEST_NAME);
  const start = valueStart(text, nameEnd);
  if (start === undefined) return;
  for (const compiled of word.rules) {
    const { rule } = compiled;
    compiled.value ??= parseShape(rule.value);
    const reach = matchAfter(scan, compiled.value, start);
    if (reach === undefined || !endsValue(text, reach.at)) continue;
    const name = text.slice(at, nameEnd).toLowerCase();
    if (isDigestName(name) || (rule.weak && !isCredentialName(name))) continue;
    scan.add(rule.id, start, reach.at);
  }
}

/** Where the value begins that belongs to the name ending at `at`; undefined when nothing is assigned there. */
export function valueStart(text: string, at: number): number | undefined {
  const closed = skip(text, CLOSERS, at, 8);
  const operator = skip(text, OPERATORS, closed, 4);
  if (operator > closed) return skip(text, OPENERS, operator, 8);
  return pairedValueStart(text, closed);
}

/** The same for a list of pairs, `- name: X` and `value: y` on the next line or in the same object. */
function pairedValueStart(text: string, at: number): number | undefined {
  const label = skip(text, SEPARATORS, at, 40);
  if (label === at || text.slice(label, label + 5).toLowerCase() !== "value") return undefined;
  const closed = skip(text, CLOSERS, label + 5, 8);
  const operator = skip(text, OPERATORS, closed, 4);
  return operator > closed ? skip(text, OPENERS, operator, 8) : undefined;
}

function skip(text: string, table: CharacterClass, start: number, most: number): number {
  let at = start;
  while (at - start < most && holds(table, text.charCodeAt(at))) at++;
  return at;
}

function endsValue(text: string, end: number): boolean {
  const next = text.charCodeAt(end);
  if (holds(VALUE, next) || isMarkAt(text, end)) return false;
  return next !== 0x2e || !(holds(CLASSES.alnum, text.charCodeAt(end + 1)) || isMarkAt(text, end + 1));
}

const CREDENTIAL_WORDS = ["key", "token", "secret", "pass", "pwd", "auth", "cred", "client", "api", "access"];
const DIGEST_WORDS = [
  "commit", "hash", "digest", "checksum", "integrity", "revision", "etag", "md5", "sha1", "sha2", "sha5",
];

/** True when the rest of a name says that its value is a credential. */
function isCredentialName(name: string): boolean {
  return name.trimEnd().endsWith("id") || CREDENTIAL_WORDS.some((word) => name.includes(word));
}

/** True when the rest of a name says that its value only looks like a credential. */
function isDigestName(name: string): boolean {
  return name.trimEnd().endsWith("sha") || DIGEST_WORDS.some((word) => name.includes(word));
}
