import { processEnv } from "../lib/env.ts";
import { rememberVariables } from "../lib/secrets/known-secrets.ts";
import type { Redactor } from "../redaction/redact.ts";
import { TEXT_LIMIT } from "./entry.ts";

/** Returns the redactor of the audit log. Loads the search for secrets, which most dispatches do not need. */
export async function auditRedactor(): Promise<Redactor> {
  rememberVariables(processEnv());
  return (await import("../redaction/redaction-settings.ts")).redactorOf([]);
}

/**
 * Returns a field with a text without secrets, cut to {@link TEXT_LIMIT} characters; no field if the text is blank. Not
 * a promise then, which would cost a cold dispatch.
 */
export function redactedField<K extends string>(
  name: K,
  text: string | undefined,
): Promise<{ [P in K]?: string }> | { [P in K]?: string } {
  if (text === undefined || text.trim() === "") return {};
  return auditRedactor().then((redactor) => {
    const redacted = redactor.redact(text);
    const cut = redacted.length <= TEXT_LIMIT ? redacted : `${redacted.slice(0, TEXT_LIMIT - 1)}…`;
    return { [name]: cut } as { [P in K]?: string };
  });
}
