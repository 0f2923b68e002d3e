import { stripVTControlCharacters } from "node:util";
import type { Evaluation } from "../../model/evaluators/evaluator.ts";
import { type Message, textOf, type Usage } from "../../model/messages/message.ts";
import { NO_PERMISSIONS, type Permissions } from "../permissions/permissions.ts";
import type { RoutingDecision } from "./routing-decision.ts";

/** One entry of a session's record. Items are replaced, never changed. */
export type SessionItem =
  | {
      readonly kind: "message";
      readonly agent: string;
      readonly message: Message;
      /** Written by the runtime, not by the user or a model. */
      readonly implicit?: true;
      /** A hook blocked it: it stays in the record and is never sent to a model. */
      readonly withheld?: true;
      /** Tokens to which its tool result is cut when it is sent, because it did not fit; the record keeps all of it. */
      readonly cutTo?: number;
    }
  | {
      readonly kind: "summary";
      readonly agent: string;
      readonly text: string;
      /** Index of the first item that is still sent after the summary. */
      readonly firstKept: number;
      /** Indices of earlier items that are sent too: the user's messages that wait for an answer. */
      readonly kept?: readonly number[];
      readonly cost?: number;
      readonly model?: string;
      readonly usage?: Usage;
    }
  | { readonly kind: "subsession"; readonly agent: string; readonly session: Session }
  | { readonly kind: "evaluation"; readonly agent: string; readonly evaluation: SessionEvaluation }
  | { readonly kind: "routing_decision"; readonly agent: string; readonly routing_decision: RoutingDecision }
  | { readonly kind: "error"; readonly agent: string; readonly text: string; readonly code?: string };

/** A request to an evaluator, and the agent whose hook made it. It is no part of the conversation. */
export type SessionEvaluation = Evaluation & { agent_name: string };

/** A summary that replaced a part of the conversation. */
export type SummaryItem = Extract<SessionItem, { kind: "summary" }>;

export type MessageItem = Extract<SessionItem, { kind: "message" }>;

/** A conversation, and everything that is stored with it. */
export interface Session {
  readonly id: string;
  readonly parentId?: string;
  /** RFC 3339 */
  readonly createdAt: string;
  title: string;
  workingDir: string;
  /** The folder that the run was started in, if its tools work elsewhere: in a worktree. */
  startedIn?: string;
  /** The path of the agent file that it ran with last, or the reference of a remote one. */
  agentFile?: string;
  items: SessionItem[];
  /** The safety mode of the session; absent if none was chosen. */
  safetyMode?: string;
  /** The rules that the user granted at prompts. */
  permissions: Permissions;
  /** Iterations after which its last stream had to ask the user; 0 means no limit. */
  maxIterations?: number;
  /** Tokens of the prompt of the last call, and of its reply. */
  inputTokens: number;
  outputTokens: number;
  /** Set if the provider reported no token counts, so both are estimates. */
  tokensAreEstimated?: true;
  /** US dollars spent on model calls. */
  cost: number;
  /** Context from `session_start` hooks; sent with every request. */
  startContext: string;
  /** The agent that always answers in this session, whichever agent is the current one. */
  pinnedAgent?: string;
}

export interface SessionOptions {
  id?: string;
  parentId?: string;
  startedIn?: string;
  agentFile?: string;
  title?: string;
  safetyMode?: string;
  permissions?: Permissions;
}

export function createSession(workingDir: string, options: SessionOptions = {}): Session {
  return {
    id: options.id ?? crypto.randomUUID(),
    ...(options.parentId === undefined ? {} : { parentId: options.parentId }),
    createdAt: new Date().toISOString(),
    title: options.title ?? "",
    workingDir,
    ...(options.startedIn === undefined ? {} : { startedIn: options.startedIn }),
    ...(options.agentFile === undefined ? {} : { agentFile: options.agentFile }),
    items: [],
    ...(options.safetyMode === undefined ? {} : { safetyMode: options.safetyMode }),
    permissions: options.permissions ?? NO_PERMISSIONS,
    inputTokens: 0,
    outputTokens: 0,
    cost: 0,
    startContext: "",
  };
}

/** Returns the session's own messages in order, including withheld ones. */
export function messagesOf(session: Session): MessageItem[] {
  return session.items.filter((item) => item.kind === "message");
}

/** Marks a message of the record so that it is never sent to a model. */
export function withholdFromModels(session: Session, item: MessageItem): void {
  session.items[session.items.lastIndexOf(item)] = { ...item, withheld: true };
}

/** Returns the text of {@link lastQuestion}, its attached texts included; empty if there is none. */
export function lastUserMessage(session: Session): string {
  const message = lastQuestion(session);
  return message ? textOf(message) : "";
}

/** Returns the user's latest message, else the latest that the runtime wrote as the user. */
export function lastQuestion(session: Session): Message | undefined {
  let implicit: Message | undefined;
  for (let at = session.items.length - 1; at >= 0; at--) {
    const item = session.items[at];
    if (item?.kind !== "message" || item.message.role !== "user" || item.withheld) continue;
    if (!item.implicit) return item.message;
    implicit ??= item.message;
  }
  return implicit;
}

/** Returns the latest message of the assistant that has text. */
export function lastAnswer(session: Session): Message | undefined {
  return session.items.findLast(
    (item): item is MessageItem =>
      item.kind === "message" && item.message.role === "assistant" && textOf(item.message).trim() !== "",
  )?.message;
}

/** Returns the latest text of the assistant, or an empty string. */
export function lastAssistantText(session: Session): string {
  const answer = lastAnswer(session);
  return answer ? textOf(answer) : "";
}

/** Returns the title of a conversation: the start of its first message, on one line. */
export function titleOf(message: string): string {
  const line = stripVTControlCharacters(message.slice(0, 2000))
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
  return [...line].slice(0, 60).join("").trimEnd();
}
