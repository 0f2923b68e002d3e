/**
 * Records and restores the files of a directory. It knows no agent.
 *
 * @packageDocumentation
 */
import { errorText } from "../lib/errors.ts";
import { absolutePath } from "./files.ts";
import { allHistories, loadHistory, saveHistory } from "./history.ts";
import { withShadow } from "./open.ts";
import { changesOf, planRestore, type Restored, restore } from "./restore.ts";
import type { Shadow } from "./shadow.ts";
import type { FileChange, Place } from "./worktree.ts";

/** The session whose checkpoints are listed or undone, and its worktree. */
export interface SnapshotOptions extends Place {
  sessionId: string;
}

/** A checkpoint as callers may show it. */
export interface CheckpointSummary {
  /** 0 is the oldest. `resetTo` with this number undoes it and everything after it. */
  index: number;
  /** Whether a turn or one tool call made the changes. */
  by: "turn" | "tool";
  /** When the change began, ISO 8601: every message of before is older. */
  since: string;
  /** When it was recorded, ISO 8601. */
  at: string;
  /** The absolute paths of the files that changed. */
  files: string[];
}

/** The result of an undo. */
export interface UndoResult {
  /** The number of distinct files concerned. */
  files: number;
  /** True if there was something to undo and, except in a dry run, every file was restored. */
  ok: boolean;
  /** Error messages, one line each. Empty with `ok` false means that there was nothing to undo. */
  problems: string[];
  /** Each file and the change to it. */
  changes: FileChange[];
}

/** Lists the checkpoints of a session, oldest first. Never throws. */
export async function listCheckpoints(
  options: SnapshotOptions,
): Promise<{ checkpoints: CheckpointSummary[]; problems: string[] }> {
  const list = async (shadow: Shadow) => {
    const { root } = shadow.worktree;
    return loadHistory(shadow, options.sessionId).checkpoints.map(({ by, at, since = at, files }, index) => ({
      index,
      by,
      since,
      at,
      files: files.map((path) => absolutePath(root, path)),
    }));
  };
  try {
    return { checkpoints: (await withShadow(options, list, "skip")) ?? [], problems: [] };
  } catch (error) {
    return { checkpoints: [], problems: [errorText(error)] };
  }
}

/**
 * Undoes the newest checkpoint: its files get their content from before it, and files that did not exist then are
 * deleted. The checkpoint is dropped once every file is restored. If an earlier undo was interrupted, completes that
 * one instead. With `dryRun` nothing changes. Never throws.
 */
export async function undoLast(options: SnapshotOptions & { dryRun?: boolean }): Promise<UndoResult> {
  return revert(options, (count) => count - 1, "once");
}

/**
 * Undoes every checkpoint from number `keep` on, so that the files are as they were before it; 0 is the original state.
 * A negative number counts as 0. Never throws.
 */
export async function resetTo(options: SnapshotOptions & { dryRun?: boolean }, keep: number): Promise<UndoResult> {
  return revert(options, () => Math.max(0, keep), "again");
}

/**
 * Gives the checkpoints of a session to another one that continues it, so that they can be undone there too. Never
 * throws; returns the problems.
 */
export async function inheritCheckpoints(options: SnapshotOptions, heir: string): Promise<string[]> {
  const inherit = async (shadow: Shadow) => {
    const { checkpoints } = loadHistory(shadow, options.sessionId);
    if (checkpoints.length > 0) saveHistory(shadow, { ...loadHistory(shadow, heir), checkpoints });
  };
  try {
    await withShadow(options, inherit, "skip");
    return [];
  } catch (error) {
    return [errorText(error)];
  }
}

/** The id of the session whose checkpoints in this worktree changed last; undefined without any. */
export async function latestSession(options: Place): Promise<string | undefined> {
  const latest = async (shadow: Shadow) => {
    return allHistories(shadow).find(({ checkpoints }) => checkpoints.length > 0)?.session_id;
  };
  try {
    return await withShadow(options, latest, "skip");
  } catch {
    return undefined; // undo and list meet the same error and report it
  }
}

async function revert(
  options: SnapshotOptions & { dryRun?: boolean },
  choose: (count: number) => number,
  afterCut: "once" | "again",
): Promise<UndoResult> {
  const nothing: UndoResult = { files: 0, ok: false, problems: [], changes: [] };
  const act = async (shadow: Shadow, completed: Restored | undefined): Promise<UndoResult> => {
    if (afterCut === "once" && completed?.sessionId === options.sessionId) return resultOf(completed);
    const history = loadHistory(shadow, options.sessionId);
    const keep = choose(history.checkpoints.length);
    const reverted = keep < 0 ? [] : history.checkpoints.slice(keep);
    if (reverted.length === 0) return nothing;
    const plan = await planRestore(shadow, reverted);
    if (options.dryRun) return resultOf({ changes: changesOf(plan), problems: [] });
    return resultOf(await restore(shadow, history, keep, plan));
  };
  try {
    return (await withShadow(options, act, "skip")) ?? nothing;
  } catch (error) {
    return { ...nothing, problems: [errorText(error)] };
  }
}

function resultOf({ changes, problems }: Pick<Restored, "changes" | "problems">): UndoResult {
  return { files: changes.length, ok: problems.length === 0, problems, changes };
}
