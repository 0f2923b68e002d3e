import { isAssignment, programName } from "./launchers.ts";
import { ruleName } from "./rules/rules.ts";
import { isMark, type Word } from "./word.ts";

/**
 * Says for each word behind a builtin how the builtin evaluates it: as the name of a variable, whose index is
 * arithmetic, or as arithmetic, in which an index may hold a command. Some shell does so: bash runs `rm x` for
 * `test -v 'a[$(rm x)]'`, zsh for `exit 'path[$(rm x)]'`, mksh for `[ 'a[$(rm x)]' -eq 0 ]`.
 */
type Evaluated = "name" | "number" | undefined;

type ReadWords = (words: readonly string[]) => (at: number) => Evaluated;

const isOption = (text: string | undefined) => text?.startsWith("-") === true;
const COMPARISON = /^-(?:eq|ne|lt|le|gt|ge)$/;

const condition: ReadWords = (words) => (at) => {
  const before = words[at - 1] ?? "";
  if (COMPARISON.test(before) || COMPARISON.test(words[at + 1] ?? "") || before === "-t") return "number";
  return before === "-v" || before === "-R" ? "name" : undefined;
};

const numbers: ReadWords = (words) => (at) => (isOption(words[at]) ? undefined : "number");

const printed: ReadWords = (words) => {
  const format = words.findIndex((text, index) => !isOption(text) && words[index - 1] !== "-v");
  const kinds = [...(words[format] ?? "").matchAll(/%[-+ #0']*(\*|\d*)\.?(\*|\d*)[hlLqjzt]*([a-zA-Z$])/g)].flatMap(
    ([, width, precision, kind = ""]) => [width, precision, kind].filter((part) => part && !/^\d+$/.test(part)),
  );
  return (at) => {
    if (words[at - 1] === "-v" || /^-v./.test(words[at] ?? "")) return "name";
    const kind = at <= format ? undefined : kinds[(at - format - 1) % kinds.length];
    return kind === undefined || /^[bcsqQT]$/.test(kind) ? undefined : "number";
  };
};

/** `read`, whose options may take a word; after `-t` and `-u` it is a number. */
const read: ReadWords = (words) => (at) => {
  const option = /^-\w*([dipnNtuk])$/.exec(words[at - 1] ?? "")?.[1];
  if (option) return /[dip]/.test(option) ? undefined : "number";
  return isOption(words[at]) ? undefined : "name";
};

/** Variables that a shell keeps as numbers, so that it evaluates what is assigned to them. */
const NUMBERS =
  /^(?:SECONDS|S?RANDOM|LINENO|OPTIND|HIST\w+|SAVEHIST|LINES|COLUMNS|MAILCHECK|PERIOD|TMOUT|KEYTIMEOUT|LISTMAX|LOGCHECK|REPORT\w+|DIRSTACKSIZE|FUNCNEST|SHLVL|TTYIDLE|E?[UG]ID|PPID|ERRNO)\+?=/;

const declared: ReadWords = (words) => {
  const counts = words.some((word) => /^-\w*[iEFn]/.test(word));
  return (at) => {
    const text = words[at] ?? "";
    if (/^[-+]\w*$/.test(text)) return undefined;
    if (!/^\w+\+?=/.test(text)) return "name";
    return counts || NUMBERS.test(text) ? "number" : undefined;
  };
};

/** The builtins that evaluate words. */
const EVALUATING = new Map<string, ReadWords>([
  ...["test", "[", "[["].map((name) => [name, condition] as const),
  ...["let", "exit", "return", "shift", "break", "continue", "ulimit"].map((name) => [name, numbers] as const),
  ...["printf", "print"].map((name) => [name, printed] as const),
  ...["declare", "typeset", "local", "export", "readonly"].map((name) => [name, declared] as const),
  ...["integer", "float", "nameref"].map((name) => [name, numbers] as const),
  ["read", read],
  ["unset", (words) => (at) => (isOption(words[at]) ? undefined : "name")],
  ["getopts", () => (at) => (at === 1 ? "name" : undefined)],
  ["wait", (words) => (at) => (words[at - 1] === "-p" ? "name" : undefined)],
]);

/** Code in words that a builtin may evaluate, and in values that the line assigns: `x='a[$(...)]'`. */
export function codeInEvaluated(words: readonly Word[], names: readonly (string | undefined)[]): string[] {
  const evaluates = names.some((name) => name !== undefined && EVALUATING.has(name));
  return words
    .filter((word) => word.quoted && (evaluates || isAssignment(word)) && /\$\(|`/.test(word.text))
    .map(({ text }) => text);
}

/** A name, perhaps with an index that holds no code; a number, perhaps assigned. */
const PLAIN = { name: /^\w+(?:\[(?:\d+|[@*])\])?$/, number: /^(?:\w+\+?=)?[-+]?\d*(?:\.\d+)?$/ };

/**
 * True if a command runs or writes more than its name says, by what one of its words holds: a builtin evaluates an
 * expansion or an index, git writes its output to a file. A rule that allows the name does not cover this.
 */
export function exceedsItsName(words: readonly Word[], programs: readonly number[]): boolean {
  const named = programs.flatMap((at) => {
    const name = programName(words[at]) ?? "";
    return EVALUATING.has(name) || ruleName(name) === "git" ? [{ at, name }] : [];
  });
  if (named.length > MAX_NAMED) return true;
  return named.some(({ at, name }) => {
    const rest = words.slice(at + 1);
    const read = EVALUATING.get(name);
    if (!read) return rest.some(({ text }) => /^--ou(?!rs$|tput-indicator-)/.test(text));
    const evaluatedAt = read(rest.map(({ text }) => text));
    return rest.some((word, index) => {
      if (holdsIndexedCode(word)) return true;
      const evaluated = evaluatedAt(index);
      return evaluated !== undefined && (word.dynamic || !PLAIN[evaluated].test(word.text));
    });
  });
}

/** Words of one command that are examined as a builtin or git. */
const MAX_NAMED = 16;

/** True for a word whose `$` and backquotes are literal until a builtin evaluates an index. */
function holdsIndexedCode({ units }: Word): boolean {
  return units.includes("[") && units.some((unit) => !isMark(unit) && /^[$`]$/.test(unit));
}
