import { renderCheckpoints, renderUndo } from "../../../cli/snapshots-text.ts";
import { processEnv } from "../../../lib/env.ts";
import { listCheckpoints, resetTo, undoLast } from "../../../snapshot/controller.ts";
import type { Conversation } from "../prompt-session.ts";

/** `/undo`: restores the files that the agent changed last. */
export async function undo(conversation: Conversation): Promise<void> {
  conversation.terminal.note(renderUndo(await undoLast(optionsOf(conversation))));
}

/** `/snapshots`: lists the snapshots and resets to the one the user chooses. */
export async function resetSnapshots(conversation: Conversation): Promise<void> {
  const { terminal } = conversation;
  const options = optionsOf(conversation);
  const { checkpoints, problems } = await listCheckpoints(options);
  terminal.note(renderCheckpoints(checkpoints, problems));
  if (checkpoints.length === 0) return;
  const line =
    (await terminal.askLine("Restore the state before number (Enter: none): ", options.signal))?.trim() ?? "";
  if (line === "") return;
  if (!/^\d{1,6}$/.test(line) || Number(line) >= checkpoints.length) {
    return terminal.note(`There is no snapshot ${JSON.stringify(line)}`);
  }
  terminal.note(renderUndo(await resetTo(options, Number(line))));
}

function optionsOf({ current: { session }, directories, control }: Conversation) {
  const { id: sessionId, workingDir: cwd } = session;
  return { dataDir: directories.data, cwd, env: processEnv(), sessionId, signal: control.beginStream() };
}
