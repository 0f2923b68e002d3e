// A command line that pushes, or rewrites what was pushed, must be exactly `git push [-u] origin BRANCH`. `args` name the
// protected branches.
import { BLOCK, type Builtin, mayRun, runsOnly } from "hooksh/hook";

/** Commands that push, rewrite published history, or hide that in a configuration or an alias. */
const PUSHES = [
  "git*-push*",
  "git push*",
  "git -* push*",
  "git*send-pack*",
  "git *subtree*push*",
  "git *svn*dcommit*",
  "git *p4*submit*",
  "git_config*",
  "git *alias.*",
  "git *config*remote.*",
  "git *config*url.*",
  "git *config*hookspath*",
  "git *remote* add*",
  "git *remote* set-url*",
  "git *filter-branch*",
  "git *filter-repo*",
  "git *update-ref*",
  "git * --no-v*",
  "hg push*",
  "jj * push*",
  "gh api*",
  "glab api*",
  "gh *merge*",
  "gh *sync*",
  "hub *",
  "*api.github.com*",
];
const PLAIN = ["git push origin *", "git push -u origin *", "git push --set-upstream origin *"];
/** Options and refspecs that a plain push has not. */
const OTHER = [
  "git push * -[!u-]*",
  "git push * --[!s]*",
  "git push *:*",
  "git push *+*",
  "git push * * * *",
  "git push origin * *",
  // They name no branch, or several.
  "git push * head*",
  "git push * @*",
  "git push * *@{*",
  "git push * *[*]*",
  "git push * tag",
];

const guard: Builtin = (input, kept) => {
  const line = input.tool_input?.["cmd"];
  if (typeof line !== "string") throw new Error("no command line to judge");
  if (!mayRun(line, PUSHES)) return undefined;
  const refused = [
    ...OTHER,
    ...kept.flatMap((name) => [`git push * ${name}`, `git push * refs/heads/${name}`, `git push * heads/${name}`]),
  ];
  if (runsOnly(line, PLAIN) && !mayRun(line, refused)) return undefined;
  return {
    decision: BLOCK,
    reason: `push with git push origin BRANCH, alone on the line; protected: ${kept.join(", ")}`,
  };
};

export default guard;
