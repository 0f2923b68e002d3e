import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { ConfigError, errorText, UserError } from "../../lib/errors.ts";
import { requireRegularIfExists } from "../../lib/files/read-file.ts";
import { type Database, isSqliteError, openSqlite, sleepSync } from "../../lib/platform.ts";
import { migrateMessages } from "./migrate-messages.ts";

/**
 * The migrations of the schema; a file's version is the number of migrations applied to it. The JSON in `fields` and
 * `body` is authoritative: SQLite computes most other columns from it.
 */
const MIGRATIONS = [
  `CREATE TABLE sessions (
     id TEXT NOT NULL PRIMARY KEY,
     fields TEXT NOT NULL,
     updated_at TEXT NOT NULL,
     parent_id TEXT GENERATED ALWAYS AS (fields ->> 'parent_id') STORED
       REFERENCES sessions(id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
     created_at TEXT GENERATED ALWAYS AS (fields ->> 'created_at') STORED
   );
   CREATE INDEX sessions_by_age ON sessions(parent_id, created_at);
   CREATE TABLE items (
     session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
     position INTEGER NOT NULL,
     kind TEXT NOT NULL,
     body TEXT NOT NULL,
     child_id TEXT GENERATED ALWAYS AS (body ->> 'session_id') STORED
       REFERENCES sessions(id) DEFERRABLE INITIALLY DEFERRED,
     PRIMARY KEY (session_id, position)
   );
   CREATE INDEX items_by_child ON items(child_id) WHERE child_id IS NOT NULL;`,
  migrateMessages,
] as const satisfies readonly (string | ((db: Database) => void))[];

export interface DatabaseOptions {
  /** How long to wait for a locked file, in milliseconds. */
  busyTimeoutMs: number;
}

/**
 * Opens a session file and creates it if it does not exist: readable by its owner only, in write-ahead mode. Throws a
 * {@link ConfigError} if the file is not a session file, is damaged or was written by a newer hooksh, and a
 * {@link UserError} if it cannot be opened or written.
 */
export function openDatabase(path: string, { busyTimeoutMs }: DatabaseOptions): Database {
  let db: Database | undefined;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    requireRegularIfExists(path);
    closeSync(openSync(path, "a", 0o600));
    db = openSqlite(path, { create: true, readwrite: true, strict: true });
    db.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    db.run("PRAGMA secure_delete = ON"); // also overwrites what a migration replaces
    // Checked first, because the next steps would change the file of another program.
    if (checkVersion(db, path) < MIGRATIONS.length) migrate(db, path, busyTimeoutMs);
    // Survives a killed process. After a power cut the last writes may be missing, but the file is intact.
    db.run("PRAGMA synchronous = NORMAL");
    db.run("PRAGMA foreign_keys = ON");
    return db;
  } catch (error) {
    db?.close();
    throw asUserError(path, error);
  }
}

function migrate(db: Database, path: string, busyTimeoutMs: number): void {
  useWriteAheadLog(db, Date.now() + busyTimeoutMs);
  const from = db
    .transaction(() => {
      const version = checkVersion(db, path); // another process may have migrated it meanwhile
      for (const step of MIGRATIONS.slice(version)) {
        if (typeof step === "string") db.run(step);
        else step(db);
      }
      db.run("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)");
      db.run("DELETE FROM schema_version");
      db.query("INSERT INTO schema_version (version) VALUES (?)").run(MIGRATIONS.length);
      return version;
    })
    .immediate();
  if (from > 0 && from < MIGRATIONS.length) removeRemains(db);
}

const LOCK_RETRY_MS = 10;

/**
 * Sets write-ahead mode. While another process that creates the same file holds the lock, SQLite does not wait here,
 * because waiting could be a deadlock (https://www.sqlite.org/c3ref/busy_handler.html), so this retries until the
 * deadline.
 */
function useWriteAheadLog(db: Database, deadline: number): void {
  for (;;) {
    try {
      db.run("PRAGMA journal_mode = WAL");
      return;
    } catch (error) {
      const isBusy = isSqliteError(error) && error.code === "SQLITE_BUSY";
      if (!isBusy || Date.now() >= deadline) throw error;
      sleepSync(LOCK_RETRY_MS);
    }
  }
}

/**
 * Removes the remains of rewritten rows from the pages of the file, which `secure_delete` does not reach: a session
 * that is removed later must leave nothing on the disk. The file is valid without this step, so a full disk or a busy
 * file is ignored.
 */
function removeRemains(db: Database): void {
  try {
    db.run("VACUUM");
  } catch (error) {
    if (!isSqliteError(error)) throw error;
  }
}

/** Returns the version of the schema; 0 for a new file. */
function checkVersion(db: Database, path: string): number {
  const names = db.query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'table'").all();
  if (names.length === 0) return 0;
  if (!names.some(({ name }) => name === "schema_version")) {
    throw new ConfigError(`${path}: is a database of another program, not a session file of hooksh`);
  }
  const version = db.query<{ version: number }, []>("SELECT version FROM schema_version").get()?.version ?? 0;
  if (version > MIGRATIONS.length) {
    throw new ConfigError(
      `${path}: was written by a newer hooksh (schema ${version}, this one knows ${MIGRATIONS.length}): ` +
        "update hooksh, or name another file with --session-db",
    );
  }
  return version;
}

/** Explanations of error codes of SQLite and the system, by the start of the code. */
const REASONS = {
  SQLITE_FULL: "the disk is full",
  SQLITE_BUSY: "another process keeps it locked",
  SQLITE_LOCKED: "another process keeps it locked",
  SQLITE_READONLY: "it is read-only",
  SQLITE_CANTOPEN: "it cannot be opened",
  SQLITE_NOTADB: "it is not a database",
  SQLITE_CORRUPT: "it is damaged",
  EACCES: "permission to write it is denied",
  EPERM: "permission to write it is denied",
  EROFS: "it is on a read-only disk",
} as const;

/** Converts an error on a session file to an error for the user that names the file. */
export function asUserError(path: string, error: unknown): UserError {
  if (error instanceof UserError) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const known = Object.entries(REASONS).find(([prefix]) => code.startsWith(prefix));
  const message = `${path}: ${known?.[1] ?? errorText(error)}`;
  const isWrongFile = code.startsWith("SQLITE_NOTADB") || code.startsWith("SQLITE_CORRUPT");
  return new (isWrongFile ? ConfigError : UserError)(message, { cause: error });
}
