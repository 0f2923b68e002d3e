import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { errorText, UserError } from "../../../lib/errors.ts";
import { escapeControls } from "../../../lib/text/escape-controls.ts";
import { lastAssistantText } from "../../../runtime/session/session.ts";
import { documentOf } from "../../../runtime/store/session-document.ts";
import { renderTranscript } from "../../sessions-text.ts";
import type { Conversation } from "../prompt-session.ts";

/** `/copy`: copies the last answer to the clipboard. */
export function copyAnswer({ current, terminal }: Conversation): void {
  const text = lastAssistantText(current.session);
  if (text === "") throw new UserError("there is no answer to copy yet");
  terminal.note(terminal.copy?.(text) ? "(the last answer is in the clipboard)" : "(this terminal has no clipboard)");
}

/** `/export [FILE]`: writes the session to a file that does not exist yet: as JSON for `.json`, else as text. */
export function exportSession({ current: { session }, terminal }: Conversation, typed: string): void {
  const file = resolve(session.workingDir, typed || `hooksh-${session.id}.md`);
  const document = documentOf(session);
  const text = file.endsWith(".json") ? JSON.stringify(document, null, 2) : renderTranscript(document);
  try {
    writeFileSync(file, `${text}\n`, { flag: "wx", mode: 0o600 });
  } catch (error) {
    throw new UserError(`${file}: not written: ${errorText(error)}`);
  }
  terminal.note(`(written to ${escapeControls(file)})`);
}
