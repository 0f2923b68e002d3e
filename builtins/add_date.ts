import { defineBuiltin } from "../src/protocol/builtin.ts";
import { contextOutput } from "../src/protocol/output.ts";

/** Adds `Today's date: YYYY-MM-DD` in the local time zone. */
export const run = defineBuiltin((input) => {
  const now = new Date();
  const pad = (value: number) => String(value).padStart(2, "0");
  const date = `${now.getFullYear()}-${pad(now.getMonth() + 1)}-${pad(now.getDate())}`;
  return contextOutput(input.hook_event_name, `Today's date: ${date}`);
});
