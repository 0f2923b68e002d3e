import { isObject } from "../lib/json.ts";
import { cutMiddle } from "../lib/text/cut-text.ts";
import type { Payload } from "../protocol/rewrite.ts";
import { redactDeep } from "../redaction/redact-deep.ts";
import type { AuditEntry } from "./entry.ts";
import { auditRedactor } from "./redacted.ts";

/** The JSON text of a payload in an entry has at most this many characters. */
const PAYLOAD_LIMIT = 64 * 1024;

/** How long the texts of a payload that is too long may stay, tried in this order. */
const TEXT_LIMITS = [8192, 1024, 128];

/** Limits the search for secrets, which delays verdicts; in characters. */
const SEARCH_LIMIT = 256 * 1024;
/** Longer than any text is in the end: what is cut here may be a part of a secret, and goes with the second cut. */
const SEARCHED_TEXT = 32 * 1024;

/** Returns the fields of an entry for its payload, without secrets. A long payload is cut, and the entry says so. */
export async function redactedPayload(payload: Payload): Promise<Pick<AuditEntry, "payload" | "payload_cut">> {
  const redactor = await auditRedactor();
  const length = JSON.stringify(payload).length;
  const isLong = length > SEARCH_LIMIT;
  const searched = isLong ? withShortTexts(payload, SEARCHED_TEXT) : payload;
  if (isLong && JSON.stringify(searched).length > SEARCH_LIMIT) return { payload: {}, payload_cut: length };
  // The second pass finds secrets by the names of their fields.
  const text = redactor.redact(JSON.stringify(redactDeep(searched, redactor)));
  const redacted = objectIn(text);
  if (text.length <= PAYLOAD_LIMIT && !isLong) return { payload: redacted };
  const before = isLong ? length : text.length;
  for (const limit of TEXT_LIMITS) {
    const cut = withShortTexts(redacted, limit);
    if (JSON.stringify(cut).length <= PAYLOAD_LIMIT) return { payload: cut, payload_cut: before };
  }
  const names = Object.keys(redacted).filter((key) => typeof redacted[key] === "string");
  const kept = names.map((key): [string, unknown] => [key, cutMiddle(String(redacted[key]), 128)]).slice(0, 100);
  return { payload: Object.fromEntries(kept), payload_cut: before };
}

function withShortTexts(payload: Payload, limit: number): Payload {
  const cut = (_key: string, value: unknown) => (typeof value === "string" ? cutMiddle(value, limit) : value);
  return objectIn(JSON.stringify(payload, cut));
}

function objectIn(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text);
  return isObject(value) ? value : {};
}
