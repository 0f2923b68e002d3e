/** The exit code of each way in which the program ends. A usage error is 64, as in BSD's sysexits. */
export const EXIT_CODES = {
  ok: 0,
  failed: 1,
  /** `dispatch`: something is blocked; with `--output hook` also: there is no verdict. No other command ends with it. */
  blocked: 2,
  /** `dispatch --output result|text`: nothing is blocked, and a hook wants the user to be asked. */
  asked: 3,
  usage: 64,
  interrupted: 130,
  /** `run` and `redact`: the reader of standard output has gone. Shells show the same for a program that ends by SIGPIPE. */
  outputClosed: 141,
} as const;

/** An error whose message is meant for the user and stands on its own; `main` prints it once, without a stack. */
export class UserError extends Error {
  readonly exitCode: number = EXIT_CODES.failed;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "UserError";
  }
}

/** The command line is wrong: unknown flag, missing value, contradicting flags. Exit code 64. */
export class UsageError extends UserError {
  override readonly exitCode = EXIT_CODES.usage;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "UsageError";
  }
}

/** Configuration is wrong. `problems` holds one located line each; the message joins them. Exit code 1. */
export class ConfigError extends UserError {
  readonly problems: readonly string[];

  constructor(problems: readonly string[] | string, options?: ErrorOptions) {
    const list = typeof problems === "string" ? [problems] : problems;
    super(list.join("\n"), options);
    this.name = "ConfigError";
    this.problems = list;
  }
}

/** Standard input, or a file named as input, does not hold what it should. Exit code 1. */
export class InputError extends UserError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "InputError";
  }
}

/** The text of anything thrown: the message of an error, the value itself otherwise. */
export function errorText(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
