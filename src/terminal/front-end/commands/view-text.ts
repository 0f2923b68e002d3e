import { UserError } from "../../../lib/errors.ts";
import { escapeControls } from "../../../lib/text/escape-controls.ts";
import { resultOf, textOf, toolCallsOf } from "../../../model/messages/message.ts";
import type { Session } from "../../../runtime/session/session.ts";
import { callText } from "../../run-text.ts";
import type { Conversation } from "../prompt-session.ts";
import type { Choice } from "../terminal.ts";

/** How many results and answers `/view` offers, and how much of a call their title says. */
const OFFERED = 100;
const TITLE = 60;

/** A tool result or an answer. The title is escaped, the text is not. */
interface Viewable {
  title: string;
  text: string;
}

/** `/view [NUMBER]`: shows the last tool result or answer in the whole window, or an earlier one. */
export async function viewText({ current, terminal, control }: Conversation, typed: string): Promise<void> {
  const texts = viewables(current.session);
  if (texts.length === 0) throw new UserError("there is no tool result or answer to view yet");
  const found = typed === "" ? texts[0] : /^\d{1,3}$/.test(typed) ? texts[Number(typed) - 1] : undefined;
  if (!found)
    throw new UserError(`there is no ${JSON.stringify(typed)} to view: 1 is the last, ${texts.length} the first`);
  if (!terminal.page) return terminal.note("(no window to view it in: this terminal shows lines)");
  await terminal.page(found.title, found.text, control.runSignal);
}

export function viewChoices({ current }: Conversation): Choice<string>[] {
  return viewables(current.session).map(({ title, text }, index) => ({
    value: String(index + 1),
    label: `${index + 1}`,
    description: `${title} · ${text.length} characters`,
  }));
}

/** The tool results and answers of a session, newest first. */
function viewables({ items }: Session): Viewable[] {
  const messages = items
    .flatMap((item) => (item.kind === "message" && !item.withheld ? [item] : []))
    .slice(-2 * OFFERED);
  const calls = new Map(
    messages.flatMap(({ message }) => toolCallsOf(message).map((call) => [call.id, call] as const)),
  );
  const found = messages.flatMap(({ agent, message }): Viewable[] => {
    if (message.role !== "assistant" && message.role !== "tool") return [];
    const text = textOf(message);
    const call = calls.get(resultOf(message)?.callId ?? "");
    const title = call
      ? callText(call, TITLE)
      : escapeControls(message.role === "tool" ? "a tool result" : `answer of ${agent}`);
    return text.trim() === "" ? [] : [{ title, text }];
  });
  return found.toReversed().slice(0, OFFERED);
}
