import { isObject } from "../../lib/json.ts";

type Row = Record<string, unknown>;

/** A session inside the JSON of another, as rows of the database. */
export interface NestedSession {
  row: Row;
  items: Row[];
}

/**
 * Reads the column `messages`, in which docker-agent kept a whole conversation as JSON before migration 14, and returns
 * it as rows of today's tables. Adds the sub-sessions to `nested`. Throws an `Error` if the JSON is not a list.
 */
export function itemsOfColumn(json: unknown, nested: Map<string, NestedSession>): Row[] {
  return rowsOf(parsed(json), nested);
}

function parsed(json: unknown): unknown {
  try {
    return JSON.parse(typeof json === "string" ? json : "");
  } catch {
    return undefined;
  }
}

function rowsOf(items: unknown, nested: Map<string, NestedSession>): Row[] {
  if (!Array.isArray(items)) throw new Error("its messages are not a JSON list");
  return items.map((item: unknown) => rowOf(isObject(item) ? item : {}, nested));
}

/** The earliest versions stored messages, later ones items that hold a message, a sub-session or a summary. */
function rowOf(item: Record<string, unknown>, nested: Map<string, NestedSession>): Row {
  const { message, sub_session: session, summary } = item;
  if (isObject(session)) {
    const id = typeof session["id"] === "string" && session["id"] !== "" ? session["id"] : crypto.randomUUID();
    if (nested.has(id)) throw new Error(`its sub-session ${id} occurs twice`);
    const kept: NestedSession = { row: sessionRow(session), items: [] };
    nested.set(id, kept);
    kept.items = rowsOf(session["messages"] ?? [], nested);
    return { item_type: "subsession", subsession_id: id };
  }
  if (!isObject(message) && typeof summary === "string")
    return { item_type: "summary", summary_text: summary, cost: item["cost"] };
  const { agentName, message: said, implicit } = isObject(message) && isObject(message["message"]) ? message : item;
  return {
    item_type: "message",
    agent_name: agentName,
    message_json: JSON.stringify(said ?? item),
    implicit: asColumn(implicit),
  };
}

function sessionRow(session: Record<string, unknown>): Row {
  return Object.fromEntries(Object.entries(session).map(([key, value]) => [key, asColumn(value)]));
}

/** Returns a value as the database has it: flags as numbers, objects as JSON. */
function asColumn(value: unknown): unknown {
  if (typeof value === "boolean") return value ? 1 : 0;
  return isObject(value) ? JSON.stringify(value) : value;
}
