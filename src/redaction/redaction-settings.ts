import { UserError } from "../lib/errors.ts";
import { type SecretCandidate, secretCandidates } from "../lib/secrets/known-secrets.ts";
import { parseRedactionArgs } from "./args.ts";
import { searchableValues } from "./known-values.ts";
import { createRedactor, type Redactor } from "./redact.ts";

interface CachedRedactor {
  candidates: readonly SecretCandidate[];
  redactor: Redactor;
}

const redactors = new Map<string, CachedRedactor>();

/**
 * The redactor for the arguments of `redact_secrets`. It also finds the secrets that this process remembers. Returns
 * the same redactor for the same arguments until another secret is remembered. Throws a {@link UserError} on an invalid
 * argument.
 */
export function redactorOf(args: readonly string[]): Redactor {
  const key = args.join(" ");
  const candidates = secretCandidates();
  const last = redactors.get(key);
  if (last?.candidates === candidates) return last.redactor;
  const options = parseRedactionArgs(args);
  if (typeof options === "string") throw new UserError(options);
  const redactor = createRedactor({ ...options, known: searchableValues(candidates) });
  redactors.set(key, { candidates, redactor });
  return redactor;
}
