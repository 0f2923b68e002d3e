// Blocks a git push that could rewrite what others have pulled, however the command line is spelled. It may block too much,
// such as a commit message with the same words. It does not see aliases in git's own configuration.
import { BLOCK, type Builtin, mayRun } from "hooksh/hook";

/** Options with an f (-f, -uf, --force, --force-with-lease, but also --follow-tags), --mirror, and the refspec +branch. */
const FORCED = ["git *push* -*f*", "git *push*--mirror*", "git *push* +*"];

const guard: Builtin = (input) => {
  const line = input.tool_input?.["cmd"];
  if (typeof line !== "string") throw new Error("no command line to judge");
  if (!mayRun(line, FORCED)) return undefined;
  return { decision: BLOCK, reason: "A force push rewrites what others have pulled: push to a new branch" };
};

export default guard;
