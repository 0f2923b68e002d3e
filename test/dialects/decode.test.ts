import { expect, test } from "bun:test";
import { codec } from "./codec.ts";

test("a number where text is due is text, so that hooks judge the event", async () => {
  const cursor = await codec("cursor");
  const payload = { conversation_id: 5, workspace_roots: [7], hook_event_name: "beforeSubmitPrompt", prompt: 42 };
  expect(cursor.saw(payload)).toMatchObject({ session_id: "5", prompt: "42" });
  expect(cursor.saw(payload)).not.toHaveProperty("cwd");
});

test("a number where hooks expect one stays one, and input is never changed", async () => {
  const claude = await codec("claude");
  const call = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: 1, timeout: 2000 } };
  expect(claude.saw(call)["tool_input"]).toEqual({ cmd: 1, timeout: 2 });
});
