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

/** Returns the fields of an entry for its payload, without secrets. A long payload is cut, and the entry says so. */
export async function redactedPayload(payload: Payload): Promise<Pick<AuditEntry, "payload" | "payload_cut">> {
  const redactor = await auditRedactor();
  // The second pass finds secrets by the names of their fields.
  const text = redactor.redact(JSON.stringify(redactDeep(payload, redactor)));
  const redacted = objectIn(text);
  if (text.length <= PAYLOAD_LIMIT) return { payload: redacted };
  for (const limit of TEXT_LIMITS) {
    const cut = JSON.stringify(redacted, (_key, value: unknown) =>
      typeof value === "string" ? cutMiddle(value, limit) : value,
    );
    if (cut.length <= PAYLOAD_LIMIT) return { payload: objectIn(cut), payload_cut: text.length };
  }
  const names = Object.keys(redacted).filter((key) => typeof redacted[key] === "string");
  const kept = names.map((key): [string, unknown] => [key, cutMiddle(String(redacted[key]), 128)]).slice(0, 100);
  return { payload: Object.fromEntries(kept), payload_cut: text.length };
}

function objectIn(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text);
  return isObject(value) ? value : {};
}
