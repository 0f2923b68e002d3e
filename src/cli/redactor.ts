import { processEnv } from "../lib/env.ts";
import { rememberVariables } from "../lib/secrets/known-secrets.ts";
import { redactionArgs } from "../redaction/args.ts";
import type { RedactionOptions, Redactor } from "../redaction/redact.ts";
import { redactorOf } from "../redaction/redaction-settings.ts";

/**
 * Returns the redactor of `redact_secrets` with these options. It also knows the secrets in the environment of this
 * process.
 */
export function redactorFor(options: RedactionOptions): Redactor {
  rememberVariables(processEnv());
  return redactorOf(redactionArgs(options));
}
