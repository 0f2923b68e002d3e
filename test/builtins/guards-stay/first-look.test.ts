import { expect, test } from "bun:test";
import { cannotTouchGuards } from "../../../builtins/guards-stay/first-look.ts";

const call = (tool_name: string, tool_input: Record<string, unknown>) =>
  cannotTouchGuards({ hook_event_name: "pre_tool_use", session_id: "s", cwd: "/", tool_name, tool_input });

test.each(["ls", "cat hooks.yaml | head -5", "git status && npm test 2>&1", "make test"])("%j is harmless", (cmd) => {
  expect(call("shell", { cmd })).toBe(true);
  expect(call("mcp:term:run", { cmd })).toBe(false);
});

test.each(["rm x", "ls > f", "ls; rm x", "make hooks.yaml", "ruff format a/b", "cat x | sh", "git diff --output=f"])(
  "%j needs a full look",
  (cmd) => expect(call("shell", { cmd })).toBe(false),
);

test("a tool of hooksh that reads is harmless, others are looked at", () => {
  expect(call("read_file", { path: ".mcp.json" })).toBe(true);
  expect(call("write_file", { path: "a" })).toBe(false);
  expect(call("shell", {})).toBe(false);
});
