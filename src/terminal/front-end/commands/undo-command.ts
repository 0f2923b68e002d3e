import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { changeOf, renderCheckpoints, renderUndo, timeOf } from "../../../cli/snapshots-text.ts";
import { processEnv } from "../../../lib/env.ts";
import { escapeControls } from "../../../lib/text/escape-controls.ts";
import { type CheckpointSummary, listCheckpoints, resetTo, undoLast } from "../../../snapshot/controller.ts";
import type { Conversation } from "../prompt-session.ts";

/** Returns why nothing can be undone in this run; undefined if something may be. */
export function whyNoUndo({ hasSnapshots, current: { session } }: Conversation): string | undefined {
  if (!hasSnapshots) return "nothing records what tools change: --no-snapshot or settings.snapshot turns it off";
  return isInRepository(session.workingDir)
    ? undefined
    : "what tools change is recorded in git repositories only, and this folder is in none";
}

function isInRepository(folder: string): boolean {
  if (existsSync(join(folder, ".git"))) return true;
  return dirname(folder) !== folder && isInRepository(dirname(folder));
}

/** `/undo`: restores the files that the agent changed last. */
export async function undo(conversation: Conversation): Promise<void> {
  conversation.terminal.note(renderUndo(await undoLast(snapshotsOf(conversation))));
}

/** `/snapshots`: lets the user choose a snapshot, and restores the state before it. */
export async function resetSnapshots(conversation: Conversation): Promise<void> {
  const { terminal } = conversation;
  const options = snapshotsOf(conversation);
  const { checkpoints, problems } = await listCheckpoints(options);
  if (checkpoints.length === 0 || problems.length > 0) return terminal.note(renderCheckpoints(checkpoints, problems));
  const choices = checkpoints.toReversed().map((each) => ({
    value: each.index,
    label: timeOf(each),
    description: describe(each, options.cwd),
  }));
  const chosen = await terminal.choose("Restore the state at", choices, options.signal);
  if (chosen !== undefined) terminal.note(renderUndo(await resetTo(options, chosen)));
}

function describe(checkpoint: CheckpointSummary, directory: string): string {
  const files = checkpoint.files.map((file) => relative(directory, file)).join(", ");
  return escapeControls(`${checkpoint.index === 0 ? "original, " : ""}${changeOf(checkpoint)}: ${files}`);
}

/** The snapshots of the session, as functions that read or undo them take it; Escape cancels them. */
export function snapshotsOf({ current: { session }, directories, control }: Conversation) {
  const { id: sessionId, workingDir: cwd } = session;
  return { dataDir: directories.data, cwd, env: processEnv(), sessionId, signal: control.beginStream() };
}
