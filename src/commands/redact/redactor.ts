import { redactionArgs } from "../../../builtins/redaction/args.ts";
import type { RedactionOptions, Redactor } from "../../../builtins/redaction/redact.ts";
import { redactorOf } from "../../../builtins/redaction/settings.ts";
import { processEnv } from "../../lib/env.ts";
import { rememberVariables } from "../../lib/known-secrets.ts";

/** The redactor of `redact_secrets` with these options: the secrets in the variables of this process are known to it. */
export function redactorFor(options: RedactionOptions): Redactor {
  rememberVariables(processEnv());
  return redactorOf(redactionArgs(options));
}
