import { closeSync, openSync, readSync, statSync } from "node:fs";
import { ConfigError, UserError } from "../../../lib/errors.ts";
import { requireRegularIfExists } from "../../../lib/files/read-file.ts";
import { type Database, isSqliteError, openForeignSqlite } from "../../../lib/platform.ts";
import { asUserError } from "../../../runtime/store/database.ts";

/**
 * The migrations of docker-agent after which this code can read a session database
 * (https://github.com/docker/docker-agent/blob/main/pkg/session/migrations.go). Before 15, sessions are in another form.
 */
const MIGRATIONS = { oldest: 15, newest: 38 } as const;

/** The columns that are read, each if the database has it. */
const COLUMNS = {
  sessions: [
    "id",
    "title",
    "created_at",
    "working_dir",
    "parent_id",
    "input_tokens",
    "output_tokens",
    "cost",
    "max_iterations",
    "permissions",
    "tools_approved",
    "safety_policy",
    "starred",
    "agent_model_overrides",
  ],
  session_items: [
    "item_type",
    "agent_name",
    "message_json",
    "implicit",
    "subsession_id",
    "summary_text",
    "first_kept_entry",
    "cost",
    "model",
    "usage_json",
  ],
} as const;

type Table = keyof typeof COLUMNS;

/** The most characters of an id that are read; a longer one is not valid. */
const MAX_ID = 300;

/** The most characters of a column of a session that are read. Items are measured before they are read. */
const MAX_FIELD = 1_000_000;

/** A row of the database. Any column can be absent or hold a value of any type. */
export type SourceRow<T extends Table> = Readonly<Partial<Record<(typeof COLUMNS)[T][number], unknown>>>;

/** The number of items of a session, and the characters in them. */
export interface SessionSize {
  items: number;
  characters: number;
}

/** The session database of docker-agent, in one state even while docker-agent writes to it. */
export interface SessionDatabase {
  /**
   * The ids of the conversations with users, the oldest first: sessions without a parent, and those whose parent is not
   * in the database.
   */
  readonly conversations: readonly string[];
  /** The ids of sessions that belong to no conversation, because their parents form a cycle. */
  readonly unreachable: readonly string[];
  session(id: string): SourceRow<"sessions"> | undefined;
  size(id: string): SessionSize;
  /** Returns the items of a session in order. */
  items(id: string): SourceRow<"session_items">[];
  /** Returns the ids of sub-sessions that no item mentions, because they were interrupted. */
  unfinished(id: string): readonly string[];
  close(): void;
}

const LOCK_WAIT_MS = 3000;

/**
 * Opens a session database of docker-agent for reading. Throws a {@link ConfigError} if the file is no such database or
 * another version wrote it, and a {@link UserError} if it cannot be read or stays locked.
 */
export function openSessionDatabase(path: string): SessionDatabase {
  let db: Database | undefined;
  try {
    requireRegularIfExists(path);
    db = openForeignSqlite(path, { isUnused: isUnused(path) });
    db.run(`PRAGMA busy_timeout = ${LOCK_WAIT_MS}`);
    db.run("PRAGMA trusted_schema = OFF"); // the schema of another program must not call functions with effects
    db.run("BEGIN"); // one state for all queries
    checkSchema(db, path);
    return readerOf(db);
  } catch (error) {
    db?.close();
    if (!isSqliteError(error) || !error.code?.startsWith("SQLITE_BUSY")) throw asUserError(path, error);
    throw new UserError(`${path}: another process keeps it locked: end docker-agent, then import again`, {
      cause: error,
    });
  }
}

/** In the header of a database file, the version of the format for writing: 2 if it has a write-ahead log. */
const WRITE_VERSION_OFFSET = 18;

/**
 * True if the database is in write-ahead mode and no process has it open. Only then is it safe to read it without locks;
 * with locks, SQLite would create files beside it. https://www.sqlite.org/fileformat.html
 */
function isUnused(path: string): boolean {
  const hasCompanions = ["-wal", "-shm", "-journal"].some((end) =>
    statSync(`${path}${end}`, { throwIfNoEntry: false }),
  );
  if (hasCompanions) return false;
  const descriptor = openSync(path, "r");
  try {
    const header = new Uint8Array(WRITE_VERSION_OFFSET + 1);
    readSync(descriptor, header, 0, header.length, 0);
    return header[WRITE_VERSION_OFFSET] === 2;
  } finally {
    closeSync(descriptor);
  }
}

