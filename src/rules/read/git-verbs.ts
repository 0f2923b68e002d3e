import { once } from "../../lib/once.ts";
import type { Condition, Test } from "../rule.ts";
import { meantName, quoted } from "./reading.ts";

/** The commands of git that people use; others are aliases or rare. */
const GIT_VERBS = once(
  () =>
    new Set(
      (
        "add am annotate apply archive backfill bisect blame branch bugreport bundle cat-file check-attr check-ignore check-mailmap " +
        "check-ref-format checkout checkout-index cherry cherry-pick citool clean clone column commit commit-graph " +
        "commit-tree config count-objects credential credential-cache credential-store daemon describe diagnose diff diff-files " +
        "diff-index diff-tree difftool fast-export fast-import fetch fetch-pack filter-branch filter-repo fmt-merge-msg " +
        "for-each-ref for-each-repo format-patch fsck gc get-tar-commit-id grep gui hash-object help hook http-backend " +
        "http-fetch http-push imap-send index-pack init instaweb interpret-trailers lfs log ls-files ls-remote ls-tree mailinfo " +
        "mailsplit maintenance merge merge-base merge-file merge-index merge-tree mergetool mktag mktree " +
        "multi-pack-index mv name-rev notes p4 pack-objects pack-redundant pack-refs patch-id prune prune-packed " +
        "pull push quiltimport range-diff read-tree rebase receive-pack reflog refs remote repack replace replay request-pull " +
        "rerere reset restore rev-list rev-parse revert rm scalar send-email send-pack shell shortlog show show-branch " +
        "show-index show-ref sparse-checkout stage stash status stripspace submodule subtree svn switch symbolic-ref tag " +
        "unpack-file unpack-objects update-index update-ref update-server-info upload-archive upload-pack var " +
        "verify-commit verify-pack verify-tag version whatchanged worktree write-tree"
      ).split(" "),
    ),
);

/** A warning if a condition names git and a verb that git does not have. */
export function gitVerbNotice(condition: Condition): string | undefined {
  if (condition.kind === "not") return gitVerbNotice(condition.of);
  if (condition.kind === "fact") return undefined;
  for (const part of condition.of) {
    const notice = gitVerbNotice(part);
    if (notice !== undefined) return notice;
  }
  const programs = testOf(condition.of, "program")?.in;
  if (condition.kind === "any" || programs?.length !== 1 || programs[0]?.toLowerCase() !== "git") return undefined;
  const { in: some = [], notIn = [], only = [] } = testOf(condition.of, "verb") ?? {};
  for (const verb of [...some, ...notIn, ...only]) {
    const name = verb.split(" ")[0] ?? "";
    if (/[*?[\\]/.test(verb) || GIT_VERBS().has(name)) continue;
    const meant = meantName(name, [...GIT_VERBS()]);
    return `git has no verb ${quoted(name)}${meant === undefined ? "" : `, did you mean ${quoted(meant)}?`}`;
  }
  return undefined;
}

function testOf(conditions: readonly Condition[], fact: "program" | "verb"): Test | undefined {
  for (const condition of conditions) if (condition.kind === "fact" && condition.fact === fact) return condition.test;
  return undefined;
}
