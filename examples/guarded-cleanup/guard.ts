// A guard for the shell tool. It does not search for dangerous commands, because a command can be spelled in a hundred ways.
// It lets through the commands it knows, and nothing else. If the guard fails, the call is blocked.
import { BLOCK, type Builtin, mayRun, runsOnly } from "hooksh/hook";

/** None of these deletes or overwrites a file. `*` matches any text, including spaces. */
const HARMLESS = ["ls", "ls *", "du *", "mkdir -p .trash", "mv -n * .trash/"];
/** Another option could undo -n, or name another target. */
const OPTIONS = ["mv -n -*", "mv -n * -*"];

const guard: Builtin = (input) => {
  const line = input.tool_input?.["cmd"];
  if (typeof line !== "string") throw new Error("no command line to judge");
  // hooksh parses the line as a shell would: every command in it must be harmless, and no redirection may write.
  if (runsOnly(line, HARMLESS) && !mayRun(line, OPTIONS)) return undefined;
  return { decision: BLOCK, reason: "Nothing is deleted in this project: move it to .trash instead, with mv -n" };
};

export default guard;
