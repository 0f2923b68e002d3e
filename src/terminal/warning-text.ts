import type { RunEvent } from "../runtime/events/run-events.ts";

/** Returns the text of a warning, with the event of its hook in front unless the message itself begins with it. */
export function warningText({ hook_event: event, message }: Extract<RunEvent, { type: "warning" }>): string {
  return event === undefined || message.startsWith(`${event} hook `) ? message : `${event}: ${message}`;
}
