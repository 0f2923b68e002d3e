import { canonicalJson } from "../lib/json.ts";
import { contractOf, type EventName } from "../protocol/events.ts";
import type { Payload } from "../protocol/rewrite.ts";
import { digestOf } from "./entry.ts";

/** The fields of every event. */
const COMMON_FIELDS: readonly string[] = ["session_id", "cwd", "hook_event_name", "agent_name"];

/** What an event is about, if its hooks cannot rewrite it: the first of these fields that it has. */
const SUBJECTS = ["tool_response", "tool_input", "prompt"] as const;

/**
 * Returns the digest of what an event is about, over its canonical JSON text (RFC 8785): the field that its hooks may
 * rewrite, else the tool's response, the tool's input or the prompt, else the payload without the fields that every
 * event has. Undefined if the value has no JSON text, for example because it nests too deep.
 */
export function subjectDigest(event: EventName, payload: Payload): string | undefined {
  try {
    return digestOf(canonicalJson(subjectOf(event, payload)));
  } catch {
    return undefined;
  }
}

function subjectOf(event: EventName, payload: Payload): unknown {
  const { rewrites } = contractOf(event);
  const field = (rewrites === undefined ? SUBJECTS : [rewrites, ...SUBJECTS]).find(
    (name) => payload[name] !== undefined,
  );
  if (field !== undefined) return payload[field];
  return Object.fromEntries(Object.entries(payload).filter(([key]) => !COMMON_FIELDS.includes(key)));
}
