// Lets a command line run only if every command in it fits a pattern of `args`, and it writes to no file.
import { BLOCK, type Builtin, runsOnly } from "hooksh/hook";

const guard: Builtin = (input, listed) => {
  const line = input.tool_input?.["cmd"];
  if (typeof line !== "string") throw new Error("no command line to judge");
  if (runsOnly(line, listed)) return undefined;
  return { decision: BLOCK, reason: `only these commands run here: ${listed.join(", ")}` };
};

export default guard;
