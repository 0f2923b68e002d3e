import { redactionArgs } from "../../../builtins/redaction/args.ts";
import type { RedactionOptions, Redactor } from "../../../builtins/redaction/redact.ts";
import { redactorOf } from "../../../builtins/redaction/settings.ts";
import { processEnv } from "../../lib/env.ts";
import { rememberVariables } from "../../lib/known-secrets.ts";

/** The redactor of `redact_secrets` with these options. It also knows the secrets in this process's environment. */
export function redactorFor(options: RedactionOptions): Redactor {
  rememberVariables(processEnv());
  return redactorOf(redactionArgs(options));
}
