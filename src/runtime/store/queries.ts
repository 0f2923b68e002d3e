import { existsSync, realpathSync } from "node:fs";
import * as v from "valibot";
import { ConfigError, errorText, UserError } from "../../lib/errors.ts";
import type { Database } from "../../lib/platform.ts";
import type { Session } from "../session/session.ts";
import { knownCost } from "../session/session-cost.ts";
import { migrateItem } from "./migrate-messages.ts";
import {
  documentOf,
  itemFrom,
  type SessionDocument,
  type SessionFields,
  SessionFieldsSchema,
  type StoredItem,
  StoredItemSchema,
  sessionFrom,
} from "./session-document.ts";

/** A stored session in a list. */
export interface StoredSession {
  id: string;
  title: string;
  /** The agent of its first item. */
  agent: string;
  created_at: string;
  updated_at: string;
  working_dir: string;
  messages: number;
  /** US dollars, without those of sub-sessions; null if nothing of it is known. */
  cost: number | null;
  /** True if calls of the session have no known cost. */
  cost_is_partial: boolean;
}

/** `-1`, `-2` ...: counts back from the newest session. */
const FROM_NEWEST = /^-\d+$/;

// The parameter is a JSON array of spellings of one folder; null means any folder.
const SCOPE = `parent_id IS NULL AND (?1 IS NULL OR fields ->> 'working_dir' = '' OR fields ->> 'working_dir' IN (SELECT value FROM json_each(?1))
  OR fields ->> 'started_in' IN (SELECT value FROM json_each(?1)))`;
// By time of creation; sessions of the same millisecond in the order in which they were stored.
const NEWEST_FIRST = `FROM sessions WHERE ${SCOPE} ORDER BY created_at DESC, rowid DESC`;

/** Returns the parameter of a query for the sessions of a folder, or of all folders. */
function scopeOf(folder: string | undefined): string | null {
  if (folder === undefined) return null;
  return JSON.stringify([folder, existsSync(folder) ? realpathSync(folder) : folder]);
}

/**
 * Returns the id that a reference means; undefined if no session has it. Throws a {@link UserError} for a number that
 * counts back too far. A number counts only the sessions of a folder, if one is given.
 */
export function resolveSessionId(db: Database | undefined, reference: string, folder?: string): string | undefined {
  if (!FROM_NEWEST.test(reference)) return db && readFields(db, reference)?.id;
  const back = Number(reference.slice(1));
  const query = `SELECT id ${NEWEST_FIRST} LIMIT 1 OFFSET ?2`;
  const row = back > 0 ? db?.query<{ id: string }, Scope>(query).get(scopeOf(folder), back - 1) : undefined;
  if (row) return row.id;
  const here = countSessions(db, folder);
  const elsewhere = countSessions(db) - here;
  const place = folder === undefined ? "" : ` for the folder ${folder}`;
  const others = elsewhere > 0 ? `; ${elsewhere} of other folders: --any-folder counts them too` : "";
  throw new UserError(
    `no session ${reference}: ${here === 1 ? "1 session is" : `${here} sessions are`} stored${place}${others}`,
  );
}

type Scope = [folder: string | null, count: number];

/** Returns the number of conversations with users, of a folder or of all. */
function countSessions(db: Database | undefined, folder?: string): number {
  const count = `SELECT count(*) AS total FROM sessions WHERE ${SCOPE}`;
  return db?.query<{ total: number }, [string | null]>(count).get(scopeOf(folder))?.total ?? 0;
}

/** True if a session or sub-session has the id. */
export function hasSession(db: Database, id: string): boolean {
  return db.query<{ id: string }, [string]>("SELECT id FROM sessions WHERE id = ?").get(id) !== null;
}

/**
 * Loads a session with its sub-sessions, and calls `found` for each. Throws a {@link ConfigError} if one is damaged.
 */
export function loadSession(db: Database, id: string, found: (session: Session) => void = () => {}): Session {
  const fields = readFields(db, id);
  if (!fields) throw new ConfigError(`session ${id} is not complete: a part of it is not stored`);
  const rows = db.query<{ body: string }, [string]>(ITEMS).all(id);
  const items = rows.map(({ body }, position) => {
    return itemFrom(parseItem(body, `item ${position} of session ${id}`), (child) => loadSession(db, child, found));
  });
  const session = sessionFrom(fields, items);
  found(session);
  return session;
}

