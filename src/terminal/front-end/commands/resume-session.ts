import { stripVTControlCharacters } from "node:util";
import { UserError } from "../../../lib/errors.ts";
import { counted } from "../../../lib/text/counted.ts";
import { escapeControls, escapeControlsInLines } from "../../../lib/text/escape-controls.ts";
import { outlineOf } from "../../../runtime/session/attached-file.ts";
import { lastAssistantText, lastQuestion, type Session } from "../../../runtime/session/session.ts";
import { foldedText } from "../folded-text.ts";
import { type Conversation, replaceSession } from "../prompt-session.ts";
import type { Choice, Screen } from "../terminal.ts";

const LISTED = 50;

/** `/resume [ID]`: ends this session, and continues a stored one. */
export async function resumeSession(conversation: Conversation, typed: string): Promise<void> {
  const { stored, terminal, control, current } = conversation;
  const choices = sessionChoices(conversation);
  if (typed === "" && choices.length === 0) throw new UserError("no other session is stored");
  const id = typed || (await terminal.choose("Resume a session", choices, control.runSignal));
  if (id === undefined) return;
  const session = stored.load(id);
  if (!session) throw new UserError(`no stored session ${JSON.stringify(id)}; /sessions lists them`);
  askAgain(session, current.session.safetyMode);
  if (session.workingDir !== current.session.workingDir)
    terminal.note(`(tools work in ${escapeControls(session.workingDir)}, where this session ran)`);
  const { agentFile } = current.session;
  if (agentFile !== undefined && session.agentFile !== undefined && session.agentFile !== agentFile)
    terminal.note(
      `(this session ran with the agent file ${escapeControls(session.agentFile)}; it goes on with ${escapeControls(agentFile)})`,
    );
  if (agentFile !== undefined) session.agentFile = agentFile;
  await replaceSession(conversation, session);
  showLastExchange(terminal, session);
}

/** Returns the stored sessions, newest first, without the current one. */
export function sessionChoices({ stored, current }: Conversation): Choice<string>[] {
  return stored
    .list(LISTED)
    .filter(({ id }) => id !== current.session.id)
    .map((stored) => ({
      value: stored.id,
      label: escapeControls(stored.title || stored.id),
      description: ageAndLength(stored),
    }));
}

/** `2026-05-01 12:30 · 4 messages` */
export function ageAndLength({ created_at, messages }: { created_at: string; messages: number }): string {
  return `${created_at.slice(0, 16).replace("T", " ")} · ${counted(messages, "message")}`;
}

/**
 * Makes a session that ran in autonomous mode ask again, unless this run does not ask either: an earlier --yolo holds
 * for the run it was given to. Returns true if the mode has changed.
 */
export function askAgain(session: Session, safetyMode: string | undefined): boolean {
  if (session.safetyMode !== "autonomous" || safetyMode === "autonomous") return false;
  delete session.safetyMode;
  if (safetyMode !== undefined) session.safetyMode = safetyMode;
  return true;
}

/** Rows of the last answer that are shown again. */
const SHOWN_ROWS = 12;

/** Shows a resumed session's title, the user's last message and the start of the last answer. */
export function showLastExchange(screen: Screen, session: Session): void {
  const { theme } = screen;
  const clean = (text: string) => escapeControlsInLines(stripVTControlCharacters(text)).trim();
  const title = `Resumed: ${escapeControls(session.title || session.id)}`;
  const asked = lastQuestion(session);
  const question = asked ? foldedText(clean(outlineOf(asked))) : "";
  const rows = clean(lastAssistantText(session)).split("\n");
  const more = rows.length > SHOWN_ROWS ? [`… ${rows.length - SHOWN_ROWS} more lines`] : [];
  screen.note(
    [
      theme.style("bold", title),
      ...(question ? [theme.style("userMessage", `> ${question.replaceAll("\n", "\n  ")}`)] : []),
      ...rows.slice(0, SHOWN_ROWS),
      ...more.map((row) => theme.style("dim", row)),
    ].join("\n"),
  );
}
