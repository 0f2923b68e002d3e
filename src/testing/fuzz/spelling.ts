import type { Dice } from "./dice.ts";

/**
 * Where a spelling does the same as the original. `posix`: in every POSIX shell; `bash`: in bash; `file`: for every
 * program that opens the path; `url`: for every client that parses URLs as browsers do; `gnu`: with the programs of GNU and with Git;
 * `machine`: only on some machines, such as where a program has that path or names ignore case; `looks`: nowhere, it
 * only looks the same to a reader or after a normalization.
 */
export type Keeps = "posix" | "bash" | "file" | "url" | "gnu" | "machine" | "looks";

/** One way to write a text differently. */
export interface Spelling {
  /** A short name for reports and for `--fuzz-skip`. */
  name: string;
  keeps: Keeps;
  /** Returns the text in another spelling; undefined if it has no place for it. */
  respell: (text: string, dice: Dice) => string | undefined;
}

/** The kind of a text for the tool that reads it; only the spellings of its kind apply. */
export type TextKind = "shell" | "path" | "url";

export function splice(text: string, from: number, to: number, replacement: string): string {
  return text.slice(0, from) + replacement + text.slice(to);
}
