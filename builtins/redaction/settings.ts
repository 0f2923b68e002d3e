import { UserError } from "../../src/lib/errors.ts";
import { createRedactor, type GenericLevel, type RedactionOptions, type Redactor } from "./redact.ts";

const LEVELS: readonly GenericLevel[] = ["off", "on", "strict"];

/**
 * The options that the arguments of `redact_secrets` set: `generic=off`, `generic=on` or `generic=strict`, and `label`.
 * Throws a {@link UserError} for any other.
 */
export function parseRedactionArgs(args: readonly string[]): RedactionOptions {
  const options: RedactionOptions = {};
  for (const arg of args) {
    const generic = LEVELS.find((level) => arg === `generic=${level}`);
    if (generic !== undefined) options.generic = generic;
    else if (arg === "label") options.label = true;
    else throw new UserError(`redact_secrets: unknown argument ${JSON.stringify(arg)}: use generic=off, generic=on, generic=strict or label`);
  }
  return options;
}

const made = new Map<string, Redactor>();

/** The redactor for the arguments of `redact_secrets`; the same one for the same arguments. */
export function redactorOf(args: readonly string[]): Redactor {
  const key = args.join(" ");
  const redactor = made.get(key) ?? createRedactor(parseRedactionArgs(args));
  made.set(key, redactor);
  return redactor;
}
