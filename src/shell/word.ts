/**
 * A piece of a word after quotes are removed: one character, or one of the marks below. Marks are longer than any
 * character, so the two cannot be confused.
 */
export type Unit = string;

/** An expansion that stays within its word: a quoted variable. */
export const ANY_TEXT: Unit = "any text";
/** A file name pattern: any text without a slash. */
export const ANY_NAME: Unit = "any name";
/** An expansion that can be any number of words, including none. */
export const ANY_WORDS: Unit = "any words";
/** Further words, or none: the names that a file name pattern adds, or the arguments that `xargs` appends. */
export const MORE_WORDS: Unit = "more words";

/** The boundary between two words of one expansion; words in commands do not contain it. */
export const SPLIT: Unit = "split";

/** One word of a command line. */
export interface Word {
  readonly units: readonly Unit[];
  /** Its characters, with a dollar sign for each expansion. */
  readonly text: string;
  /** True if the shell replaces a part of it at run time. */
  readonly dynamic: boolean;
  /** True if part of it was quoted or escaped, so that it is not a keyword. */
  readonly quoted: boolean;
  /** The commands of its substitutions. */
  readonly inner?: CommandRange | undefined;
  /** As the line has it, with quotes; only if the parser keeps patterns. */
  readonly source?: string | undefined;
}

/** A redirection to or from a file. */
export interface Redirect {
  /** The operator without the descriptor's number: `>`, `>>`, `<`. */
  operator: string;
  target: Word;
  /** True if it can create or change a file. */
  writes: boolean;
  /** True inside of `[[ ]]`, where it compares. */
  compares?: true;
  /** The text of a here-document, before anything in it expands. */
  document?: string;
}

/** One simple command of a command line: assignments first, then the program and its arguments. */
export interface SimpleCommand {
  words: Word[];
  redirects: Redirect[];
  /** The commands whose output is piped into it. */
  fed?: CommandRange;
  /** True if it is in double brackets and may be arithmetic: `((a > b))`. */
  arithmetic?: boolean;
  /** Where in the line it runs; set if the parser keeps patterns. */
  place?: CommandPlace;
  /** The commands of the group or loop that its redirections belong to; it has no words then. */
  closes?: CommandRange;
}

/** Where a simple command runs, as far as it matters for the directory in force. */
export interface CommandPlace {
  /** The shell that runs it. */
  shell: Subshell;
  /** The operator before it; undefined at the start of a text, a group or a substitution. */
  after: string | undefined;
  /** The operator behind it. */
  before?: string;
  /** The number of open compound commands around it. */
  nesting: number;
}

/** A shell of its own: a group in parentheses or a substitution. */
export interface Subshell {
  parent?: Subshell;
}

/** A range of the commands of a line: from the first index up to, not including, the second. */
export interface CommandRange {
  of: readonly SimpleCommand[];
  from: number;
  to: number;
}

/** Makes a word. */
export function makeWord(units: readonly Unit[], quoted: boolean, inner?: CommandRange, source?: string): Word {
  const dynamic = units.some(isMark);
  return {
    inner,
    source,
    units,
    text: dynamic ? units.map((unit) => (isMark(unit) ? "$" : unit)).join("") : units.join(""),
    dynamic,
    quoted,
  };
}

/** True if the unit is a mark rather than a character. */
export function isMark(unit: Unit): boolean {
  return unit === ANY_TEXT || unit === ANY_NAME || unit === ANY_WORDS || unit === MORE_WORDS;
}

/** Splits the units of a word at {@link SPLIT}; empty parts are not words. */
export function splitFields(word: Word): readonly Word[] {
  if (!word.units.includes(SPLIT)) return [word];
  const fields: Unit[][] = [[]];
  for (const unit of word.units) {
    if (unit === SPLIT) fields.push([]);
    else fields.at(-1)?.push(unit);
  }
  return fields.filter((units) => units.length > 0).map((units) => makeWord(units, true, word.inner, word.source));
}
