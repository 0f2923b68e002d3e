import { expect, test } from "bun:test";
import { run } from "../../builtins/add_date.ts";
import { callBuiltin, sh } from "../helpers/call-builtin.ts";

test("gives the local date under the event it is configured on", async () => {
  const before = sh("/", "date +%Y-%m-%d").trim();
  const { output } = await callBuiltin(run, { hook_event_name: "session_start" });
  const after = sh("/", "date +%Y-%m-%d").trim(); // differs from the first at midnight only
  expect([before, after].map((date) => `Today's date: ${date}`)).toContain(
    output?.hook_specific_output?.additional_context ?? "",
  );
  expect(output?.hook_specific_output?.hook_event_name).toBe("session_start");
});
