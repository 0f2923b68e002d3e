import { HOLE, type StepWord } from "./invocation.ts";
import type { Option, ParsedWords } from "./program-facts.ts";
import {
  type KnownOption,
  type KnownOptions,
  knownOption,
  longNames,
  namesInAnyProgram,
  optionsOf,
  syntaxOf,
} from "./programs/find-syntax.ts";
import { programNamed } from "./programs/program-name.ts";
import type { Syntax } from "./programs/syntax.ts";

/** A command split as its program does it, and its operands and values of options in the order of the line. */
export interface SplitWords extends ParsedWords {
  args: readonly StepWord[];
  /** True if an unquoted expansion may be the verb, together with options and operands. */
  loose: boolean;
}

/** Git's aliases may name each other. */
const MAX_ALIASES = 4;

const UNKNOWN_SYNTAX: Syntax = { style: "whole" };

/** Splits the words behind a program into verb, options and operands. */
export function parseWords(program: string, words: readonly StepWord[]): SplitWords {
  const { name, verb } = programNamed(program);
  const syntax = syntaxOf(name) ?? UNKNOWN_SYNTAX;
  let all = verb.length > 0 ? [...verb.map(plainWord), ...words] : words;
  for (let round = 0; ; round++) {
    const split = splitWords(syntax, all);
    const resolved = name === "git" && round < MAX_ALIASES ? withoutAlias(all, split) : undefined;
    if (!resolved) return split;
    all = resolved;
  }
}

/**
 * The names that a flag of a rule has in `flags` of these programs; the first is the one that is shown. Of a program that an
 * expansion decides: those of any program.
 */
export function normalFlag(programs: readonly string[], flag: string): string[] {
  const names = programs.flatMap((program) => {
    if (program.includes(HOLE)) return namesInAnyProgram(flag);
    const syntax = syntaxOf(programNamed(program).name);
    return syntax ? longNames(syntax, flag) : [];
  });
  return [...new Set([...names, flag])];
}

/** A word without expansions. */
export function plainWord(text: string): StepWord {
  return { text, source: text, count: "one", glob: false };
}

interface Draft {
  syntax: Syntax;
  verb: string[];
  /** The options that count here. */
  known: KnownOptions;
  options: Option[];
  operands: StepWord[];
  args: StepWord[];
  open: boolean;
  loose: boolean;
  /** True while a further word may belong to the verb. */
  inVerb: boolean;
}

function splitWords(syntax: Syntax, words: readonly StepWord[]): SplitWords {
  const draft: Draft = {
    syntax,
    verb: [],
    known: optionsOf(syntax, undefined),
    options: [],
    operands: [],
    args: [],
    open: false,
    loose: false,
    inVerb: (syntax.levels ?? 0) > 0,
  };
  if (!draft.inVerb) draft.known = optionsOf(syntax, "");
  let readsOptions = true;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as StepWord;
    if (word.count === "any" && readsOptions) draft.open = true;
    if (at === 0 && syntax.bundled && /^[A-Za-z]+$/.test(word.text)) at = takeBundle(draft, words);
    else if (readsOptions && word.text === "--") readsOptions = false;
    else if (readsOptions && isOption(word)) {
      at = takeOption(draft, words, at);
      if (syntax.last?.split(" ").includes(draft.options.at(-1)?.name ?? "")) readsOptions = draft.inVerb = false;
    } else if (draft.inVerb && readsOptions) takeVerb(draft, word);
    else {
      takeOperand(draft, word);
      if (passesOn(draft)) readsOptions = false;
    }
  }
  const { options, operands, args, open, loose, verb } = draft;
  return { verb: verb.length > 0 ? verb.join(" ") : undefined, options, operands, args, open, loose };
}

function isOption({ text, count }: StepWord): boolean {
  return text.length > 1 && text.startsWith("-") && count !== "operands";
}

function takeOperand(draft: Draft, word: StepWord): void {
  draft.operands.push(word);
  draft.args.push(word);
}

/** True if no option of the program follows its first operand. */
function passesOn({ syntax: { passes }, verb }: Draft): boolean {
  return passes !== undefined && (passes === "*" || passes.split("|").includes(verb.join(" ")));
}

/** Reads a word as the next level of the verb, or as the first operand. */
function takeVerb(draft: Draft, word: StepWord): void {
  const { syntax, verb } = draft;
  if (word.text.includes(HOLE)) {
    draft.inVerb = false;
    if (verb.length > 0 && !mayContinue(syntax, verb)) return takeOperand(draft, word);
    draft.loose ||= word.count === "any";
    verb.push(word.text);
    draft.known = optionsOf(syntax, "");
    return;
  }
  const fits =
    verb.length > 0
      ? mayContinue(syntax, verb) && continues(syntax, verb, word.text)
      : syntax.first === undefined || syntax.first.split(" ").includes(word.text);
  if (!fits) {
    draft.inVerb = false;
    return takeOperand(draft, word);
  }
  verb.push(word.text);
  draft.known = optionsOf(syntax, verb.join(" "));
  draft.inVerb = mayContinue(syntax, verb);
}

/** True if the verb may have a further level. */
function mayContinue({ levels = 0, groups, ends }: Syntax, verb: readonly string[]): boolean {
  if (verb.length >= levels || ends?.test(verb.join(" "))) return false;
  return groups === undefined || groupOf(groups, verb) !== undefined;
}

