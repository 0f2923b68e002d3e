// Blocks a git push that could rewrite or delete what others have pulled, however the command line is spelled. It may block
// too much, such as a commit message with the same words. It does not see aliases and refspecs that are already in git's
// configuration, and other programs that push.
import { BLOCK, type Builtin, mayRun } from "hooksh/hook";

/** Groups of short options before an f or a d. */
const LETTERS = ["", "[a-z0-9]", "[a-z0-9][a-z0-9]", "[a-z0-9][a-z0-9][a-z0-9]"];
/** -f, -uf, --force, --force-with-lease (and --follow-tags), -d, --delete, --mirror, --prune; git takes abbreviations. */
const OPTIONS = [
  ...LETTERS.flatMap((group) => [`git*push* -${group}f*`, `git*push* -${group}d*`]),
  ...["--f", "--de", "--m", "--pru"].map((option) => `git*push* ${option}*`),
];
/** Refspecs that force (+branch) or delete (:branch), on the line or in a configuration. */
const REFSPECS = ["git*push* +*", "git*push* :*", "git *remote.*", "git_config*"];
/** What `git push` runs. */
const PLUMBING = ["git*send-pack*", "git*http-push*"];
const FORCED = [...OPTIONS, ...REFSPECS, ...PLUMBING];

const guard: Builtin = (input) => {
  const line = input.tool_input?.["cmd"];
  if (typeof line !== "string") throw new Error("no command line to judge");
  if (!mayRun(line, FORCED)) return undefined;
  return { decision: BLOCK, reason: "A force push rewrites what others have pulled: push to a new branch" };
};

export default guard;
