import { parseCommandLine } from "./scan.ts";

/** A command line that is one simple command and nothing else. */
export interface PlainCommand {
  words: readonly PlainWord[];
  /** Names of the variables that are expanded. */
  variables: ReadonlySet<string>;
}

/** One word of a simple command. */
export interface PlainWord {
  /** Without quotes and escapes; an expansion is a dollar sign in it. */
  text: string;
  /** The shell may put something else in its place: a variable, file names, alternatives. */
  expands: boolean;
}

/**
 * Reads a command line that is one simple command; undefined for any other, and for one whose expansions could run
 * another. Characters that separate, substitute or redirect rule the line out, quoted or not: a program may hand them to
 * a shell.
 */
export function readPlainCommand(text: string): PlainCommand | undefined {
  if (/[;&|<>`\n\r]|\$\(/.test(text)) return undefined;
  const { commands, variables, exact, compound } = parseCommandLine(text);
  if (!exact || compound || commands.length > 1) return undefined;
  const words = commands[0]?.words ?? [];
  return { words: words.map(({ text, dynamic }) => ({ text, expands: dynamic })), variables };
}
