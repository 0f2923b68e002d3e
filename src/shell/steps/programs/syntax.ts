/**
 * How a program reads its words. Options are listed with a blank between them, all names of one joined by `/`: `-f/--force`.
 * A name that ends with `=` takes a value, also from the next word; with `?` only one that is attached to it; with `;` all
 * words up to `;` or `+`.
 */
export interface Syntax {
  /** Options that count anywhere. */
  options?: string;
  /** Options that count only before the verb. */
  before?: string;
  /** Further options behind a verb. */
  verbs?: Readonly<Record<string, string>>;
  /** The most words that a verb has; 0 for a program without verbs. */
  levels?: number;
  /** The verbs with a further level. `stash=drop|pop` takes only these words for it. Without this list all have one. */
  groups?: string;
  /** The only words that a verb may begin with, where an operand may stand in its place. */
  first?: string;
  /** Fits a verb that is complete, whatever the levels. */
  ends?: RegExp;
  /** Options behind whose value nothing is an option of the program. */
  last?: string;
  /** Verbs whose first operand begins what is passed on, so that no option of the program follows; a star for every call. */
  passes?: string;
  /** `long`: long options begin with one hyphen, so that letters are never split. `whole`: long names cannot be shortened. */
  style?: "long" | "whole";
  /** True if the first word is a group of options without a hyphen: `tar xf`. */
  bundled?: true;
}

/** Programs with their syntax; several names that share one are joined by a blank. */
export type SyntaxTable = Readonly<Record<string, Syntax>>;
