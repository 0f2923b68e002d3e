import { parseCommandLine } from "./scan-commands.ts";

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
  /** True if the shell may replace it: a variable, file names, alternatives. */
  expands: boolean;
}

/**
 * Reads a command line that is one simple command. Undefined for any other line, and for one whose expansions could run
 * another command. A character that separates, substitutes or redirects rules the line out even in quotes, because a
 * program may pass it to a shell.
 */
export function readPlainCommand(text: string): PlainCommand | undefined {
  if (/[;&|<>`\n\r]|\$\(/.test(text)) return undefined;
  const { commands, variables, exact, compound } = parseCommandLine(text);
  if (!exact || compound || commands.length > 1) return undefined;
  const words = commands[0]?.words ?? [];
  return { words: words.map(({ text, dynamic }) => ({ text, expands: dynamic })), variables };
}
