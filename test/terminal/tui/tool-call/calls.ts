import type { DecidingHook } from "../../../../src/protocol/fields.ts";
import type { RunEvent } from "../../../../src/runtime/events/run-events.ts";
import { THEMES } from "../../../../src/terminal/theme.ts";
import { ToolCallBlock, type ToolCallBlockOptions } from "../../../../src/terminal/tui/tool-call/tool-call-block.ts";

export type Response = Extract<RunEvent, { type: "tool_call_response" }>;

/** Returns the block of a call without colours. */
export function blockOf(
  name: string,
  args: unknown,
  { category = "shell", ...options }: Partial<ToolCallBlockOptions> & { category?: string } = {},
): ToolCallBlock {
  return new ToolCallBlock({
    call: callOf(name, args),
    definition: { name, category },
    theme: THEMES.none,
    cwd: "/nowhere",
    ...options,
  });
}

/** Returns the response to a call. */
export function responseOf(
  name: string,
  response: string,
  rest: Partial<Response> & { category?: string } = {},
): Response {
  const { category = "shell", ...fields } = rest;
  return {
    type: "tool_call_response",
    tool_call_id: "call_1",
    tool_definition: { name, category },
    response,
    result: { output: response },
    outcome: "completed",
    timestamp: "2026-01-01T00:00:00Z",
    ...fields,
  };
}

/** Returns the event of a call that hooks blocked. */
export function blockedBy(message: string, ...hooks: DecidingHook[]): Extract<RunEvent, { type: "hook_blocked" }> {
  const tool_call = callOf("shell", {});
  return { type: "hook_blocked", tool_call, tool_definition: { name: "shell" }, message, hooks, timestamp: "" };
}

/** Returns a hook that gave a verdict. */
export function hook(name: string, message?: string): DecidingHook {
  const fields = { event: "pre_tool_use", name, type: "command", source: "agent.yaml:12", outcome: "blocked" };
  return { ...fields, duration_ms: 12.3, ...(message === undefined ? {} : { message }) };
}

function callOf(name: string, args: unknown) {
  const json = typeof args === "string" ? args : JSON.stringify(args);
  return { id: "call_1", type: "function" as const, function: { name, arguments: json } };
}