function checkSchema(db: Database, path: string): void {
  const tables = new Set(
    db
      .query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'table'")
      .all()
      .map(({ name }) => name),
  );
  if (!tables.has("sessions") || !tables.has("migrations"))
    throw new ConfigError(`${path}: is not a session database of docker-agent`);
  const { newest } = db.query<{ newest: unknown }, []>("SELECT max(id) AS newest FROM migrations").get() ?? {};
  const migration = typeof newest === "number" ? newest : 0;
  if (migration > MIGRATIONS.newest)
    throw new ConfigError(
      `${path}: was written by a newer docker-agent (migration ${migration}, this hooksh knows ${MIGRATIONS.newest}): update hooksh`,
    );
  if (migration < MIGRATIONS.oldest || !tables.has("session_items"))
    throw new ConfigError(
      `${path}: was written by an old docker-agent (migration ${migration}, hooksh reads ${MIGRATIONS.oldest} and later): start a current docker-agent once, which converts it`,
    );
}

function readerOf(db: Database): SessionDatabase {
  const sessions = columnsOf(db, "sessions").map(
    (name) =>
      // The expression keeps numbers as they are.
      `CASE typeof(${name}) WHEN 'text' THEN substr(${name}, 1, ${MAX_FIELD}) ELSE ${name} END AS ${name}`,
  );
  const items = columnsOf(db, "session_items");
  const characters = items.map((name) => `coalesce(sum(length(${name})), 0)`).join(" + ");
  const size = `SELECT count(*) AS items, ${characters} AS characters FROM session_items WHERE session_id = ?`;
  const { conversations, unreachable, unfinished } = familiesOf(db.query<FamilyRow, []>(FAMILIES).all());
  return {
    conversations,
    unreachable,
    session: (id) =>
      db.query<SourceRow<"sessions">, [string]>(`SELECT ${sessions.join(", ")} FROM sessions WHERE id = ?`).get(id) ??
      undefined,
    size: (id) => db.query<SessionSize, [string]>(size).get(id) ?? { items: 0, characters: 0 },
    items: (id) =>
      db
        .query<SourceRow<"session_items">, [string]>(
          `SELECT ${items.join(", ")} FROM session_items WHERE session_id = ? ORDER BY position, rowid`,
        )
        .all(id),
    unfinished: (id) => unfinished.get(id) ?? [],
    close: () => db.close(),
  };
}

/** A session, its parent, and whether an item of a session mentions it. One query reads all of them. */
interface FamilyRow {
  id: unknown;
  parent: unknown;
  mentioned: number;
}

const FAMILIES = `SELECT substr(id, 1, ${MAX_ID}) AS id, substr(parent_id, 1, ${MAX_ID}) AS parent,
  id IN (SELECT subsession_id FROM session_items WHERE subsession_id IS NOT NULL) AS mentioned
  FROM sessions ORDER BY created_at, rowid`;

/** Groups sessions into conversations. Takes time proportional to the number of sessions, however they are linked. */
function familiesOf(rows: readonly FamilyRow[]) {
  const sessions = rows.flatMap(({ id, parent, mentioned }) =>
    typeof id === "string"
      ? [{ id, parent: typeof parent === "string" ? parent : "", mentioned: mentioned === 1 }]
      : [],
  );
  const ids = new Set(sessions.map(({ id }) => id));
  const children = Map.groupBy(sessions, ({ parent }) => parent);
  const conversations = sessions.filter(({ parent }) => !ids.has(parent)).map(({ id }) => id);
  const reached = new Set(conversations);
  for (const id of reached) for (const child of children.get(id) ?? []) reached.add(child.id);
  const unmentioned = Map.groupBy(
    sessions.filter(({ mentioned }) => !mentioned),
    ({ parent }) => parent,
  );
  return {
    conversations,
    unreachable: sessions.map(({ id }) => id).filter((id) => !reached.has(id)),
    unfinished: new Map([...unmentioned].map(([parent, members]) => [parent, members.map(({ id }) => id)])),
  };
}

/** Returns the known columns that a table has. */
function columnsOf(db: Database, table: Table): string[] {
  const present = new Set(
    db
      .query<{ name: string }, []>(`PRAGMA table_info(${table})`)
      .all()
      .map(({ name }) => name),
  );
  return COLUMNS[table].filter((name) => present.has(name));
}
