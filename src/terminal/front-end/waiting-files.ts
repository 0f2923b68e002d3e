import { escapeControls } from "../../lib/text/escape-controls.ts";
import type { AttachedFile, SentMessage } from "../../runtime/session/attached-file.ts";
import type { Conversation } from "./prompt-session.ts";

/** Returns the files that wait to be sent: those of `--attach`, and those of queued messages. */
export function waitingFiles({ firstFiles, runtime: { queues } }: Conversation): AttachedFile[] {
  return [...firstFiles, ...[...queues.steering, ...queues.followUps].flatMap(({ files }) => files)];
}

/** Removes the waiting files for which `isDropped` is true. Queued messages keep their texts. */
export function dropWaitingFiles(
  { firstFiles, runtime: { queues } }: Conversation,
  isDropped: (file: AttachedFile) => boolean,
): void {
  const kept = (files: readonly AttachedFile[]) => files.filter((file) => !isDropped(file));
  firstFiles.splice(0, firstFiles.length, ...kept(firstFiles));
  for (const queue of [queues.steering, queues.followUps])
    queue.splice(0, queue.length, ...queue.map((message): SentMessage => ({ ...message, files: kept(message.files) })));
}

/** Shows the waiting files, or says that none wait. */
export function showWaitingFiles(conversation: Conversation): void {
  const rows = waitingFiles(conversation).map(({ name, description }) => escapeControls(`  ${name}: ${description}`));
  conversation.terminal.note(
    rows.length > 0 ? ["Files that wait to be sent with a message:", ...rows].join("\n") : "No file waits to be sent",
  );
}
