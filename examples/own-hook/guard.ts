// The default export is the hook. It is called with the event, the `args` from the configuration, and a context:
// `context.env`, `context.log("warn", "...")`. It returns what a shell hook would print as JSON. Returning nothing means no
// objection. A thrown error is a failure, and a failed pre_tool_use hook blocks the call.
//
// "hooksh/hook" need not be installed: it has types for the editor and a few helpers. No state is kept between calls;
// to remember something, write it to a file.
import { BLOCK, type Builtin } from "hooksh/hook";
import { matchesAny } from "./patterns.ts";

const guard: Builtin = (input, patterns) => {
  const path = input.tool_input?.["path"];
  // This hook cannot judge a call without a path: better to block it than to let it through.
  if (typeof path !== "string") throw new Error(`${input.tool_name} came without a path`);
  if (!matchesAny(path, patterns)) return undefined;
  return { decision: BLOCK, reason: `${path} is frozen in this project: leave it as it is` };
};

export default guard;
