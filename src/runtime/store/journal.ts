import { UserError } from "../../lib/errors.ts";
import type { Database } from "../../lib/platform.ts";
import type { Journal } from "../runtime.ts";
import type { Session, SessionItem } from "../session/session.ts";
import { asUserError } from "./database.ts";
import { fieldsOf, storedItem } from "./session-document.ts";

/** The items of a session that are stored, by position. An item is replaced when it changes, so identity tells. */
export type SavedItems = WeakMap<Session, SessionItem[]>;

/** What one transaction stored: the items of each session by position, and how many the session has. */
type Written = Map<Session, { changes: ReadonlyMap<number, SessionItem>; length: number }>;

/** What a journal writes with. */
export interface JournalOptions {
  /** The open session file; throws when there is none to be had. */
  connect: () => Database;
  marks: SavedItems;
  /** The path of the file, for messages. */
  path: string;
  /** The user asked for the session to be stored: the first message is stored, or the run ends with an error. */
  required: boolean;
  /** Told of everything that is not stored, and when it is stored after all. */
  warn: (message: string) => void;
}

/** A journal that can be brought to an end. */
export interface StoreJournal extends Journal {
  /** Tries once more to store what is missing, and says what stays so. Never throws. */
  close(): void;
}

/** Somebody else wrote to the session: to go on would mix two conversations. */
class ConflictError extends UserError {
  override readonly name = "ConflictError";
}

/**
 * A journal whose every call returns with the session on disk. What could not be stored is told once, kept, and tried
 * again with every later call, so that a disk that was full for a while costs nothing. A session that another process
 * went on with is a `UserError` and ends the run.
 */
export function createJournal({ connect, marks, path, required, warn }: JournalOptions): StoreJournal {
  const pending = new Set<Session>();
  let stored = false;
  let missing = false;

  const flush = () => {
    const written: Written = new Map();
    const db = connect();
    db.transaction(() => {
      for (const session of pending) writeSession(db, session, marks, written);
    }).immediate();
    // Not earlier: a transaction that fails has stored nothing.
    for (const [session, { changes, length }] of written) {
      const mark = marks.get(session) ?? [];
      for (const [position, item] of changes) mark[position] = item;
      mark.length = length;
      marks.set(session, mark);
    }
    pending.clear();
    if (missing) warn("the session is stored again, nothing is missing");
    stored = true;
    missing = false;
  };

  const write = (session: Session) => {
    pending.add(session);
    try {
      flush();
    } catch (error) {
      if (error instanceof ConflictError || (required && !stored)) throw asUserError(path, error);
      if (!missing) warn(`the session is not stored for now: ${asUserError(path, error).message}`);
      missing = true;
    }
  };

  return {
    append: write,
    update: write,
    close: () => {
      if (pending.size === 0) return;
      try {
        flush();
      } catch (error) {
        if (error instanceof ConflictError || (required && !stored)) return; // it ended the run, so it was told
        pending.clear(); // told once, however often this is closed
        warn(`the end of the session is not stored: ${asUserError(path, error).message}`);
      }
    },
  };
}

/** Writes what has changed since the last time, inside a transaction. */
function writeSession(db: Database, session: Session, marks: SavedItems, written: Written): void {
  const known = knownItems(db, session, marks.get(session));
  const fields = JSON.stringify(fieldsOf(session));
  db.query(UPSERT_SESSION).run(session.id, fields, new Date().toISOString());
  const { items } = session;
  const changes = new Map<number, SessionItem>();
  // All of them: a hook's objection replaces an item in the middle. Comparing thousands takes microseconds.
  for (let position = 0; position < items.length; position++) {
    const item = items[position];
    if (!item || known[position] === item) continue;
    db.query(UPSERT_ITEM).run(session.id, position, item.kind, JSON.stringify(storedItem(item)));
    changes.set(position, item);
  }
  if (known.length > items.length) db.query(DELETE_TAIL).run(session.id, items.length);
  written.set(session, { changes, length: items.length });
  for (const item of changes.values()) {
    if (item.kind !== "subsession" || marks.has(item.session) || written.has(item.session)) continue;
    writeSession(db, item.session, marks, written);
  }
}

const UPSERT_SESSION = `INSERT INTO sessions (id, fields, updated_at) VALUES (?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET fields = excluded.fields, updated_at = excluded.updated_at`;
const UPSERT_ITEM = `INSERT INTO items (session_id, position, kind, body) VALUES (?, ?, ?, ?)
  ON CONFLICT (session_id, position) DO UPDATE SET kind = excluded.kind, body = excluded.body`;
const DELETE_TAIL = "DELETE FROM items WHERE session_id = ? AND position >= ?";
const STORED_LENGTH = `SELECT (SELECT coalesce(max(position) + 1, 0) FROM items WHERE session_id = id) AS length
  FROM sessions WHERE id = ?`;

/** The items that stand in the file and are ours; all are written again when the session was removed meanwhile. */
function knownItems(db: Database, session: Session, mark: readonly SessionItem[] = []): readonly SessionItem[] {
  const row = db.query<{ length: number }, [string]>(STORED_LENGTH).get(session.id);
  if (!row) return [];
  if (row.length === mark.length) return mark;
  throw new ConflictError(
    `session ${session.id} was continued by another process meanwhile: nothing more of this run is stored, start again`,
  );
}
