/**
 * A piece of a word after quoting is removed: one character, or one of the marks below. Marks are longer than any
 * character, so that the two cannot be confused.
 */
export type Unit = string;

/** An expansion that stays in its word: a quoted variable, a file name pattern. */
export const ANY_TEXT: Unit = "any text";
/** An expansion that can be any number of words, also none. */
export const ANY_WORDS: Unit = "any words";
/** More words, or none: what a pattern of file names adds, or the arguments that `xargs` appends. */
export const MORE_WORDS: Unit = "more words";

/** One word of a command line. */
export interface Word {
  readonly units: readonly Unit[];
  /** Its characters, with a dollar sign for an expansion. */
  readonly text: string;
  /** The shell replaces a part of it when it runs. */
  readonly dynamic: boolean;
  /** Some of it was quoted or escaped, so it is no keyword. */
  readonly quoted: boolean;
}

/** Makes a word. */
export function makeWord(units: readonly Unit[], quoted: boolean): Word {
  const dynamic = units.some(isMark);
  return { units, text: dynamic ? units.map((unit) => (isMark(unit) ? "$" : unit)).join("") : units.join(""), dynamic, quoted };
}

/** True if the unit is a mark, not a character. */
export function isMark(unit: Unit): boolean {
  return unit === ANY_TEXT || unit === ANY_WORDS || unit === MORE_WORDS;
}
