import { UserError } from "../../src/lib/errors.ts";
import { parseRedactionArgs } from "./args.ts";
import { createRedactor, type Redactor } from "./redact.ts";

const made = new Map<string, Redactor>();

/**
 * The redactor for the arguments of `redact_secrets`; the same one for the same arguments. Throws a {@link UserError} for
 * a wrong argument.
 */
export function redactorOf(args: readonly string[]): Redactor {
  const key = args.join(" ");
  const known = made.get(key);
  if (known) return known;
  const options = parseRedactionArgs(args);
  if (typeof options === "string") throw new UserError(options);
  const redactor = createRedactor(options);
  made.set(key, redactor);
  return redactor;
}
