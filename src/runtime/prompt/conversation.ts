import { memoize } from "../../lib/once.ts";
import { isSystem, type Message, textMessage } from "../../model/messages/message.ts";
import type { MessageItem, Session, SummaryItem } from "../session/session.ts";
import { truncateToolResult } from "./clean-up.ts";

/** The start of a summary's text in a request. */
export const SUMMARY_PREFIX = "Session Summary: ";

/** A message of the record that is still sent, and the index of its item. */
export interface SentMessage {
  readonly itemIndex: number;
  readonly message: Message;
  /** Written by the runtime, not by the user or a model. */
  readonly implicit: boolean;
}

/** The parts of the record that are still sent. */
export interface SentParts {
  /** System messages of the part that a summary replaced. */
  readonly instructions: readonly Message[];
  readonly summary: Message | undefined;
  /** The messages that the summary did not replace, and all later ones. */
  readonly sent: readonly SentMessage[];
}

/** Returns the parts of a session's record that are still sent, up to an item. */
export function sentPartsOf(session: Session, end = session.items.length): SentParts {
  const summary = session.items.findLast((item) => item.kind === "summary");
  const { firstKept = 0, kept = [] } = summary ?? {};
  const instructions: Message[] = [];
  const sent: SentMessage[] = [];
  for (let itemIndex = 0; itemIndex < end; itemIndex++) {
    const item = session.items[itemIndex];
    if (item?.kind !== "message" || item.withheld) continue;
    if (itemIndex >= firstKept || kept.includes(itemIndex)) {
      sent.push({
        itemIndex,
        message: item.cutTo === undefined ? item.message : cutMessage(item),
        implicit: item.implicit ?? false,
      });
    } else if (isSystem(item.message)) {
      instructions.push(item.message);
    }
  }
  return { instructions, summary: summary && summaryMessage(summary), sent };
}

/** Returns the part of the record that is still sent, up to an item, as one conversation. */
export function conversationOf(session: Session, end?: number): Message[] {
  const { instructions, summary, sent } = sentPartsOf(session, end);
  return [...instructions, ...(summary ? [summary] : []), ...sent.map(({ message }) => message)];
}

export const summaryMessage = memoize(({ text }: SummaryItem): Message => textMessage("user", SUMMARY_PREFIX + text));

const cutMessage = memoize(({ message, cutTo = 0 }: MessageItem): Message => truncateToolResult(message, cutTo));
