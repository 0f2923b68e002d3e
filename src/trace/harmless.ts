import { secretCandidates } from "../lib/secrets/known-secrets.ts";

/** A name or a path, alone or after an operation: `apply_guardrail ./hooks/guard.sh`. */
const PLAIN_NAME = /^(?:[a-z_.]+ )?[A-Za-z_./-]{1,32}$/;

/** A character between a name and a value or of an encoding, an option, a mix of letters and digits, a long word, a hint. */
const SUSPICIOUS =
  /[=:@%\\$~]|\s-|[a-z]\d|\d[a-z]|[\w+-]{16}|pass|pwd|token|secret|key|auth|bearer|cred|cookie|login|user|sig|pin\b|\bpat\b/i;
const MAX_LENGTH = 256;

/**
 * True for a text that certainly holds no secret, so that the search for secrets need not be loaded (cold start).
 */
export function isHarmless(text: string): boolean {
  if (PLAIN_NAME.test(text)) return true;
  if (text.length > MAX_LENGTH || SUSPICIOUS.test(text)) return false;
  return !secretCandidates().some(({ value }) => text.includes(value));
}
