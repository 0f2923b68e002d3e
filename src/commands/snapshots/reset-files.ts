import { isatty } from "node:tty";
import { print, printError } from "../../cli/print.ts";
import { countFiles, renderUndo } from "../../cli/snapshots-text.ts";
import { EXIT_CODES, UsageError, UserError } from "../../lib/errors.ts";
import { type CheckpointSummary, resetTo, type SnapshotOptions, type UndoResult } from "../../snapshot/controller.ts";
import { YES_OR_NO } from "../../terminal/front-end/terminal.ts";
import { NOTHING_RECORDED } from "./snapshot-session.ts";

/**
 * Returns the index of the snapshot that `--to` or `show` names, from 0. Throws a `UsageError` if it is not a number.
 */
export function parseCheckpointNumber(text: string): number {
  if (text === "original") return 0;
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new UsageError(`${JSON.stringify(text)} is not the number of a snapshot`);
}

/** Returns the snapshot at an index. Throws a `UserError` if there is none. */
export function requireCheckpoint(
  checkpoints: readonly CheckpointSummary[],
  index: number,
  sessionId: string,
): CheckpointSummary {
  const checkpoint = checkpoints[index];
  if (checkpoint) return checkpoint;
  if (checkpoints.length === 0)
    throw new UserError(`session ${sessionId} has no snapshots here`, { help: NOTHING_RECORDED });
  throw new UserError(`no snapshot ${index}: choose 0 to ${checkpoints.length - 1}`);
}

export interface ResetOptions {
  dryRun: boolean;
  /** Do not ask. */
  yes: boolean;
  signal: AbortSignal;
}

/**
 * Resets files to their state before a snapshot, after asking for confirmation. Returns undefined if the user says no.
 * Throws a `UserError` if the snapshot does not exist, a `UsageError` if there is no terminal to ask on.
 */
export async function resetFiles(
  options: SnapshotOptions,
  checkpoints: readonly CheckpointSummary[],
  index: number,
  manner: ResetOptions,
): Promise<UndoResult | undefined> {
  requireCheckpoint(checkpoints, index, options.sessionId);
  const { dryRun, yes } = manner;
  if (!dryRun && !yes && !(await isConfirmed(checkpoints.slice(index), manner))) return undefined;
  return resetTo({ ...options, dryRun }, index);
}

async function isConfirmed(reverted: readonly CheckpointSummary[], { signal }: ResetOptions): Promise<boolean> {
  if (!isatty(0) || !isatty(1)) throw new UsageError("a reset without a terminal needs --yes");
  const files = new Set(reverted.flatMap((checkpoint) => checkpoint.files));
  const { PlainTerminal } = await import("../../terminal/plain/plain-terminal.ts");
  const terminal = new PlainTerminal({ hideToolCalls: false, hideToolResults: false });
  try {
    const question = `Reset ${countFiles(files.size)} to the earlier state? `;
    return (await terminal.askKey(question, YES_OR_NO, signal)) === "y";
  } finally {
    await terminal.close();
  }
}

/** Prints the result of an undo; problems go to standard error. Returns the exit code. */
export async function printUndo(result: UndoResult, dryRun: boolean): Promise<number> {
  if (!result.ok && result.problems.length === 0) throw new UserError("nothing to undo");
  if (result.changes.length > 0) await print(renderUndo({ ...result, problems: [] }, dryRun));
  for (const problem of result.problems) printError(`not done: ${problem}`);
  return result.ok ? EXIT_CODES.ok : EXIT_CODES.failed;
}
