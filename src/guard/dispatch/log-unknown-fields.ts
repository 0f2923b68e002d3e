import { unknownFields } from "../../dialects/decode.ts";
import type { HostCall } from "../../dialects/dialect.ts";
import type { Log } from "../../engine/handler.ts";

/** Fields that were logged; bounded, because a server runs for long and a payload can have any field. */
const logged = new Set<string>();
const MAX_LOGGED = 1000;

/** The longest name of a field in the log, in characters. */
const MAX_NAME = 100;

/** Logs each field of a payload that hooksh does not know, once. Such a field shows that the host has changed. */
export function logUnknownFields(call: HostCall, log: Log): void {
  for (const field of unknownFields(call)) {
    const line = `${call.dialect.name} ${call.event}: unknown field ${JSON.stringify(field.slice(0, MAX_NAME))}`;
    if (logged.has(line) || logged.size >= MAX_LOGGED) continue;
    logged.add(line);
    log("warn", line);
  }
}
