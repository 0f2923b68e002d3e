import { programName } from "../launchers.ts";
import { expandAlternatives } from "../paths/path-text.ts";
import { outputOf } from "../variables.ts";
import { ANY_WORDS, type CommandRange, isMark, MORE_WORDS, type Unit, type Word } from "../word.ts";
import type { Found } from "./found.ts";
import { HOLE, type StepWord } from "./invocation.ts";

/** Programs whose output is one word that is no option: a name, a path, a number. */
const ONE_WORD = new Set(
  "date nproc whoami hostname id uname basename dirname realpath readlink mktemp seq pwd".split(" "),
);
const ONE_WORD_OF: Readonly<Record<string, RegExp>> = {
  git: /^(?:branch --show-current|rev-parse\b|symbolic-ref\b|merge-base\b|describe\b|config --get\b)/,
  go: /^env\b/,
  npm: /^prefix\b/,
};

/** Returns a word of a parsed command as a step holds it. `temporary`: where `mktemp` makes files. */
export function stepWord(word: Word, temporary: string): StepWord {
  const { units, inner, source = word.text } = word;
  const text = textOf(units, inner, temporary);
  const count = isAnyWords(word) ? "any" : "one";
  return { text, source, count, glob: count === "one" && isPattern(text) && !isQuoted(source) };
}

/** Returns the words that braces, or the values of a loop's variable, make of one word: `{a,b}` gives two. */
export function stepWords(word: Word, temporary: string): StepWord[] {
  const step = stepWord(word, temporary);
  if (!step.text.includes("{") || isQuoted(step.source)) return [step];
  // A range counts as a pattern.
  return expandAlternatives(step.text).map((text) => ({ ...step, text, glob: step.glob || text.includes("*") }));
}

/** A word that the line does not spell: an operand that `xargs` appends, an alternative. */
export function madeWord(text: string, count: StepWord["count"] = "one", found?: Found): StepWord {
  return { text, source: text.replaceAll(HOLE, "..."), count, glob: false, ...(found ? { found } : {}) };
}

function textOf(units: readonly Unit[], inner: CommandRange | undefined, temporary: string): string {
  const shown = inner && valueOf(inner, temporary);
  const marks = units.filter(isMark).length;
  return units
    .map((unit) => (unit === MORE_WORDS ? "" : isMark(unit) ? (marks === 1 ? (shown ?? HOLE) : HOLE) : unit))
    .join("");
}

/** What a substitution gives, as far as its program tells: the directory in force, a temporary file. */
function valueOf(inner: CommandRange, temporary: string): string | undefined {
  const [command, ...others] = inner.of.slice(inner.from, inner.to);
  if (!command || others.length > 0) return undefined;
  const name = programName(command.words[0]);
  const operands = command.words.slice(1);
  if (name === "pwd" && operands.every(({ text }) => text.startsWith("-"))) return ".";
  const isPlain = operands.every(({ text }) => !text.includes("/") && !/^-\w*p|^--tmpdir/.test(text));
  return name === "mktemp" && isPlain ? `${temporary}/${HOLE}` : undefined;
}

/** True for an unquoted expansion that is a whole word, and for `"$@"`. */
function isAnyWords({ units, source = "", inner }: Word): boolean {
  if (!units.includes(ANY_WORDS) || !units.every(isMark)) return false;
  if (inner && isOneWord(inner)) return false;
  const quoted = /^"(.*)"$/s.exec(source)?.[1];
  return quoted === undefined || /^\$(?:@|\{@|\{\w+\[@\])/.test(quoted);
}

/** True if every command of a substitution prints one word that is no option. */
function isOneWord(inner: CommandRange): boolean {
  if (outputOf(inner) !== undefined) return false;
  const commands = inner.of.slice(inner.from, inner.to);
  return (
    commands.length > 0 &&
    commands.every(({ words }) => {
      const name = programName(words[0]) ?? "";
      const rest = words.slice(1).map(({ text }) => text);
      return ONE_WORD.has(name) || (Object.hasOwn(ONE_WORD_OF, name) && ONE_WORD_OF[name]?.test(rest.join(" ")));
    })
  );
}

/** True for a pattern of file names. A bracket that nothing closes is itself: `[ -f a ]`. */
export function isPattern(text: string): boolean {
  const open = text.indexOf("[");
  return /[*?]/.test(text) || (open >= 0 && text.lastIndexOf("]") > open + 1);
}

/** True if the whole word is in quotes in which nothing expands. */
function isQuoted(source: string): boolean {
  return /^(?:'[^']*'|"[^"$`]*")$/.test(source);
}
