import { expect, test } from "bun:test";
import { run } from "../../builtins/safer_shell.ts";
import { callBuiltin } from "../helpers/call-builtin.ts";

const call = async (tool_input: Record<string, unknown>, more = {}) =>
  (await callBuiltin(run, { hook_event_name: "pre_tool_use", tool_name: "shell", tool_input, ...more })).output;

test("warns once that it no longer blocks", async () => {
  const logged = [];
  for (let round = 0; round < 2; round++)
    logged.push((await callBuiltin(run, { hook_event_name: "pre_tool_use" })).logged.length);
  expect(logged).toEqual([1, 0]);
});

test("labels a destructive, a safe and an unknown command and decides nothing", async () => {
  const labelled = (metadata: Record<string, string>) => ({
    hook_specific_output: { hook_event_name: "pre_tool_use", metadata },
  });
  expect(await call({ cmd: "rm -rf x" })).toEqual(
    labelled({
      safety_label: "destructive",
      blast_radius: "high",
      category: "fs-delete",
      reason: "Command matches destructive operation: rm -rf <path>",
    }),
  );
  expect(await call({ command: "ls" })).toEqual(
    labelled({
      safety_label: "safe",
      blast_radius: "safe",
      category: "fs-read",
      reason: "Command matches safe read-only pattern: ls",
    }),
  );
  expect(await call({ cmd: "make", command: "ls" })).toEqual(
    labelled({ safety_label: "unknown", blast_radius: "unknown" }),
  );
});

test("says nothing about other tools, other events and calls without a command", async () => {
  expect(await call({ cmd: "ls" }, { tool_name: "shell2" })).toBeUndefined();
  expect(await call({ cmd: "ls" }, { hook_event_name: "post_tool_use" })).toBeUndefined();
  expect(await call({ cmd: 1 })).toBeUndefined();
  expect(await call({})).toBeUndefined();
});
