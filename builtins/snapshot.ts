import { errorText } from "../src/lib/errors.ts";
import { type BuiltinInput, defineBuiltin } from "../src/protocol/builtin.ts";
import { captureState } from "../src/snapshot/capture.ts";
import { withShadow } from "../src/snapshot/open.ts";
import { beginCall, beginTurn, collectGarbage, endCall, endTurn } from "../src/snapshot/record.ts";
import type { Shadow } from "../src/snapshot/shadow.ts";

type Action = (shadow: Shadow, input: BuiltinInput) => Promise<unknown>;

const ACTIONS: { [E in BuiltinInput["hook_event_name"]]?: Action } = {
  session_start: (shadow) => captureState(shadow, shadow.worktree.scope),
  turn_start: (shadow, input) => beginTurn(shadow, input.session_id),
  turn_end: (shadow, input) => endTurn(shadow, input.session_id),
  pre_tool_use: (shadow, input) => beginCall(shadow, input.session_id, input.tool_use_id ?? ""),
  post_tool_use: (shadow, input) => endCall(shadow, input.session_id, input.tool_use_id ?? ""),
  session_end: (shadow) => collectGarbage(shadow),
};

/**
 * Records the files of a git worktree around turns and tool calls, so that `hooksh undo` can restore them. It never
 * answers and never fails: errors are logged.
 */
export const run = defineBuiltin(async (input, _args, { env, directories, signal, log }) => {
  const { session_id, cwd, hook_event_name: event } = input;
  const action = ACTIONS[event];
  if (!action) {
    log("debug", `snapshot: nothing to do on ${event}`);
    return undefined;
  }
  if (!cwd || !session_id) return undefined;
  try {
    const place = { dataDir: directories.data, cwd, env, signal };
    await withShadow(place, (shadow) => action(shadow, input), event === "session_end" ? "skip" : "create");
  } catch (error) {
    log("debug", `snapshot: ${event}: ${errorText(error)}`);
  }
  return undefined;
});
