import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import * as v from "valibot";
import { requireRegularIfExists } from "../../lib/files/read-file.ts";
import { openSqlite } from "../../lib/platform.ts";

export interface Memory {
  id: string;
  created_at: string;
  memory: string;
  category: string;
}

/** Memories in a SQLite file, in the order in which they were added. Every method throws if the file cannot be used. */
export interface MemoryStore {
  all(): Memory[];
  /** Returns the id of the new memory. */
  add(memory: string, category: string): string;
  /** Changes the text, and the category if one is given. Returns false if the id does not exist. */
  update(id: string, memory: string, category: string | undefined): boolean;
  /** Returns false if the id does not exist. */
  remove(id: string): boolean;
  close(): void;
}

const rowsSchema = v.array(
  v.object({ id: v.string(), created_at: v.string(), memory: v.string(), category: v.string() }),
);

/** Opens the file. Creates it, its table, and a column that older files lack. */
export async function openMemoryStore(path: string): Promise<MemoryStore> {
  mkdirSync(dirname(path), { recursive: true });
  requireRegularIfExists(path);
  const database = openSqlite(path, { create: true });
  database.run("PRAGMA busy_timeout = 5000");
  database.run(
    "CREATE TABLE IF NOT EXISTS memories (id TEXT PRIMARY KEY, created_at TEXT, memory TEXT, category TEXT DEFAULT '')",
  );
  const columns = v.parse(v.array(v.object({ name: v.string() })), database.query("PRAGMA table_info(memories)").all());
  if (!columns.some(({ name }) => name === "category")) {
    database.run("ALTER TABLE memories ADD COLUMN category TEXT DEFAULT ''");
  }

  const select = `SELECT id, coalesce(created_at, '') AS created_at, coalesce(memory, '') AS memory,
    coalesce(category, '') AS category FROM memories ORDER BY created_at, id`;
  return {
    all: () => v.parse(rowsSchema, database.query(select).all()),
    add: (memory, category) => {
      const id = newId();
      const created = new Date().toISOString();
      const sql = "INSERT INTO memories (id, created_at, memory, category) VALUES (?, ?, ?, ?)";
      database.run(sql, [id, created, memory, category]);
      return id;
    },
    update: (id, memory, category) => {
      const sql = "UPDATE memories SET memory = ?, category = coalesce(?, category) WHERE id = ?";
      return database.run(sql, [memory, category ?? null, id]).changes > 0;
    },
    remove: (id) => database.run("DELETE FROM memories WHERE id = ?", [id]).changes > 0,
    close: () => database.close(),
  };
}

let lastId = 0n;

/** Returns an id: nanoseconds since 1970, unique within the process. */
function newId(): string {
  const now = BigInt(Date.now()) * 1_000_000n;
  lastId = now > lastId ? now : lastId + 1n;
  return String(lastId);
}
