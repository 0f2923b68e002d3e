import { closeSync, openSync, readSync, statSync } from "node:fs";
import { ConfigError, UserError } from "../../lib/errors.ts";
import { requireRegularIfExists } from "../../lib/files/read-file.ts";
import { type Database, isSqliteError, openForeignSqlite } from "../../lib/platform.ts";
import { asUserError } from "../../runtime/store/database.ts";
import { itemsOfColumn, type NestedSession } from "./message-column.ts";

/**
 * The last migration of docker-agent after which this code can read a session database
 * (https://github.com/docker/docker-agent/blob/main/pkg/session/migrations.go).
 */
const NEWEST_MIGRATION = 38;

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
  const hasItems = tables.has("session_items") || hasColumn(db, "sessions", "messages");
  if (!tables.has("migrations") || !hasColumn(db, "sessions", "created_at") || !hasItems)
    throw new ConfigError(`${path}: is not a session database of docker-agent`);
  const { newest } = db.query<{ newest: unknown }, []>("SELECT max(id) AS newest FROM migrations").get() ?? {};
  const migration = typeof newest === "number" ? newest : 0;
  if (migration > NEWEST_MIGRATION)
    throw new ConfigError(
      `${path}: was written by a newer docker-agent (migration ${migration}, this hooksh knows ${NEWEST_MIGRATION}): update hooksh`,
    );
}

function readerOf(db: Database): SessionDatabase {
  const sessions = columnsOf(db, "sessions").map(
    (name) =>
      // The expression keeps numbers as they are.
      `CASE typeof(${name}) WHEN 'text' THEN substr(${name}, 1, ${MAX_FIELD}) ELSE ${name} END AS ${name}`,
  );
  const items = columnsOf(db, "session_items");
  const tables = items.length > 0 ? tableOf(db, items) : undefined;
  const column = hasColumn(db, "sessions", "messages") ? columnOf(db) : undefined;
  const { conversations, unreachable, unfinished } = familiesOf(familiesIn(db));
  return {
    conversations,
    unreachable,
    session: (id) =>
      db.query<SourceRow<"sessions">, [string]>(`SELECT ${sessions.join(", ")} FROM sessions WHERE id = ?`).get(id) ??
      column?.session(id),
    size: (id) => {
      const size = tables?.size(id) ?? NOTHING;
      return size.items > 0 ? size : (column?.size(id) ?? size);
    },
    items: (id) => {
      const rows = tables?.items(id) ?? [];
      return rows.length > 0 ? rows : (column?.items(id) ?? []);
    },
    unfinished: (id) => unfinished.get(id) ?? [],
    close: () => db.close(),
  };
}

const NOTHING: SessionSize = { items: 0, characters: 0 };

/** Reads the items of sessions from the table that has a row for each. */
function tableOf(db: Database, columns: readonly string[]): Pick<SessionDatabase, "size" | "items"> {
  const characters = columns.map((name) => `coalesce(sum(length(${name})), 0)`).join(" + ");
  const size = `SELECT count(*) AS items, ${characters} AS characters FROM session_items WHERE session_id = ?`;
  const rows = `SELECT ${columns.join(", ")} FROM session_items WHERE session_id = ? ORDER BY position, rowid`;
  return {
    size: (id) => db.query<SessionSize, [string]>(size).get(id) ?? NOTHING,
    items: (id) => db.query<SourceRow<"session_items">, [string]>(rows).all(id),
  };
}

/**
 * Reads the items of sessions from the column that held them before migration 14; later databases have it for sessions
 * that docker-agent could not convert. Knows the sub-sessions of the conversation that was read last.
 */
function columnOf(db: Database): Pick<SessionDatabase, "session" | "size" | "items"> {
  const nested = new Map<string, NestedSession>();
  const size = `SELECT CASE WHEN json_valid(messages) THEN json_array_length(messages) ELSE 0 END AS items,
    coalesce(length(messages), 0) AS characters FROM sessions WHERE id = ?`;
  return {
    session: (id) => nested.get(id)?.row,
    size: (id) => {
      const inside = nested.get(id);
      if (inside) return { items: inside.items.length, characters: 0 }; // the conversation counts its characters
      return db.query<SessionSize, [string]>(size).get(id) ?? NOTHING;
    },
    items: (id) => {
      const inside = nested.get(id);
      if (inside) return inside.items;
      nested.clear();
      const stored = db.query<{ messages: unknown }, [string]>("SELECT messages FROM sessions WHERE id = ?").get(id);
      return stored?.messages ? itemsOfColumn(stored.messages, nested) : [];
    },
  };
}

/** A session, its parent, and whether an item of a session mentions it. One query reads all of them. */
interface FamilyRow {
  id: unknown;
  parent: unknown;
  mentioned: number;
}

function familiesIn(db: Database): FamilyRow[] {
  const parent = hasColumn(db, "sessions", "parent_id") ? `substr(parent_id, 1, ${MAX_ID})` : "NULL";
  const mentioned = hasColumn(db, "session_items", "subsession_id")
    ? "id IN (SELECT subsession_id FROM session_items WHERE subsession_id IS NOT NULL)"
    : "0";
  const families = `SELECT substr(id, 1, ${MAX_ID}) AS id, ${parent} AS parent, ${mentioned} AS mentioned
    FROM sessions ORDER BY created_at, rowid`;
  return db.query<FamilyRow, []>(families).all();
}

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

/** Returns the known columns that a table has; none if there is no such table. */
function columnsOf(db: Database, table: Table): string[] {
  return COLUMNS[table].filter((name) => hasColumn(db, table, name));
}

function hasColumn(db: Database, table: Table, column: string): boolean {
  return db.query(`SELECT 1 FROM pragma_table_info('${table}') WHERE name = ?`).get(column) !== null;
}
