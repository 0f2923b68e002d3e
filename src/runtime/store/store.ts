import { UserError } from "../../lib/errors.ts";
import type { Database } from "../../lib/platform.ts";
import type { Session } from "../session/session.ts";
import { asUserError } from "./database.ts";
import { createJournal, type SavedItems, type StoreJournal, writeSession } from "./journal.ts";
import {
  exportSession,
  hasSession,
  listSessions,
  loadSession,
  removeSession,
  resolveSessionId,
  retitleSession,
  type StoredSession,
} from "./queries.ts";
import type { SessionDocument } from "./session-document.ts";
import { SessionFile } from "./session-file.ts";

export interface StoreOptions {
  /** How long to wait for a locked file, in milliseconds (default 5000). */
  busyTimeoutMs?: number;
  /** `-1`, `-2` ... count only the sessions of this folder (default: of all). */
  folder?: string | undefined;
}

export interface SaveOptions {
  /** Throws if the first message cannot be stored; otherwise that is only a warning. */
  required?: boolean;
  /** Receives one line about what is not stored. */
  warn: (message: string) => void;
}

/**
 * The sessions in one file. A reference to a session is its id, or `-1` for the one created last, `-2` for the one
 * before it. Methods that read or remove throw a {@link UserError} if the session does not exist or cannot be read.
 */
export interface Store {
  /** Returns a journal that saves sessions. It writes nothing before the first message. */
  journal(options: SaveOptions): StoreJournal;
  /** Loads a session to continue; undefined if no session has the id. */
  load(reference: string): Session | undefined;
  /** Returns the id of a session. */
  idOf(reference: string): string;
  /** True if a session or sub-session has the id. */
  has(id: string): boolean;
  /**
   * Stores sessions from elsewhere with their sub-sessions, all or none. The caller makes sure that no id is taken:
   * a stored session with the same id would be continued by these items.
   */
  add(sessions: readonly Session[]): void;
  /** Lists conversations with users, newest first; all of them without a limit, of all folders without a folder. */
  list(limit?: number, folder?: string): StoredSession[];
  /** Gives a session another title. */
  retitle(reference: string, title: string): void;
  /** Removes a session with its sub-sessions, and returns its id. */
  remove(reference: string): string;
  /** Returns a session with everything that its next request needs. */
  export(reference: string): SessionDocument;
  close(): void;
}

/**
 * Opens the store in a file, which is created when something is first stored. Throws a `ConfigError` if the file is not
 * a session file or was written by a newer hooksh, and another {@link UserError} if it cannot be opened.
 */
export function openStore(path: string, { busyTimeoutMs = 5000, folder }: StoreOptions = {}): Store {
  const file = new SessionFile(path, { busyTimeoutMs });
  const marks: SavedItems = new WeakMap();
  const withSession = <T>(reference: string, work: (db: Database, id: string) => T) =>
    file.use((db) => {
      const id = resolveSessionId(db, reference, folder);
      if (!db || id === undefined) throw new UserError(`no session ${JSON.stringify(reference)} in ${path}`);
      return work(db, id);
    });
  file.use(() => {}); // refuses the file of a newer version before anything else happens
  return {
    journal: ({ required = false, warn }) => {
      return createJournal({ connect: () => file.connect(), marks, path, required, warn });
    },
    load: (reference) =>
      file.use((db) => {
        const id = resolveSessionId(db, reference, folder);
        if (!db || id === undefined) return undefined;
        return loadSession(db, id, (session) => marks.set(session, [...session.items]));
      }),
    idOf: (reference) => withSession(reference, (_db, id) => id),
    has: (id) => file.use((db) => db !== undefined && hasSession(db, id)),
    add: (sessions) => addSessions(file, sessions),
    list: (limit, folder) => file.use((db) => (db ? listSessions(db, limit, folder) : [])),
    retitle: (reference, title) => withSession(reference, (db, id) => retitleSession(db, id, title)),
    remove: (reference) =>
      withSession(reference, (db, id) => {
        removeSession(db, id);
        return id;
      }),
    export: (reference) => withSession(reference, exportSession),
    close: () => file.close(),
  };
}

function addSessions(file: SessionFile, sessions: readonly Session[]): void {
  try {
    const db = file.connect();
    db.transaction(() => {
      const written = new Map();
      for (const session of sessions) writeSession(db, session, new WeakMap(), written);
    }).immediate();
  } catch (error) {
    throw asUserError(file.path, error);
  }
}
