import { type Message, textOf, type Usage } from "../../model/messages/message.ts";
import { NO_PERMISSIONS, type Permissions } from "../tool-calls/permissions.ts";

/** One entry of a session's record, in order. Items are replaced, never changed. */
export type SessionItem =
  | {
      readonly kind: "message";
      readonly agent: string;
      readonly message: Message;
      /** Written by the runtime, not by the user or a model. */
      readonly implicit?: true;
      /** A hook blocked it: it stays in the record and is never sent to a model. */
      readonly withheld?: true;
      /** Tokens that its tool result is cut to when it is sent, because all of it did not fit; the record keeps it. */
      readonly cutTo?: number;
    }
  | {
      readonly kind: "summary";
      readonly agent: string;
      readonly text: string;
      /** Index of the first item that is still sent after the summary. */
      readonly firstKept: number;
      /** Indices of items before that one that are sent too: the user's messages that wait for an answer. */
      readonly kept?: readonly number[];
      readonly cost?: number;
      readonly model?: string;
      readonly usage?: Usage;
    }
  | { readonly kind: "subsession"; readonly agent: string; readonly session: Session }
  | { readonly kind: "error"; readonly agent: string; readonly text: string; readonly code?: string };

/** What replaced a part of the conversation. */
export type SummaryItem = Extract<SessionItem, { kind: "summary" }>;

/** A message of a session's record. */
export type MessageItem = Extract<SessionItem, { kind: "message" }>;

/** A conversation, and everything that is stored with it. */
export interface Session {
  readonly id: string;
  readonly parentId?: string;
  /** RFC 3339 */
  readonly createdAt: string;
  title: string;
  workingDir: string;
  items: SessionItem[];
  /** The mode chosen for the session; absent while none was. */
  safetyMode?: string;
  /** What the user granted at prompts. */
  permissions: Permissions;
  /** Iterations its last stream could take before the user was asked; 0 for no bound. */
  maxIterations?: number;
  /** Size of the prompt of the last call, and of its reply. */
  inputTokens: number;
  outputTokens: number;
  /** The provider reported no size: it is estimated. */
  tokensAreEstimated?: true;
  /** US dollars spent on model calls. */
  cost: number;
  /** What `session_start` hooks said; sent with every request. */
  startContext: string;
  /** The agent this session stays with, whatever the current agent is. */
  pinnedAgent?: string;
}

/** What a new session may begin with. */
export interface SessionOptions {
  id?: string;
  parentId?: string;
  title?: string;
  safetyMode?: string;
  permissions?: Permissions;
}

/** A session in which nothing has been said. */
export function createSession(workingDir: string, options: SessionOptions = {}): Session {
  return {
    id: options.id ?? crypto.randomUUID(),
    ...(options.parentId === undefined ? {} : { parentId: options.parentId }),
    createdAt: new Date().toISOString(),
    title: options.title ?? "",
    workingDir,
    items: [],
    ...(options.safetyMode === undefined ? {} : { safetyMode: options.safetyMode }),
    permissions: options.permissions ?? NO_PERMISSIONS,
    inputTokens: 0,
    outputTokens: 0,
    cost: 0,
    startContext: "",
  };
}

/** The session's own messages in order, withheld ones included. */
export function messagesOf(session: Session): MessageItem[] {
  return session.items.filter((item) => item.kind === "message");
}

/** Keeps a message of the record away from every model. */
export function withholdFromModels(session: Session, item: MessageItem): void {
  session.items[session.items.lastIndexOf(item)] = { ...item, withheld: true };
}

/** The text of the latest message of the user; of the runtime in the user's name when the user wrote none. */
export function lastUserMessage(session: Session): string {
  let implicit: Message | undefined;
  for (let at = session.items.length - 1; at >= 0; at--) {
    const item = session.items[at];
    if (item?.kind !== "message" || item.message.role !== "user" || item.withheld) continue;
    if (!item.implicit) return textOf(item.message);
    implicit ??= item.message;
  }
  return implicit ? textOf(implicit) : "";
}

/** The latest message of the assistant that has a text. */
export function lastAnswer(session: Session): Message | undefined {
  return session.items.findLast(
    (item): item is MessageItem =>
      item.kind === "message" && item.message.role === "assistant" && textOf(item.message).trim() !== "",
  )?.message;
}

/** The text of the latest message of the assistant that has any; empty when there is none. */
export function lastAssistantText(session: Session): string {
  const answer = lastAnswer(session);
  return answer ? textOf(answer) : "";
}
