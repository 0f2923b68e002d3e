import { processEnv } from "../lib/env.ts";
import { rememberVariables } from "../lib/secrets/known-secrets.ts";
import type { Redactor } from "../redaction/redact.ts";
import { TEXT_LIMIT } from "./entry.ts";

/** Returns the redactor of the audit log. Loads the search for secrets, which most dispatches do not need. */
export async function auditRedactor(): Promise<Redactor> {
  rememberVariables(processEnv());
  return (await import("../redaction/redaction-settings.ts")).redactorOf([]);
}

/** Returns a text without secrets, cut to {@link TEXT_LIMIT} characters; undefined if it is blank. */
export async function redactedText(text: string | undefined): Promise<string | undefined> {
  if (text === undefined || text.trim() === "") return undefined;
  const redacted = (await auditRedactor()).redact(text);
  return redacted.length <= TEXT_LIMIT ? redacted : `${redacted.slice(0, TEXT_LIMIT - 1)}…`;
}