/**
 * Parses an item. An older hooksh that had the file open during the migration still writes items of its own version.
 */
function parseItem(body: string, what: string): StoredItem {
  try {
    return parse(StoredItemSchema, body, what);
  } catch (error) {
    const migrated = migrateItem(body);
    if (migrated === undefined) throw error;
    return parse(StoredItemSchema, migrated, what);
  }
}

const ITEMS = "SELECT body FROM items WHERE session_id = ? ORDER BY position";

/** Returns a session for export, including sub-sessions that never ended. */
export function exportSession(db: Database, id: string): SessionDocument {
  const unfinished = db
    .query<{ id: string }, [string]>(UNFINISHED)
    .all(id)
    .map((row) => exportSession(db, row.id));
  const document = documentOf(loadSession(db, id));
  return unfinished.length === 0 ? document : { ...document, unfinished_sub_sessions: unfinished };
}

const UNFINISHED = `SELECT id FROM sessions WHERE parent_id = ? AND id NOT IN
  (SELECT child_id FROM items WHERE child_id IS NOT NULL) ORDER BY created_at, rowid`;

/** Lists conversations with users, newest first; only those of a folder, if one is given. */
export function listSessions(db: Database, limit = -1, folder?: string): StoredSession[] {
  const rows = db.query<ListRow, Scope>(LIST).all(scopeOf(folder), limit);
  return rows.map(({ fields, agent, updated_at, messages, unpriced }) => {
    const { id, title, created_at, working_dir, cost } = parse(SessionFieldsSchema, fields, "a session");
    const isPartial = unpriced > 0;
    return {
      ...{ id, title, agent: agent ?? "", created_at, updated_at, working_dir, messages },
      cost: knownCost(cost, isPartial),
      cost_is_partial: isPartial,
    };
  });
}

interface ListRow {
  fields: string;
  agent: string | null;
  updated_at: string;
  messages: number;
  /** Calls without a known cost, as `isCostPartial` finds them. */
  unpriced: number;
}

const LIST = `SELECT fields, updated_at,
  (SELECT count(*) FROM items WHERE session_id = id AND kind = 'message') AS messages,
  (SELECT count(*) FROM items WHERE session_id = id AND (
    (kind = 'message' AND body ->> '$.message.role' = 'assistant' AND body ->> '$.message.model' IS NOT NULL
      AND body ->> '$.message.cost' IS NULL)
    OR (kind = 'summary' AND body ->> 'model' IS NOT NULL AND body ->> 'cost' IS NULL)
    OR (kind = 'evaluation' AND body ->> '$.evaluation.cost' IS NULL))) AS unpriced,
  (SELECT body ->> 'agent' FROM items WHERE session_id = id ORDER BY position LIMIT 1) AS agent
  ${NEWEST_FIRST} LIMIT ?2`;

/** Removes a session and its sub-sessions from the disk. Throws a {@link UserError} for a sub-session. */
export function removeSession(db: Database, id: string): void {
  const parent = readFields(db, id)?.parent_id;
  if (parent !== undefined) throw new UserError(`session ${id} is a part of session ${parent}: remove that one`);
  db.query("DELETE FROM sessions WHERE id = ?").run(id);
  db.run("PRAGMA wal_checkpoint(TRUNCATE)");
}

/** Gives a session another title. */
export function retitleSession(db: Database, id: string, title: string): void {
  db.query("UPDATE sessions SET fields = json_set(fields, '$.title', ?1) WHERE id = ?2").run(title, id);
}

function readFields(db: Database, id: string): SessionFields | undefined {
  const row = db.query<{ fields: string }, [string]>("SELECT fields FROM sessions WHERE id = ?").get(id);
  return row ? parse(SessionFieldsSchema, row.fields, `session ${id}`) : undefined;
}

function parse<S extends v.GenericSchema>(schema: S, json: string, what: string): v.InferOutput<S> {
  try {
    return v.parse(schema, JSON.parse(json));
  } catch (error) {
    throw new ConfigError(`${what} cannot be read: ${errorText(error)}`, { cause: error });
  }
}
