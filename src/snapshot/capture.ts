import { accessSync, appendFileSync, constants, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { GitError, joinNames, splitNames } from "../lib/process/git.ts";
import { absolutePath, ancestry, lstatOrNothing, pathBelow } from "./files.ts";
import { keepIndex, runInShadow, type Shadow, withIndex } from "./shadow.ts";
import { findIgnored } from "./worktree.ts";

/** A recorded state of the worktree. */
export interface Capture {
  /** The id of its tree object. */
  tree: string;
  /**
   * Paths that exist and were not recorded: large or unreadable files, and nested repositories (with a final slash).
   * They must not be mistaken for new files later.
   */
  unseen: string[];
}

/** Bytes. A larger new file is not recorded. */
const SIZE_LIMIT = 2 * 1024 * 1024;

/** From this number of files on, their contents go into one pack, which is many times faster than one file each. */
const PACK_FROM = 200;

/** Maximum number of failed git calls while searching for files that git cannot stage. */
const FAILURE_LIMIT = 64;

/** Records the files below a path of the worktree. Only reads the user's repository. */
export async function captureState(shadow: Shadow, scope: string): Promise<Capture> {
  try {
    return await captureFrom("current", shadow, scope);
  } catch (error) {
    // A damaged index is built again from the files.
    if (!(error instanceof GitError && /index file|bad signature/.test(error.message))) throw error;
    return await captureFrom("empty", shadow, scope);
  }
}

async function captureFrom(start: "current" | "empty", shadow: Shadow, scope: string): Promise<Capture> {
  return withIndex(shadow, start, async (index) => {
    const env = { GIT_INDEX_FILE: index };
    writeExcludes(shadow);
    const list = async (...args: string[]) => {
      return splitNames(await runInShadow(shadow, { args: [...args, "-z", "--", scope], env }));
    };
    const [changed, untracked] = await Promise.all([
      list("diff-files", "--name-only"),
      list("ls-files", "--others", "--exclude-standard", "--full-name"),
    ]);
    const plan = await planStaging(shadow, changed, untracked);
    if (plan.large.length > 0) appendFileSync(excludePath(shadow), excludeLines(plan.large));
    if (plan.drop.length > 0) {
      const input = joinNames(plan.drop);
      await runInShadow(shadow, { args: ["update-index", "--force-remove", "-z", "--stdin"], env, input });
    }
    const failed = await stage(shadow, index, plan.stage);
    const tree = (await runInShadow(shadow, { args: ["write-tree"], env })).trim();
    keepIndex(shadow, index);
    return { tree, unseen: [...plan.unseen, ...plan.large, ...failed] };
  });
}

interface StagingPlan {
  stage: string[];
  drop: string[];
  large: string[];
  unseen: string[];
}

async function planStaging(
  shadow: Shadow,
  changed: readonly string[],
  untracked: readonly string[],
): Promise<StagingPlan> {
  const { root } = shadow.worktree;
  const above = ancestry(root);
  const own = pathBelow(root, shadow.store);
  const found = untracked.filter((path) => !(own && path.startsWith(own)));
  const ignored = await findIgnored(shadow.git, root, [...changed, ...found]);

  const plan: StagingPlan = { stage: [], drop: [], large: [], unseen: [] };
  for (const path of changed) {
    const kind = ignored.has(path) || above(path) === "link" ? "missing" : kindOf(absolutePath(root, path));
    if (kind === "missing") plan.drop.push(path);
    else if (kind === "unreadable") plan.unseen.push(path);
    else plan.stage.push(path);
  }
  for (const path of found) {
    if (ignored.has(path)) continue;
    // Git lists a nested repository with a final slash, so the directory "above" its name is the repository itself.
    const kind = above(path) === "nested" ? "unreadable" : kindOf(absolutePath(root, path));
    if (kind === "large") plan.large.push(path);
    else if (kind === "unreadable") plan.unseen.push(path);
    else if (kind === "file") plan.stage.push(path);
  }
  return plan;
}

function kindOf(path: string): "missing" | "file" | "large" | "unreadable" {
  const stat = lstatOrNothing(path);
  if (stat?.isSymbolicLink()) return "file";
  if (!stat?.isFile()) return "missing";
  try {
    accessSync(path, constants.R_OK);
  } catch {
    return "unreadable"; // git would abort the whole capture
  }
  return stat.size > SIZE_LIMIT ? "large" : "file";
}

/** Stages files as they are now. Returns those that git cannot stage. */
async function stage(shadow: Shadow, index: string, paths: readonly string[]): Promise<string[]> {
  let failures = 0;
  const attempt = async (some: readonly string[]): Promise<string[]> => {
    if (some.length === 0) return [];
    const pack = some.length >= PACK_FROM ? ["-c", "core.bigFileThreshold=1", "-c", "core.compression=1"] : [];
    const args = [...pack, "update-index", "--add", "--remove", "-z", "--stdin"];
    try {
      await runInShadow(shadow, { args, env: { GIT_INDEX_FILE: index }, input: joinNames(some) });
      return [];
    } catch (error) {
      if (shadow.git.signal?.aborted || ++failures > FAILURE_LIMIT) throw error;
      if (some.length === 1) return [...some];
      const middle = some.length >> 1;
      return [...(await attempt(some.slice(0, middle))), ...(await attempt(some.slice(middle)))];
    }
  };
  return attempt(paths);
}

function excludePath(shadow: Shadow): string {
  return join(shadow.directory, "info", "exclude");
}

/** Writes the user's ignore rules, and one for the store of the shadows in case it is inside the worktree. */
function writeExcludes(shadow: Shadow): void {
  const own = pathBelow(shadow.worktree.root, shadow.store);
  mkdirSync(join(shadow.directory, "info"), { recursive: true });
  writeFileSync(excludePath(shadow), `${shadow.worktree.excludes}\n${own ? excludeLines([own]) : ""}`);
}

/** Exclude rules for paths. A name with a line break cannot be excluded; it is looked at again each time. */
function excludeLines(paths: readonly string[]): string {
  const lines = paths.filter((path) => !path.includes("\n"));
  return lines.map((path) => `/${path.replace(/[\\*?[\] ]/g, "\\$&")}\n`).join("");
}
