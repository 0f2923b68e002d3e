/** Session files of version 1, written by the executable of that time: test/fixtures/sessions/version-1.db. */
import { Database } from "bun:sqlite";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import type { Block, Message } from "../../../src/model/messages/message.ts";
import { messagesOf } from "../../../src/runtime/session/session.ts";
import { openStore, type Store } from "../../../src/runtime/store/store.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

const FIXTURE = join(import.meta.dir, "../../fixtures/sessions/version-1.db");

/** Returns a copy of the fixture, changed by SQL. */
export function oldFile(...statements: string[]): string {
  const path = join(tempDir(), "session.db");
  copyFileSync(FIXTURE, path);
  onFile(path, (db) => statements.forEach((statement) => db.run(statement)));
  return path;
}

export function onFile<T>(path: string, work: (db: Database) => T): T {
  const db = new Database(path);
  try {
    return work(db);
  } finally {
    db.close();
  }
}

export function withStore<T>(path: string, work: (store: Store) => T): T {
  const store = openStore(path);
  try {
    return work(store);
  } finally {
    store.close();
  }
}

export const versionOf = (path: string) =>
  onFile(path, (db) => db.query<{ version: number }, []>("SELECT version FROM schema_version").get()?.version);

export const bodiesOf = (path: string) =>
  onFile(path, (db) =>
    db
      .query<{ body: string }, []>("SELECT body FROM items ORDER BY rowid")
      .all()
      .map(({ body }) => body),
  );

/** Returns an old file with one more session, of `messages` messages of 10 kB. */
export function longFile(messages: number): string {
  const text = `replace(hex(zeroblob(5000)), '00', 'xy')`;
  return oldFile(
    `INSERT INTO sessions (id, fields, updated_at) SELECT 'long', json_set(fields, '$.id', 'long'), updated_at FROM sessions WHERE id = 'claude'`,
    `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${messages - 1})
     INSERT INTO items (session_id, position, kind, body)
     SELECT 'long', i, 'message', json_object('kind', 'message', 'agent', 'root', 'message',
       json_object('role', 'assistant', 'model', 'anthropic/claude-sonnet-4-5', 'content', i || ${text}, 'reasoning_content', 'why', 'thinking_signature', 'sig-' || i)) FROM n`,
  );
}

export function messagesIn(path: string, id: string): Message[] {
  const session = withStore(path, (store) => store.load(id));
  return session ? messagesOf(session).map(({ message }) => message) : [];
}

export const blocksIn = (path: string, id: string): (readonly Block[])[] =>
  messagesIn(path, id).map(({ blocks }) => blocks);

export const claude = (data?: object) => ({ provider: "anthropic", api: "anthropic", ...(data ? { data } : {}) });

/** A program that opens the file of its first argument, which migrates it. */
export const MIGRATE = `
  import { openStore } from ${JSON.stringify(join(import.meta.dir, "../../../src/runtime/store/store.ts"))};
  openStore(process.argv[1]).close();`;

/** Opens a file in another process. */
export const open = (path: string) =>
  Bun.spawn([process.execPath, "-e", MIGRATE, path], { stdout: "ignore", stderr: "pipe" });
