import { UserError } from "../../lib/errors.ts";
import type { Database } from "../../lib/platform.ts";
import type { Session } from "../session/session.ts";
import { createJournal, type SavedItems, type StoreJournal } from "./journal.ts";
import {
  exportSession,
  listSessions,
  loadSession,
  removeSession,
  resolveSessionId,
  type StoredSession,
} from "./queries.ts";
import type { SessionDocument } from "./session-document.ts";
import { SessionFile } from "./session-file.ts";

/** How a store is opened. */
export interface StoreOptions {
  /** How long a locked file is waited for, in milliseconds (5000). */
  busyTimeoutMs?: number;
}

/** How sessions are kept. */
export interface SaveOptions {
  /** The first message is stored, or the journal throws. Otherwise that, too, is a warning. */
  required?: boolean;
  /** Told of what is not stored, in one line. */
  warn: (message: string) => void;
}

/**
 * The sessions in one file. A reference to a session is its id, or `-1` for the one created last, `-2` for the one
 * before. Everything that reads or removes throws a {@link UserError} for what is not there or cannot be read.
 */
export interface Store {
  /** Keeps what sessions come to hold. Nothing is written before the first message. */
  journal(options: SaveOptions): StoreJournal;
  /** A session to go on with; undefined for an id nobody has used. */
  load(reference: string): Session | undefined;
  /** Conversations with users, the newest first; all without a limit. */
  list(limit?: number): StoredSession[];
  /** Removes a session with its sub-sessions, and gives its id. */
  remove(reference: string): string;
  /** The whole of a session, everything the next request would need. */
  export(reference: string): SessionDocument;
  close(): void;
}

/**
 * The store in a file, which need not exist and is not made before something is stored. Throws a `ConfigError` for a
 * file that is no session file of ours or of a newer hooksh, another {@link UserError} when it cannot be opened.
 */
export function openStore(path: string, { busyTimeoutMs = 5000 }: StoreOptions = {}): Store {
  const file = new SessionFile(path, { busyTimeoutMs });
  const marks: SavedItems = new WeakMap();
  const withSession = <T>(reference: string, work: (db: Database, id: string) => T) =>
    file.use((db) => {
      const id = resolveSessionId(db, reference);
      if (!db || id === undefined) throw new UserError(`no session ${JSON.stringify(reference)} in ${path}`);
      return work(db, id);
    });
  file.use(() => {}); // a file of a newer version is refused before anything else happens
  return {
    journal: ({ required = false, warn }) => {
      return createJournal({ connect: () => file.connect(), marks, path, required, warn });
    },
    load: (reference) =>
      file.use((db) => {
        const id = resolveSessionId(db, reference);
        if (!db || id === undefined) return undefined;
        return loadSession(db, id, (session) => marks.set(session, [...session.items]));
      }),
    list: (limit) => file.use((db) => (db ? listSessions(db, limit) : [])),
    remove: (reference) =>
      withSession(reference, (db, id) => {
        removeSession(db, id);
        return id;
      }),
    export: (reference) => withSession(reference, exportSession),
    close: () => file.close(),
  };
}
