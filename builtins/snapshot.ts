import { errorText } from "../src/lib/errors.ts";
import { escapeControls } from "../src/lib/text/escape-controls.ts";
import { type BuiltinContext, type BuiltinInput, defineBuiltin } from "../src/protocol/builtin.ts";
import type { HookOutput } from "../src/protocol/output.ts";
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
 * Records the files of a git worktree around turns and tool calls, so that `hooksh undo` can restore them. It gives no
 * verdict and never fails: errors are logged.
 */
export const run = defineBuiltin(async (input, args, context) => {
  const { session_id, cwd, hook_event_name: event } = input;
  const action = ACTIONS[event];
  if (!action) {
    context.log("debug", `snapshot: nothing to do on ${event}`);
    return undefined;
  }
  if (!cwd || !session_id) return undefined;
  if (args.includes("writes")) return recordWrites(input, context);
  await record(input, context, action, context.signal);
  return undefined;
});

/** How recording ended; `absent` outside a worktree. */
type Outcome = "done" | "absent" | "failed";

async function record(
  input: BuiltinInput,
  { env, directories, log }: BuiltinContext,
  action: Action,
  signal: AbortSignal,
): Promise<Outcome> {
  const { cwd, hook_event_name: event } = input;
  try {
    const place = { dataDir: directories.data, cwd, env, signal };
    const act = async (shadow: Shadow): Promise<Outcome> => {
      await action(shadow, input);
      return "done";
    };
    return (await withShadow(place, act, event === "session_end" ? "skip" : "create")) ?? "absent";
  } catch (error) {
    log("debug", `snapshot: ${event}: ${errorText(error)}`);
    return "failed";
  }
}

/** The longest that recording may delay a call or the end of a turn, unless the user asked for snapshots. */
const PATIENCE_MS = 5000;

/** Tools that write nothing themselves, while an agent that they start may. */
const DELEGATING = ["transfer_task"];

/** What a run has recorded with `writes`. */
interface Recorded {
  /** How recording the start ended, for the open turn of each session in which a tool may have written. */
  turns: Map<string, Promise<Outcome>>;
  /** Directories that are not recorded any more, because it failed or took too long. */
  left: Set<string>;
  hasTurns: boolean;
}

/** Records a turn from before its first call that may write. Gives up where that fails or takes too long, and says so. */
async function recordWrites(input: BuiltinInput, context: BuiltinContext): Promise<HookOutput | undefined> {
  const { session_id, cwd, hook_event_name: event, tool_name = "" } = input;
  const recorded = context.memory<Recorded>(() => ({ turns: new Map(), left: new Set(), hasTurns: false }));
  const { turns, left } = recorded;
  let problem: string | undefined;
  const recordInTime = async (action: Action): Promise<Outcome> => {
    const limit = AbortSignal.timeout(PATIENCE_MS);
    const outcome = await record(input, context, action, AbortSignal.any([context.signal, limit]));
    if (outcome === "failed" && !context.signal.aborted) {
      left.add(cwd);
      problem = limit.aborted
        ? `took longer than ${PATIENCE_MS / 1000} s; --snapshot records them however long that takes, --no-snapshot does not try`
        : "failed; --debug says why";
    }
    return outcome;
  };
  if (event === "pre_tool_use") {
    const mayWrite = input.tool_read_only !== true || DELEGATING.includes(tool_name);
    if (!mayWrite || left.has(cwd)) return undefined;
    const begun = turns.get(session_id) ?? recordInTime((shadow) => beginTurn(shadow, session_id));
    turns.set(session_id, begun);
    await begun;
  } else if (event === "turn_end") {
    const begun = await turns.get(session_id);
    turns.delete(session_id);
    if (begun !== "done") return undefined;
    recorded.hasTurns = true;
    await recordInTime((shadow) => endTurn(shadow, session_id));
  } else if (event === "session_end" && recorded.hasTurns) {
    recorded.hasTurns = false;
    await record(input, context, collectGarbage, AbortSignal.any([context.signal, AbortSignal.timeout(PATIENCE_MS)]));
  }
  if (problem === undefined) return undefined;
  return {
    system_message: `what tools change in ${escapeControls(cwd)} cannot be undone from here on: recording its files ${problem}`,
  };
}
