import { type Help, UserError } from "../../lib/errors.ts";
import type { Database } from "../../lib/platform.ts";
import type { Session, SessionItem } from "../session/session.ts";
import type { Journal } from "../stream/runtime.ts";
import { asUserError } from "./database.ts";
import { fieldsOf, storedItem } from "./session-document.ts";

const SESSION_CONTINUED_ELSEWHERE: Help = {
  cause: "Two processes use one session.",
  cure: "Start a new session for one of them.",
};

/**
 * The stored items of a session, by position. A changed item is a new object, so identity shows what must be stored.
 */
export type SavedItems = WeakMap<Session, SessionItem[]>;

/** What one transaction stored of each session: items by position, the number of items, and the text of the fields. */
export type Written = Map<Session, { changes: ReadonlyMap<number, SessionItem>; length: number; fields: string }>;

export interface JournalOptions {
  /** Returns the open session file; throws if it cannot be opened. */
  connect: () => Database;
  marks: SavedItems;
  /** The path of the file, for messages. */
  path: string;
  /** The user asked to store the session: if the first message cannot be stored, the run ends with an error. */
  required: boolean;
  /** Receives a warning if something is not stored, and a message when it is stored after all. */
  warn: (message: string) => void;
}

export interface StoreJournal extends Journal {
  /** Tries once more to store what is missing, and warns if that fails. Never throws. */
  close(): void;
}

/** Another process wrote to the session: continuing would mix two conversations. */
class ConflictError extends UserError {
  override readonly name = "ConflictError";
}

/**
 * Returns a journal that has written the session to disk when a call returns. A failure causes one warning; every later
 * call tries again, so nothing is lost on a disk that was full for a while. Throws a `UserError`, which ends the run,
 * if another process has continued the session.
 */
export function createJournal({ connect, marks, path, required, warn }: JournalOptions): StoreJournal {
  const pending = new Set<Session>();
  const storedFields = new WeakMap<Session, string>();
  let stored = false;
  let missing = false;

  const flush = () => {
    const written: Written = new Map();
    const db = connect();
    db.transaction(() => {
      for (const session of pending) writeSession(db, session, marks, written);
    }).immediate();
    // Only after the transaction: if it fails, nothing is stored.
    for (const [session, { changes, length, fields }] of written) {
      storedFields.set(session, fields);
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

  /** A reply is appended with its counts, which are then reported: most updates have nothing to store. */
  const isStored = (session: Session): boolean => {
    const mark = marks.get(session);
    return (
      mark?.length === session.items.length &&
      session.items.every((item, position) => mark[position] === item) &&
      storedFields.get(session) === JSON.stringify(fieldsOf(session))
    );
  };

  const write = (session: Session) => {
    if (pending.size === 0 && isStored(session)) return;
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
        if (error instanceof ConflictError || (required && !stored)) return; // it ended the run, which reported it
        pending.clear(); // one warning, however often this is closed
        warn(`the end of the session is not stored: ${asUserError(path, error).message}`);
      }
    },
  };
}

/** Writes the changes since the last call, inside a transaction. */
export function writeSession(db: Database, session: Session, marks: SavedItems, written: Written): void {
  const known = knownItems(db, session, marks.get(session));
  const fields = JSON.stringify(fieldsOf(session));
  db.query(UPSERT_SESSION).run(session.id, fields, new Date().toISOString());
  const { items } = session;
  const changes = new Map<number, SessionItem>();
  // All items: a block by a hook replaces an item in the middle. Comparing thousands takes microseconds.
  for (let position = 0; position < items.length; position++) {
    const item = items[position];
    if (!item || known[position] === item) continue;
    db.query(UPSERT_ITEM).run(session.id, position, item.kind, JSON.stringify(storedItem(item)));
    changes.set(position, item);
  }
  if (known.length > items.length) db.query(DELETE_TAIL).run(session.id, items.length);
  written.set(session, { changes, length: items.length, fields });
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

/** Returns the items already stored by this process; none if the session was removed, so that all are written again. */
function knownItems(db: Database, session: Session, mark: readonly SessionItem[] = []): readonly SessionItem[] {
  const row = db.query<{ length: number }, [string]>(STORED_LENGTH).get(session.id);
  if (!row) return [];
  if (row.length === mark.length) return mark;
  throw new ConflictError(
    `session ${session.id} was continued by another process meanwhile: nothing more of this run is stored, start again`,
    { help: SESSION_CONTINUED_ELSEWHERE },
  );
}
