import { errorText } from "../lib/errors.ts";
import { type Database, openSqlite, sleep } from "../lib/platform.ts";
import { settleWithin } from "../lib/settle-within.ts";

const RETRY_MS = 20;

/** For each lock, the last task of this process that waits for it. */
const lines = new Map<string, Promise<unknown>>();

/** How long to wait for other holders. */
export interface LockWait {
  waitMs: number;
  signal?: AbortSignal | undefined;
}

/**
 * Runs a task while no other task, in this process or another, holds the same lock. Throws if the lock is not free in
 * time.
 *
 * The lock is an exclusive SQLite transaction on an empty file: the kernel releases it when the process ends for any
 * reason, so there are no stale locks.
 */
export async function withLock<T>(path: string, wait: LockWait, task: () => Promise<T>): Promise<T> {
  const before = lines.get(path) ?? Promise.resolve();
  const turn = Promise.withResolvers<void>();
  const line = before.then(() => turn.promise);
  lines.set(path, line);
  void line.then(() => {
    if (lines.get(path) === line) lines.delete(path);
  });
  const deadline = Date.now() + wait.waitMs;
  try {
    await within(before, wait);
    const database = await acquire(path, deadline, wait.signal);
    try {
      return await task();
    } finally {
      database.run("ROLLBACK");
      database.close();
    }
  } finally {
    turn.resolve();
  }
}

/** Waits until the work has settled. Throws if it takes longer than the wait. */
async function within(work: Promise<unknown>, { waitMs, signal }: LockWait): Promise<void> {
  const { kind } = await settleWithin(work, { ms: waitMs, signal });
  if (kind === "timed_out") throw new Error(`waited ${waitMs} ms for another snapshot to end`);
  if (kind === "aborted") throw new Error("canceled");
}

async function acquire(path: string, deadline: number, signal: AbortSignal | undefined): Promise<Database> {
  const database = openSqlite(path, { create: true, readwrite: true });
  try {
    for (;;) {
      if (signal?.aborted) throw new Error("canceled");
      if (tryBegin(database)) return database;
      if (Date.now() > deadline) throw new Error(`lock ${JSON.stringify(path)}: held by another process`);
      await sleep(RETRY_MS);
    }
  } catch (error) {
    database.close();
    throw error;
  }
}

function tryBegin(database: Database): boolean {
  try {
    database.run("BEGIN EXCLUSIVE");
    return true;
  } catch (error) {
    if (/locked|busy/i.test(errorText(error))) return false;
    throw error;
  }
}
