/** The program's exit codes. A usage error is 64, as in BSD's sysexits. */
export const EXIT_CODES = {
  ok: 0,
  failed: 1,
  /** `dispatch` only: a hook blocks, or (with `--output hook`) there is no verdict. */
  blocked: 2,
  /** `dispatch --output result|text`: no hook blocks, and one wants the user to be asked. */
  asked: 3,
  /** `run --fail-on-denied`: a tool call was blocked, denied or refused. */
  denied: 3,
  /** `test` only: there is no test. */
  noTests: 3,
  usage: 64,
  /** `run`: `--max-cost`, `--max-turns`, `--timeout` or the limit of iterations stopped it. The `timeout` of GNU exits with the same. */
  limited: 124,
  interrupted: 130,
  /** SIGQUIT. A shell reports the same for a program killed by it. */
  quit: 131,
  /**
   * `run` and `redact`: the reader of standard output closed it. A shell reports the same for a program killed by
   * SIGPIPE.
   */
  outputClosed: 141,
} as const;

/**
 * Why something went wrong, and what to do, where the message alone does not tell. Links are relative to `docs`. The error,
 * the problem, or the function or class that makes the text carries it as `help`; docs/messages.md is generated from that.
 */
export interface Help {
  readonly cause: string;
  readonly cure: string;
}

/** The options of a {@link UserError}. */
export interface UserErrorOptions extends ErrorOptions {
  help?: Help | undefined;
}

/** An error whose message tells the user what is wrong. `main` prints the message without a stack. */
export class UserError extends Error {
  readonly exitCode: number = EXIT_CODES.failed;
  /** The help of this error, else that of the error that caused it. */
  readonly help: Help | undefined;

  constructor(message: string, options: UserErrorOptions = {}) {
    super(message, options);
    this.name = "UserError";
    this.help = options.help ?? helpOf(options.cause);
  }
}

/** An invalid command line: an unknown flag, a missing value, conflicting flags. Exit code 64. */
export class UsageError extends UserError {
  override readonly exitCode = EXIT_CODES.usage;

  constructor(message: string, options?: UserErrorOptions) {
    super(message, options);
    this.name = "UsageError";
  }
}

/**
 * Invalid configuration. `problems` has one line for each problem, with its location; the message joins them. Exit code
 * 1.
 */
export class ConfigError extends UserError {
  readonly problems: readonly string[];

  constructor(problems: readonly string[] | string, options?: UserErrorOptions) {
    const list = typeof problems === "string" ? [problems] : problems;
    super(list.join("\n"), options);
    this.name = "ConfigError";
    this.problems = list;
  }
}

/** Invalid data on standard input or in an input file. Exit code 1. */
export class InputError extends UserError {
  constructor(message: string, options?: UserErrorOptions) {
    super(message, options);
    this.name = "InputError";
  }
}

/** Returns the help of an error; undefined for any other thrown value. */
export function helpOf(thrown: unknown): Help | undefined {
  return thrown instanceof UserError ? thrown.help : undefined;
}

/** Returns the message of an error, or any other thrown value as a string. */
export function errorText(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/**
 * The reason with which an `AbortSignal` is aborted unless the user cancels the work. The message is a clause that
 * completes "canceled: ...", for the user and the model.
 */
export class StopReason extends Error {}

/** The {@link StopReason} of SIGQUIT. */
export class QuitReason extends StopReason {
  constructor() {
    super("interrupted by SIGQUIT");
  }
}

/** Returns the exit code of a command that `signal` interrupted. */
export function interruptedCode({ reason }: AbortSignal): number {
  return reason instanceof QuitReason ? EXIT_CODES.quit : EXIT_CODES.interrupted;
}

/** Returns why work was stopped; undefined if the user cancelled it. */
export function stopReasonOf({ reason }: AbortSignal): string | undefined {
  return reason instanceof StopReason ? reason.message : undefined;
}
