import { JSON_SCHEMA_DIALECT, toJsonSchema } from "../config/json-schema/json-schema.ts";
import type { JsonObject } from "../lib/json.ts";
import { TEST_FILE } from "./test-schema.ts";

/** Returns the JSON Schema of a `*.hooktest.yaml`. Values that may hold `$each` may be anything. */
export function testFileJsonSchema(): JsonObject {
  return {
    $schema: JSON_SCHEMA_DIALECT,
    title: "hooksh test file",
    description: "A *.hooktest.yaml: events and what hooks must decide on them.",
    ...toJsonSchema(TEST_FILE),
  };
}
