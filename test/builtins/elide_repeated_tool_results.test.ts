import { beforeEach, expect, test } from "bun:test";
import { run } from "../../builtins/elide_repeated_tool_results.ts";
import type { BuiltinInput } from "../../src/protocol/builtin.ts";
import { callBuiltin } from "../helpers/call-builtin.ts";

const TEXT = "x".repeat(600);

const call = async (more: Partial<BuiltinInput> = {}) => {
  const { output, logged } = await callBuiltin(run, {
    hook_event_name: "tool_response_transform",
    session_id: "s",
    tool_name: "read_file",
    tool_category: "filesystem",
    tool_read_only: true,
    tool_input: { path: "a", line: 1 },
    tool_response: TEXT,
    ...more,
  });
  return { replaced: output?.hook_specific_output?.updated_tool_response, logged };
};

beforeEach(async () => {
  await call({ hook_event_name: "session_end" });
});

test("marks the second identical result, whatever the order of the arguments", async () => {
  expect((await call()).replaced).toBeUndefined();
  expect((await call({ tool_input: { line: 1, path: "a" } })).replaced).toBe(
    "[hooksh] The read_file tool ran and returned output byte-for-byte identical to its earlier result for these " +
      "same arguments in this session, so the 600-byte payload is not repeated here. " +
      "Nothing has changed since you last saw it.",
  );
});

test.each([
  ["session", { session_id: "t" }],
  ["tool", { tool_name: "other" }],
  ["arguments", { tool_input: { path: "b", line: 1 } }],
  ["text", { tool_response: `${TEXT}y` }],
] as [string, Partial<BuiltinInput>][])("passes on what differs by its %s", async (_what, more) => {
  await call();
  expect((await call(more)).replaced).toBeUndefined();
});

test.each([
  ["without a session", { session_id: "" }],
  ["of a tool that writes", { tool_read_only: false }],
  ["of another category", { tool_category: "shell" }],
  ["an error", { tool_error: true }],
  ["shorter than the note", { tool_response: "short" }],
  ["no text", { tool_response: [TEXT] }],
  ["of too many bytes", { tool_response: "x".repeat(51_201) }],
  ["of too many lines", { tool_response: "x\n".repeat(2001) }],
] as [string, Partial<BuiltinInput>][])("leaves a result alone that is %s", async (_what, more) => {
  await call(more);
  expect((await call(more)).replaced).toBeUndefined();
});

test("a changed result replaces the remembered one", async () => {
  await call();
  await call({ tool_response: `${TEXT}y` });
  expect((await call()).replaced).toBeUndefined();
  expect((await call()).replaced).toBeDefined();
});

test.each([
  ["an error", { tool_error: true }],
  ["a large result", { tool_response: "x".repeat(60_000) }],
])("%s in between ends the repetition", async (_what, more) => {
  await call();
  await call(more);
  expect((await call()).replaced).toBeUndefined();
});

test.each(["session_start", "after_compaction", "session_end"] as const)(
  "%s forgets the session",
  async (hook_event_name) => {
    await call();
    await call({ hook_event_name });
    expect((await call()).replaced).toBeUndefined();
  },
);

test("another event is answered with a warning only", async () => {
  const { replaced, logged } = await call({ hook_event_name: "post_tool_use" });
  expect(replaced).toBeUndefined();
  expect(logged).toEqual(["warn elide_repeated_tool_results: has no meaning on post_tool_use"]);
});

test("the oldest of more than 4096 results is forgotten", async () => {
  for (let line = 0; line <= 4096; line++) await call({ tool_input: { line } });
  expect((await call({ tool_input: { line: 1 } })).replaced).toBeDefined();
  expect((await call({ tool_input: { line: 0 } })).replaced).toBeUndefined();
});

test("the oldest of more than 256 sessions is forgotten", async () => {
  for (let id = 0; id <= 256; id++) await call({ session_id: `many-${id}` });
  expect((await call({ session_id: "many-1" })).replaced).toBeDefined();
  expect((await call({ session_id: "many-0" })).replaced).toBeUndefined();
});
