import { defineBuiltin } from "../src/protocol/builtin.ts";
import { cannotTouchGuards } from "./guards-stay/first-look.ts";

/**
 * Denies tool calls that change a guard's file: hooks files and settings of every agent that hooksh knows, the active
 * hooks, hooksh's own files, MCP lists and git's hooks. `args`: further files and folders that are guarded, absolute
 * paths or patterns.
 */
export const run = defineBuiltin(async (input, args, context) => {
  if (input.hook_event_name !== "pre_tool_use" || cannotTouchGuards(input)) return undefined;
  const { Judge } = await import("./guards-stay/judge.ts");
  const found = new Judge(input, args, context).findings();
  const worst = found.find(({ verdict }) => verdict === "deny") ?? found[0];
  return (
    worst && {
      hook_specific_output: {
        hook_event_name: "pre_tool_use",
        permission_decision: worst.verdict,
        permission_decision_reason: worst.reason,
      },
    }
  );
});
