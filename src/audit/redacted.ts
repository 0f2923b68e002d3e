import { processEnv } from "../lib/env.ts";
import { rememberVariables, secretCandidates } from "../lib/secrets/known-secrets.ts";
import { redactStart } from "../lib/secrets/redaction-mark.ts";
import type { Redactor } from "../redaction/redact.ts";
import { TEXT_LIMIT } from "./entry.ts";

/** Returns the redactor of the audit log. Loads the search for secrets, which most dispatches do not need. */
export async function auditRedactor(): Promise<Redactor> {
  rememberVariables(processEnv());
  return (await import("../redaction/redaction-settings.ts")).redactorOf([]);
}

/** Characters of a short sentence without names, numbers and code: no known form of a secret is made of these alone. */
const PROSE = /^[A-Za-z ,.;:!?'"()\n-]{0,400}$/;
/** Words that a secret may follow, and runs of letters that are no word. */
const SUSPECT_WORD = /key|token|secret|pass|pwd|pin\b|pat\b|auth|cred|cookie|bearer|basic|login|code|[A-Za-z-]{16}/i;

/**
 * True if a text needs no search for secrets, whose tables take longer to load than the rest of a dispatch: a plain short
 * sentence that holds none of the secrets this process knows.
 */
export function isPlainProse(text: string): boolean {
  if (!PROSE.test(text) || SUSPECT_WORD.test(text)) return false;
  rememberVariables(processEnv());
  return !secretCandidates().some(({ value }) => text.includes(value));
}

/**
 * Returns a field with a text without secrets, cut to {@link TEXT_LIMIT} characters; no field if the text is blank. Not
 * a promise for a text that is known to hold none, which would cost a cold dispatch.
 */
export function redactedField<K extends string>(
  name: K,
  text: string | undefined,
): Promise<{ [P in K]?: string }> | { [P in K]?: string } {
  if (text === undefined || text.trim() === "") return {};
  const field = (value: string) => ({ [name]: value }) as { [P in K]?: string };
  if (isPlainProse(text)) return field(text);
  return auditRedactor().then((redactor) => {
    const redacted = redactStart(text, redactor.redact, TEXT_LIMIT);
    return field(redacted.length <= TEXT_LIMIT ? redacted : `${redacted.slice(0, TEXT_LIMIT - 1)}…`);
  });
}
