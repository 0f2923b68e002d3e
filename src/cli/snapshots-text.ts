import { relative } from "node:path";
import { escapeControls } from "../lib/text/escape-controls.ts";
import type { CheckpointSummary, UndoResult } from "../snapshot/controller.ts";

const WORDS = { turn: "turn", tool: "tool call" } as const;

/** Formats snapshots as lines: number, time, number of files. Snapshot 0 is the original state. */
export function renderCheckpoints(checkpoints: readonly CheckpointSummary[], problems: readonly string[]): string {
  if (problems.length > 0) return problems.map(escapeControls).join("\n");
  if (checkpoints.length === 0) return "No snapshots in this session";
  return checkpoints
    .map((each) => {
      const original = each.index === 0 ? " (original)" : "";
      return `${String(each.index).padStart(3)}  ${timeOf(each)}  ${changeOf(each)}${original}`;
    })
    .join("\n");
}

/** Returns when a snapshot was recorded, to the second. */
export function timeOf({ at }: CheckpointSummary): string {
  return `${at.slice(0, 19).replace("T", " ")} UTC`;
}

/** Returns what changed after a snapshot: `before a turn that changed 1 file`. */
export function changeOf({ by, files }: CheckpointSummary): string {
  return `before a ${WORDS[by]} that changed ${countFiles(files.length)}`;
}

/** Formats one snapshot with its files, relative to a directory. */
export function renderCheckpoint({ index, at, by, files }: CheckpointSummary, directory: string): string {
  const head = `${index}: ${countFiles(files.length)} changed by a ${WORDS[by]}, recorded ${at}`;
  return [head, ...files.map((file) => `  ${escapeControls(relative(directory, file))}`)].join("\n");
}

/** Formats the result of an undo, or of a dry run. */
export function renderUndo({ ok, changes, problems }: UndoResult, isDryRun = false): string {
  if (!ok && problems.length === 0) return "Nothing to undo";
  const verbs = isDryRun
    ? { restore: "would restore", delete: "would delete" }
    : ok
      ? { restore: "restored", delete: "deleted" }
      : { restore: "to restore", delete: "to delete" };
  return [
    ...changes.map(({ path, action }) => `${verbs[action]} ${escapeControls(path)}`),
    ...problems.map((problem) => `not done: ${escapeControls(problem)}`),
  ].join("\n");
}

/** Returns `1 file`, `2 files`. */
export function countFiles(files: number): string {
  return `${files} ${files === 1 ? "file" : "files"}`;
}
