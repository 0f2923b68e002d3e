import { JSON_SCHEMA_DIALECT, toJsonSchema } from "../../config/json-schema/json-schema.ts";
import type { JsonObject } from "../../lib/json.ts";
import { RUN_EVENTS, type RunEventType } from "../../runtime/events/run-events.ts";
import { EVENT_TEXTS } from "./event-texts.ts";

/** The fields that every event may have. */
const COMMON: JsonObject = {
  timestamp: { type: "string", format: "date-time", description: "When it happened (RFC 3339)." },
  agent_name: { type: "string", description: "The agent that the event concerns." },
  background_task: {
    type: "string",
    description:
      "The id of the task, if the agent works in the background: the value that run_background_agent returned.",
  },
};

/**
 * Returns the JSON Schema of a line of `run --json`. Unknown fields are allowed, because later versions may add some;
 * they may also add types, which a consumer should skip.
 */
export function eventsJsonSchema(): JsonObject {
  const types = Object.keys(RUN_EVENTS) as RunEventType[];
  return {
    $schema: JSON_SCHEMA_DIALECT,
    title: "hooksh run event",
    description: "A line of `hooksh run --json`: what happened, when, and the agent it concerns.",
    type: "object",
    properties: { type: { enum: types } },
    required: ["type", "timestamp"],
    oneOf: types.map((type) => ({ $ref: `#/$defs/${type}` })),
    $defs: Object.fromEntries(types.map((type) => [type, eventSchema(type)])),
  };
}

function eventSchema(type: RunEventType): JsonObject {
  const { properties, required, ...rest } = toJsonSchema(RUN_EVENTS[type]) as {
    properties: JsonObject;
    required: string[];
  };
  return {
    description: EVENT_TEXTS[type],
    ...rest,
    properties: { ...properties, ...COMMON },
    required: [...required, "timestamp"],
  };
}
