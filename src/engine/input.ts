import type { EventName, EventPayload } from "../protocol/events.ts";
import { FIELDS } from "../protocol/fields.ts";
import type { Payload } from "./modes.ts";

/** Fields that are there although they hold their zero value. */
const ZERO_COUNTS: ReadonlySet<string> = new Set(["tool_response", "cost"]);

/**
 * The input that hooks read: the three common fields first and always there, known fields left out when they hold
 * nothing, everything else as the caller gave it.
 */
export function buildInput(event: EventName, payload: Payload, workingDir: string): Payload {
  const common: Payload = {
    session_id: payload["session_id"] ?? "",
    cwd: payload["cwd"] || workingDir,
    hook_event_name: event,
  };
  const rest = Object.entries(payload).filter(([key, value]) => {
    if (Object.hasOwn(common, key) || value === undefined || value === null) return false;
    return !Object.hasOwn(FIELDS, key) || ZERO_COUNTS.has(key) || !isZero(value);
  });
  return Object.fromEntries([...Object.entries(common), ...rest]);
}

/** The JSON text that hooks read on standard input for an event, without the final newline. */
export function inputJson<E extends EventName>(event: E, payload: EventPayload<E>, workingDir: string): string {
  return JSON.stringify(buildInput(event, payload, workingDir));
}

function isZero(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0;
  return value === "" || value === 0 || value === false;
}
