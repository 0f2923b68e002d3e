import { isObject } from "../src/lib/json.ts";
import { defineBuiltin } from "../src/protocol/builtin.ts";

/** Asks about, or denies, a call of another agent's tool that hooksh does not know: no guard judges it by what it does. */
export const run = defineBuiltin((input, [decision]) => {
  const { host }: Readonly<Record<string, unknown>> = { ...input };
  if (input.hook_event_name !== "pre_tool_use" || !isObject(host) || host["unknown_tool"] !== true) return undefined;
  return {
    hook_specific_output: {
      hook_event_name: input.hook_event_name,
      permission_decision: decision === "ask" ? "ask" : "deny",
      permission_decision_reason: `hooksh does not know what the tool ${String(input.tool_name)} does, so no guard judged it by that (unknown_tools)`,
    },
  };
});
