import { relative } from "node:path";
import { changeOf, renderCheckpoints, renderUndo, timeOf } from "../../../cli/snapshots-text.ts";
import { processEnv } from "../../../lib/env.ts";
import { escapeControls } from "../../../lib/text/escape-controls.ts";
import { type CheckpointSummary, listCheckpoints, resetTo, undoLast } from "../../../snapshot/controller.ts";
import type { Conversation } from "../prompt-session.ts";

/** `/undo`: restores the files that the agent changed last. */
export async function undo(conversation: Conversation): Promise<void> {
  conversation.terminal.note(renderUndo(await undoLast(optionsOf(conversation))));
}

/** `/snapshots`: lets the user choose a snapshot, and restores the state before it. */
export async function resetSnapshots(conversation: Conversation): Promise<void> {
  const { terminal } = conversation;
  const options = optionsOf(conversation);
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

function optionsOf({ current: { session }, directories, control }: Conversation) {
  const { id: sessionId, workingDir: cwd } = session;
  return { dataDir: directories.data, cwd, env: processEnv(), sessionId, signal: control.beginStream() };
}
