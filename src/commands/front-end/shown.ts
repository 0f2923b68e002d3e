import type { Shown } from "../../runtime/session/slash-commands.ts";

/** What the user is told of a message that was not sent. */
export function shownText(message: Shown): string {
  return message.kind === "url" ? message.url : `(${message.agent} answers from now on)`;
}
