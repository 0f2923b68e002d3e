// The default export is the hook. It is called with the event, the `args` of its configuration, and what surrounds it:
// `context.env`, `context.log("warn", "...")`. What it returns is what a shell hook would print as JSON; nothing returned
// means no objection, a thrown error is a failure, and a failure of a pre_tool_use hook blocks the call.
//
// "hooksh/hook" is there without being installed: types for the editor, and a few helpers. Every call starts from scratch, so
// nothing is left over from the call before; to remember something, write it to a file.
import { BLOCK, type Builtin } from "hooksh/hook";
import { matchesAny } from "./patterns.ts";

const guard: Builtin = (input, patterns) => {
  const path = input.tool_input?.["path"];
  // A call that names no path is nothing this hook can judge: better to stop it than to let it through.
  if (typeof path !== "string") throw new Error(`${input.tool_name} came without a path`);
  if (!matchesAny(path, patterns)) return undefined;
  return { decision: BLOCK, reason: `${path} is frozen in this project: leave it as it is` };
};

export default guard;
