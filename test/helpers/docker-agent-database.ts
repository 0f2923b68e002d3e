import { Database } from "bun:sqlite";
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";

/** A row of the table of sessions; missing columns get the default of the schema. */
export interface AgentSession {
  id: string;
  title?: string;
  created_at?: string;
  working_dir?: string;
  parent_id?: string | null;
  input_tokens?: number;
  output_tokens?: number;
  cost?: number;
  max_iterations?: number;
  permissions?: string;
  tools_approved?: number;
  safety_policy?: string;
  starred?: number;
  agent_model_overrides?: string;
  items?: AgentItem[];
}

/** A row of the table of items; `message` is stored as JSON. */
export interface AgentItem {
  item_type?: string;
  agent_name?: string;
  message?: unknown;
  message_json?: string;
  implicit?: number;
  subsession_id?: string | null;
  summary_text?: string;
  first_kept_entry?: number;
  cost?: number;
  model?: string;
  usage_json?: string;
}

const MIGRATIONS_TABLE =
  "CREATE TABLE migrations (id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL, description TEXT, applied_at TEXT NOT NULL)";

/**
 * The schema of docker-agent's session database after migration 29, in the order in which its migrations add the columns
 * (https://github.com/docker/docker-agent/blob/main/pkg/session/migrations.go).
 */
const SCHEMA = `
  CREATE TABLE sessions (
    id TEXT PRIMARY KEY, created_at TEXT, tools_approved BOOLEAN DEFAULT 0, input_tokens INTEGER DEFAULT 0,
    output_tokens INTEGER DEFAULT 0, title TEXT DEFAULT '', cost REAL DEFAULT 0, send_user_message BOOLEAN DEFAULT 1,
    max_iterations INTEGER DEFAULT 0, working_dir TEXT DEFAULT '', starred BOOLEAN DEFAULT 0, permissions TEXT DEFAULT '',
    agent_model_overrides TEXT DEFAULT '{}', custom_models_used TEXT DEFAULT '[]', thinking BOOLEAN DEFAULT 1,
    parent_id TEXT REFERENCES sessions(id) ON DELETE CASCADE, instruction_context TEXT DEFAULT '',
    safety_policy TEXT DEFAULT '', attributes TEXT DEFAULT '{}', origin TEXT NOT NULL DEFAULT 'run');
  CREATE TABLE session_items (
    id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, position INTEGER NOT NULL, item_type TEXT NOT NULL,
    agent_name TEXT, message_json TEXT, implicit BOOLEAN DEFAULT 0, subsession_id TEXT, summary_text TEXT,
    first_kept_entry INTEGER DEFAULT 0, cost REAL NOT NULL DEFAULT 0, model TEXT NOT NULL DEFAULT '',
    usage_json TEXT NOT NULL DEFAULT '',
    FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE,
    FOREIGN KEY (subsession_id) REFERENCES sessions(id) ON DELETE SET NULL);
  CREATE INDEX idx_session_items_session ON session_items(session_id, position);`;

/** Options of {@link writeAgentDatabase}. */
export interface AgentDatabaseOptions {
  /** The number of the last migration (default 29). */
  migration?: number;
  /** Keeps a write-ahead log, as docker-agent does (default true). */
  wal?: boolean;
}

/** The columns of the table of sessions that the first migrations add, in their order. */
const FIRST_COLUMNS = [
  "tools_approved BOOLEAN DEFAULT 0",
  "input_tokens INTEGER DEFAULT 0",
  "output_tokens INTEGER DEFAULT 0",
  "title TEXT DEFAULT ''",
  "cost REAL DEFAULT 0",
  "send_user_message BOOLEAN DEFAULT 1",
  "max_iterations INTEGER DEFAULT 0",
  "working_dir TEXT DEFAULT ''",
  "starred BOOLEAN DEFAULT 0",
  "permissions TEXT DEFAULT ''",
  "agent_model_overrides TEXT DEFAULT '{}'",
  "custom_models_used TEXT DEFAULT '[]'",
  "thinking BOOLEAN DEFAULT 1",
];

/** The table of items, as migration 14 makes it. */
const FIRST_ITEMS = `
  ALTER TABLE sessions ADD COLUMN parent_id TEXT REFERENCES sessions(id) ON DELETE CASCADE;
  CREATE TABLE session_items (
    id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, position INTEGER NOT NULL, item_type TEXT NOT NULL,
    agent_name TEXT, message_json TEXT, implicit BOOLEAN DEFAULT 0, subsession_id TEXT, summary_text TEXT);`;

/** A session of an old database: its columns, and the JSON of its messages. */
export type OldAgentSession = Readonly<Record<string, string | number>> & { id: string; messages: string };

/** Writes a session database as docker-agent's first migrations leave it, up to 14, and closes it. */
export function writeOldAgentDatabase(path: string, migration: number, sessions: readonly OldAgentSession[]): void {
  mkdirSync(dirname(path), { recursive: true });
  const db = new Database(path, { create: true });
  db.run("PRAGMA journal_mode = WAL");
  db.run("CREATE TABLE sessions (id TEXT PRIMARY KEY, messages TEXT, created_at TEXT)");
  db.run(MIGRATIONS_TABLE);
  for (const column of FIRST_COLUMNS.slice(0, migration)) db.run(`ALTER TABLE sessions ADD COLUMN ${column}`);
  if (migration >= 14) db.run(FIRST_ITEMS);
  recordMigrations(db, migration);
  for (const session of sessions) insert(db, "sessions", { created_at: "2026-03-04T10:00:00+02:00", ...session });
  db.close();
}

function recordMigrations(db: Database, newest: number): void {
  for (let id = 1; id <= newest; id++)
    db.query("INSERT INTO migrations VALUES (?, ?, '', '2026-01-01T00:00:00Z')").run(id, `${id}`.padStart(3, "0"));
}

/** Writes a session database of docker-agent, closes it, and returns its path. */
export function writeAgentDatabase(
  path: string,
  sessions: readonly AgentSession[],
  { migration = 29, wal = true }: AgentDatabaseOptions = {},
): string {
  mkdirSync(dirname(path), { recursive: true });
  const db = new Database(path, { create: true });
  if (wal) db.run("PRAGMA journal_mode = WAL");
  db.run(MIGRATIONS_TABLE);
  db.run(SCHEMA);
  recordMigrations(db, migration);
  db.transaction(() => {
    for (const { items = [], ...session } of sessions) {
      insert(db, "sessions", { created_at: "2026-03-04T10:00:00+02:00", working_dir: "/", ...session });
      items.forEach((item, position) =>
        insert(db, "session_items", { session_id: session.id, position, ...itemRow(item) }),
      );
    }
  })();
  db.close();
  return path;
}

function itemRow({ message, ...row }: AgentItem): Record<string, unknown> {
  return { item_type: "message", ...(message === undefined ? {} : { message_json: JSON.stringify(message) }), ...row };
}

function insert(db: Database, table: string, row: Record<string, unknown>): void {
  const names = Object.keys(row);
  const values = Object.values(row) as (string | number | null)[];
  db.query(`INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`).run(...values);
}
