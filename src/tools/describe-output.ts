import type { JsonObject } from "../lib/json.ts";

/** A longer schema costs more tokens than it helps the model to plan its calls. */
const MAX_SCHEMA_LENGTH = 1000;

/** Appends the schema of a tool's results to its description, because provider APIs have no field for it. */
export function describeOutput(description: string, outputSchema: JsonObject | undefined): string {
  const schema = outputSchema === undefined ? "" : JSON.stringify(outputSchema);
  if (schema === "" || schema.length > MAX_SCHEMA_LENGTH) return description;
  return `${description}\n\nReturns JSON of this schema: ${schema}`.trim();
}