/** True if the word can be the next level. */
function continues({ groups, ends }: Syntax, verb: readonly string[], word: string): boolean {
  if (groups === undefined) return !ends || /^[a-z][\w:-]*$/.test(word);
  const words = groupOf(groups, verb);
  return words === "" || words?.split("|").includes(word) === true;
}

/** The words that may follow a verb: empty for any word, undefined for none. */
function groupOf(groups: string, verb: readonly string[]): string | undefined {
  const path = verb.join("~");
  for (const group of groups.split(" ")) {
    if (group === path) return "";
    if (group.startsWith(`${path}=`)) return group.slice(path.length + 1);
  }
  return undefined;
}

/** Reads the option at an index. Returns the index of the last word that belongs to it. */
function takeOption(draft: Draft, words: readonly StepWord[], at: number): number {
  const word = words[at] as StepWord;
  const { text } = word;
  if (!text.startsWith("--") && draft.syntax.style !== "long") return takeCluster(draft, words, at);
  const equals = text.indexOf("=");
  const spelled = equals > 0 ? text.slice(0, equals) : text;
  const known = complete(draft, spelled);
  if (spelled.includes(HOLE)) draft.open = true;
  if (equals > 0) return addOption(draft, known.name, cutWord(word, equals + 1), at);
  return takeValue(draft, known, words, at);
}

/** The option that a name stands for, completed if it is the beginning of one long name only. */
function complete({ known, syntax }: Draft, spelled: string): KnownOption {
  const exact = knownOption(syntax, known, spelled);
  if (exact) return exact;
  if (!spelled.startsWith("--") || syntax.style !== undefined || spelled.length < 4)
    return { name: spelled, takes: "none" };
  const fits = new Map<string, KnownOption>();
  for (const [name, option] of known) {
    if (name.startsWith(spelled)) fits.set(option.name, option);
    else if (spelled.startsWith("--no-") && `--no-${name.slice(2)}`.startsWith(spelled) && name.startsWith("--"))
      fits.set(`--no-${name.slice(2)}`, { name: `--no-${name.slice(2)}`, takes: "none" });
  }
  const [only] = fits.values();
  return fits.size === 1 && only ? only : { name: spelled, takes: "none" };
}

/** Reads the value of an option whose last word is at an index. */
function takeValue(draft: Draft, { name, takes }: KnownOption, words: readonly StepWord[], at: number): number {
  if (takes === "next" && at + 1 < words.length) {
    const value = words[at + 1] as StepWord;
    if (value.count === "any") draft.open = true;
    return addOption(draft, name, value, at + 1);
  }
  draft.options.push({ name });
  if (takes !== "until") return at;
  let end = at + 1;
  while (end < words.length && !/^(?:;|\+)$/.test((words[end] as StepWord).text)) end++;
  return end;
}

function addOption(draft: Draft, name: string, value: StepWord, at: number): number {
  draft.options.push({ name, value });
  draft.args.push(value);
  return at;
}

/** Reads short options that share a word. */
function takeCluster(draft: Draft, words: readonly StepWord[], at: number): number {
  const word = words[at] as StepWord;
  const { text } = word;
  if (draft.known.has(text)) return takeValue(draft, draft.known.get(text) as KnownOption, words, at);
  for (let index = 1; index < text.length; index++) {
    const letter = text.charAt(index);
    if (letter === HOLE) draft.open = true;
    const option = draft.known.get(`-${letter}`);
    const rest = index + 1 < text.length;
    // What is no letter begins a value, unless the table says otherwise.
    if (!option && !/[A-Za-z\d]/.test(letter)) {
      if (letter !== HOLE) lastValue(draft, cutWord(word, letter === "=" ? index + 1 : index));
      return at;
    }
    const known: KnownOption = option ?? { name: `-${letter}`, takes: "none" };
    if (known.takes === "none") draft.options.push({ name: known.name });
    else if (rest) return addOption(draft, known.name, cutWord(word, index + (text[index + 1] === "=" ? 2 : 1)), at);
    else return takeValue(draft, known, words, at);
  }
  return at;
}

/** Adds a value to the last option. */
function lastValue(draft: Draft, value: StepWord): void {
  const last = draft.options.pop();
  if (last) draft.options.push({ ...last, value });
  draft.args.push(value);
}

/** Reads the options of the first word, which has no hyphen; their values follow in their order. */
function takeBundle(draft: Draft, words: readonly StepWord[]): number {
  let at = 0;
  for (const letter of words[0]?.text ?? "") {
    const known = draft.known.get(`-${letter}`) ?? { name: `-${letter}`, takes: "none" };
    at = takeValue(draft, known, words, at);
  }
  return at;
}

/** The rest of a word from an index of its text. */
function cutWord(word: StepWord, from: number): StepWord {
  return { ...word, text: word.text.slice(from), count: word.count === "operands" ? "operands" : "one" };
}

/** The words with an alias of git replaced that the options before it define. */
function withoutAlias(words: readonly StepWord[], { verb, options }: SplitWords): StepWord[] | undefined {
  const [first] = verb?.split(" ") ?? [];
  if (first === undefined) return undefined;
  const key = `alias.${first}=`;
  const value = options.findLast((option) => option.name === "-c" && option.value?.text.startsWith(key))?.value;
  const meaning = value?.text.slice(key.length).trim();
  if (!meaning || meaning.startsWith("!")) return undefined;
  const at = words.findIndex((word, index) => word.text === first && words[index - 1]?.text !== "-C");
  if (at < 0) return undefined;
  return [...words.slice(0, at), ...meaning.split(/\s+/).map(plainWord), ...words.slice(at + 1)];
}
