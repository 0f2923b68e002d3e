import { EVENTS_RUN_WITH } from "../dialects/dialect.ts";
import type { EventName } from "../protocol/events.ts";

/**
 * The events that are dispatched for a step. A step `pre_tool_use` asks whether a call would run, so it also runs the
 * hooks that see the call before: `tool_input_transform` and `tool_guard`. Any other event is dispatched alone.
 */
export function eventsOfStep(event: EventName): readonly EventName[] {
  return event === "pre_tool_use" ? (EVENTS_RUN_WITH[event] ?? [event]) : [event];
}
