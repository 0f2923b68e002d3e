import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runGit } from "../lib/process/git.ts";
import type { OpenState } from "./history.ts";
import { newWorkName, type Shadow } from "./shadow.ts";
import { type Change, listTree, writeOut } from "./trees.ts";
import { findIgnored } from "./worktree.ts";

/**
 * Removes changes to files that only seem to be new: they existed before and were not recorded, because they were
 * large, unreadable, part of a nested repository, or ignored by rules that have changed since. Undo would delete them
 * for good.
 */
export async function withoutUnseen(shadow: Shadow, open: OpenState, changes: readonly Change[]): Promise<Change[]> {
  const files = new Set(open.unseen.filter((path) => !path.endsWith("/")));
  const directories = open.unseen.filter((path) => path.endsWith("/"));
  const wasThere = (path: string) => files.has(path) || directories.some((directory) => path.startsWith(directory));
  const kept = changes.filter(({ path, before }) => before || !wasThere(path));
  const added = kept.filter(({ before }) => !before).map(({ path }) => path);
  const rulesChanged = open.excludes !== shadow.worktree.excludes || changes.some(({ path }) => isRuleFile(path));
  if (added.length === 0 || !rulesChanged) return kept;
  const ignored = await findIgnoredBefore(shadow, open, added);
  return kept.filter(({ path, before }) => before || !ignored.has(path));
}

function isRuleFile(path: string): boolean {
  return path === ".gitignore" || path.endsWith("/.gitignore");
}

/** Checks paths against the ignore rules of an earlier state, in a repository that holds only these rules. */
async function findIgnoredBefore(shadow: Shadow, open: OpenState, paths: readonly string[]): Promise<Set<string>> {
  const directory = join(shadow.state, newWorkName());
  mkdirSync(directory);
  try {
    await runGit(shadow.git, { args: ["init", "--quiet", "--template=", directory], cwd: directory });
    mkdirSync(join(directory, ".git", "info"), { recursive: true });
    writeFileSync(join(directory, ".git", "info", "exclude"), open.excludes);
    const rules = [...(await listTree(shadow, open.tree)).keys()].filter(isRuleFile);
    await writeOut(shadow, open.tree, rules, directory);
    return await findIgnored(shadow.git, directory, paths);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
