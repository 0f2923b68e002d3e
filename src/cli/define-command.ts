/**
 * What all commands share: flags, help, printing, colours, tables. It knows no command.
 *
 * @packageDocumentation
 */
import type { FlagSpecs, Flags } from "./flags.ts";
import type { GLOBAL_FLAGS } from "./global-flags.ts";

/** The input of a verb. */
export interface CommandInput<S extends FlagSpecs> {
  flags: Flags<S & typeof GLOBAL_FLAGS>;
  positionals: string[];
  /** Aborted by the first SIGINT, SIGTERM, SIGHUP or SIGQUIT; the command then finishes early and returns. */
  signal: AbortSignal;
  /**
   * Sets a handler that SIGINT calls first. If it returns true, `signal` is not aborted: the command has cancelled its
   * current work and continues.
   */
  onInterrupt: (handler: () => boolean) => void;
  /** The table of all verbs, for `hooksh completion`. */
  commands: Readonly<Record<string, CommandRow>>;
}

/** The groups of commands with their titles. `hooksh --help` describes the first, and names the commands of the others. */
export const COMMAND_GROUPS = {
  start: "Start here",
  hooks: "Hooks",
  agents: "Hooks of other agents",
  records: "What agents and hooks did",
  sharing: "Agents from elsewhere",
  program: "This program",
} as const;

/** A verb in the table of verbs; its implementation is loaded on demand. */
export interface CommandRow {
  group: keyof typeof COMMAND_GROUPS;
  summary: string;
  /** For a command that a flag has replaced: how it is written now. Help and completion leave it out. */
  now?: string;
  load: () => Promise<{ command: Command }>;
  /** Translates the exit code of the command, or of the error that ended it. By default the code is used as it is. */
  exitCode?: (code: number, words: readonly string[]) => number;
  /** Handles an error that ended the command. Returns its exit code, or undefined to print the error as usual. */
  failed?: (words: readonly string[], problem: string, code: number) => Promise<number | undefined>;
}

export type FlagGroups = Readonly<Record<string, FlagSpecs>>;

/** A verb of the command line, as its file defines it. */
interface CommandDefinition<S extends FlagSpecs> {
  /** The arguments in the usage line, after the verb: `[AGENT] [MESSAGE...]`. */
  positionals: string;
  /** A few lines for `--help`. */
  description: string;
  flags: S;
  /** The flags by the headings under which the help lists them, each flag once; for commands with many flags. */
  flagGroups?: FlagGroups;
  /** Returns the exit code. Throws a `UserError` for a problem that the user can fix. */
  run(input: CommandInput<S>): Promise<number>;
}

/** A verb of the command line. `run` takes what `parseFlags` returns for its flags. */
export type Command = CommandDefinition<FlagSpecs>;

/** Returns the verb for the table of verbs, where all have one type. The compiler infers the types of its flags. */
export function defineCommand<const S extends FlagSpecs>(definition: CommandDefinition<S>): Command {
  return { ...definition, run: (input) => definition.run(input as CommandInput<S>) };
}
