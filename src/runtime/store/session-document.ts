import * as v from "valibot";
import { schemaFromShape } from "../../lib/schema/schema-from-shape.ts";
import { USAGE } from "../../protocol/fields.ts";
import { RoutingDecisionSchema } from "../session/routing-decision.ts";
import type { MessageItem, Session, SessionItem } from "../session/session.ts";
import {
  type ExportedMessage,
  exportedMessage,
  messageFrom,
  StoredMessageSchema,
  storedMessage,
} from "./stored-message.ts";

const text = v.string();
const texts = v.array(text);
const set = v.literal(true);

/** A session without its items, as it is stored and exported. */
export const SessionFieldsSchema = v.object({
  id: text,
  parent_id: v.exactOptional(text),
  created_at: text,
  title: text,
  working_dir: text,
  started_in: v.exactOptional(text),
  agent_file: v.exactOptional(text),
  safety_mode: v.exactOptional(text),
  permissions: v.object({ allow: texts, ask: texts, deny: texts }),
  max_iterations: v.exactOptional(v.number()),
  input_tokens: v.number(),
  output_tokens: v.number(),
  tokens_are_estimated: v.exactOptional(set),
  cost: v.number(),
  session_start_context: text,
  pinned_agent: v.exactOptional(text),
});

export type SessionFields = v.InferOutput<typeof SessionFieldsSchema>;

const EvaluationSchema = v.object({
  id: text,
  evaluator: text,
  agent_name: text,
  model: text,
  usage: v.exactOptional(v.object({ input_tokens: v.number(), output_tokens: v.number() })),
  cost: v.exactOptional(v.number()),
  created_at: text,
});

/** An item as it is stored. A sub-session is only named: it is stored under its own id. */
export const StoredItemSchema = v.variant("kind", [
  v.object({
    kind: v.literal("message"),
    agent: text,
    message: StoredMessageSchema,
    implicit: v.exactOptional(set),
    withheld: v.exactOptional(set),
    cut_to: v.exactOptional(v.number()),
  }),
  v.object({
    kind: v.literal("summary"),
    agent: text,
    text,
    first_kept: v.number(),
    kept: v.exactOptional(v.array(v.number())),
    cost: v.exactOptional(v.number()),
    model: v.exactOptional(text),
    usage: v.exactOptional(schemaFromShape(USAGE)),
  }),
  v.object({ kind: v.literal("subsession"), agent: text, session_id: text }),
  v.object({ kind: v.literal("evaluation"), agent: text, evaluation: EvaluationSchema }),
  v.object({ kind: v.literal("routing_decision"), agent: text, routing_decision: RoutingDecisionSchema }),
  v.object({ kind: v.literal("error"), agent: text, text, code: v.exactOptional(text) }),
]);

export type StoredItem = v.InferOutput<typeof StoredItemSchema>;

/** A session as it is exported, with everything that its next request needs, and its sub-sessions. */
export interface SessionDocument extends SessionFields {
  items: DocumentItem[];
  /** Sub-sessions that were interrupted before they had a result; absent if there are none. */
  unfinished_sub_sessions?: SessionDocument[];
}

export type DocumentItem =
  | Exclude<StoredItem, { kind: "subsession" | "message" }>
  | (Omit<Extract<StoredItem, { kind: "message" }>, "message"> & { message: ExportedMessage })
  | { kind: "subsession"; agent: string; session: SessionDocument };

export function documentOf(session: Session): SessionDocument {
  const items = session.items.map((item): DocumentItem => {
    if (item.kind === "subsession") return { kind: item.kind, agent: item.agent, session: documentOf(item.session) };
    return item.kind === "message" ? plainMessage(item, exportedMessage(item.message)) : plainItem(item);
  });
  return { ...fieldsOf(session), items };
}

/** Returns the fields of a session as they are stored. A field that is missing here does not compile. */
export function fieldsOf(session: Session): SessionFields {
  const {
    items: _items,
    id,
    parentId,
    createdAt,
    title,
    workingDir,
    startedIn,
    agentFile,
    safetyMode,
    permissions,
    maxIterations,
    inputTokens,
    outputTokens,
    tokensAreEstimated,
    cost,
    startContext,
    pinnedAgent,
    ...others
  } = session;
  others satisfies Record<string, never>;
  return {
    id,
    ...(parentId === undefined ? {} : { parent_id: parentId }),
    created_at: createdAt,
    title,
    working_dir: workingDir,
    ...(startedIn === undefined ? {} : { started_in: startedIn }),
    ...(agentFile === undefined ? {} : { agent_file: agentFile }),
    ...(safetyMode === undefined ? {} : { safety_mode: safetyMode }),
    permissions: { allow: [...permissions.allow], ask: [...permissions.ask], deny: [...permissions.deny] },
    ...(maxIterations === undefined ? {} : { max_iterations: maxIterations }),
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    ...(tokensAreEstimated ? { tokens_are_estimated: true } : {}),
    cost,
    session_start_context: startContext,
    ...(pinnedAgent === undefined ? {} : { pinned_agent: pinnedAgent }),
  };
}

export function sessionFrom(fields: SessionFields, items: SessionItem[]): Session {
  const { parent_id, started_in, agent_file, safety_mode, max_iterations, pinned_agent } = fields;
  return {
    id: fields.id,
    ...(parent_id === undefined ? {} : { parentId: parent_id }),
    createdAt: fields.created_at,
    title: fields.title,
    workingDir: fields.working_dir,
    ...(started_in === undefined ? {} : { startedIn: started_in }),
    ...(agent_file === undefined ? {} : { agentFile: agent_file }),
    items,
    ...(safety_mode === undefined ? {} : { safetyMode: safety_mode }),
    permissions: fields.permissions,
    ...(max_iterations === undefined ? {} : { maxIterations: max_iterations }),
    inputTokens: fields.input_tokens,
    outputTokens: fields.output_tokens,
    ...(fields.tokens_are_estimated ? { tokensAreEstimated: true } : {}),
    cost: fields.cost,
    startContext: fields.session_start_context,
    ...(pinned_agent === undefined ? {} : { pinnedAgent: pinned_agent }),
  };
}

export function storedItem(item: SessionItem): StoredItem {
  if (item.kind === "subsession") return { kind: item.kind, agent: item.agent, session_id: item.session.id };
  return item.kind === "message" ? plainMessage(item, storedMessage(item.message)) : plainItem(item);
}

/** Returns the item for a stored one; `loadSession` loads a sub-session by its id. */
export function itemFrom(stored: StoredItem, loadSession: (id: string) => Session): SessionItem {
  switch (stored.kind) {
    case "summary": {
      const { first_kept, ...rest } = stored;
      return { ...rest, firstKept: first_kept };
    }
    case "subsession":
      return { kind: stored.kind, agent: stored.agent, session: loadSession(stored.session_id) };
    case "message": {
      const { cut_to, ...rest } = stored;
      return { ...rest, message: messageFrom(stored.message), ...(cut_to === undefined ? {} : { cutTo: cut_to }) };
    }
    default:
      return stored;
  }
}

function plainMessage<M>({ cutTo, ...rest }: MessageItem, message: M) {
  return { ...rest, message, ...(cutTo === undefined ? {} : { cut_to: cutTo }) };
}

type PlainKind = "summary" | "evaluation" | "routing_decision" | "error";

function plainItem(item: Extract<SessionItem, { kind: PlainKind }>): Extract<StoredItem, { kind: PlainKind }> {
  if (item.kind !== "summary") return item;
  const { firstKept, kept, ...rest } = item;
  return { ...rest, first_kept: firstKept, ...(kept ? { kept: [...kept] } : {}) };
}
