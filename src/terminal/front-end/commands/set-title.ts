import { UserError } from "../../../lib/errors.ts";
import { escapeControls } from "../../../lib/text/escape-controls.ts";
import { titleOf } from "../../../runtime/session/session.ts";
import type { Conversation } from "../prompt-session.ts";

/** `/title [TEXT]`: shows the title of the session, or gives it another one. */
export function setTitle({ runtime, current: { session }, terminal }: Conversation, typed: string): void {
  if (typed === "") return terminal.note(`Title: ${escapeControls(session.title || "none yet: the first message")}`);
  const title = titleOf(typed);
  if (title === "") throw new UserError("/title: the text has no visible character");
  session.title = title;
  if (session.items.length > 0) runtime.journal?.update(session);
  terminal.note(`(title: ${escapeControls(title)})`);
}
