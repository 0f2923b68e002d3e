import type { FlagSpecs, Flags } from "./flags.ts";
import type { GLOBAL_FLAGS } from "./global-flags.ts";

/** What a verb runs with. */
export interface CommandInput<S extends FlagSpecs> {
  flags: Flags<S & typeof GLOBAL_FLAGS>;
  positionals: string[];
  /** Aborted by the first SIGINT or SIGTERM; the command then ends its work and returns. */
  signal: AbortSignal;
  /**
   * Hears of SIGINT before `signal` does; while it answers true the signal stays as it is. For a command that goes on
   * after what it was doing has been cancelled.
   */
  onInterrupt: (handler: () => boolean) => void;
  /** Every verb there is, for the one that completes command lines. */
  commands: Readonly<Record<string, CommandRow>>;
}

/** A verb before it is loaded. */
export interface CommandRow {
  summary: string;
  load: () => Promise<{ command: Command }>;
  /** The exit code of the process for the one that the command, or the error that ended it, gave; without it, the same. */
  exitCode?: (code: number, words: readonly string[]) => number;
}

/** A verb of the command line. */
export interface Command<S extends FlagSpecs = FlagSpecs> {
  /** What stands behind the verb in its usage line: `[AGENT] [MESSAGE...]`. */
  positionals: string;
  /** What it does, in a few lines. */
  description: string;
  flags: S;
  /** Returns the exit code. Throws a `UserError` for what the user has to mend. */
  run(input: CommandInput<S>): Promise<number>;
}

/** Checks the declaration of a verb and keeps the types of its flags. */
export function defineCommand<const S extends FlagSpecs>(command: Command<S>): Command<S> {
  return command;
}
