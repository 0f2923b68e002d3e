import { FIELDS } from "../protocol/fields.ts";
import type { EventName, EventPayload } from "../protocol/events.ts";
import type { Payload } from "./modes.ts";

/** Fields that are there although they hold their zero value. Source: hooks 2.4. */
const ZERO_COUNTS: ReadonlySet<string> = new Set(["tool_response", "cost"]);

/**
 * The input that hooks read: the three common fields first and always there, known fields left out when they hold
 * nothing, everything else as the caller gave it.
 *
 * Source: hooks 2.3, 2.4, 5.1.
 */
export function buildInput(event: EventName, payload: Payload, workingDir: string): Payload {
  const input: Record<string, unknown> = {
    session_id: payload["session_id"] ?? "",
    cwd: payload["cwd"] || workingDir,
    hook_event_name: event,
  };
  for (const [key, value] of Object.entries(payload)) {
    if (key in input || value === undefined || value === null) continue;
    if (Object.hasOwn(FIELDS, key) && !ZERO_COUNTS.has(key) && isZero(value)) continue;
    input[key] = value;
  }
  return input;
}

/** The JSON text that hooks read on standard input for an event, without the final newline. */
export function inputJson<E extends EventName>(event: E, payload: EventPayload<E>, workingDir: string): string {
  return JSON.stringify(buildInput(event, payload, workingDir));
}

function isZero(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0;
  return value === "" || value === 0 || value === false;
}
