import { closeSync, constants, openSync } from "node:fs";
import { join } from "node:path";
import { sleep } from "../lib/platform.ts";
import { tryLock } from "../lib/process/descriptors.ts";

/** Milliseconds between two attempts, at first and at most; a writer holds the lock for less than one. */
const RETRY_MS = { first: 0.5, most: 10 };

const FLAGS = constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Runs a task while no other task, in this process or another, holds the lock of a folder. The task gets the descriptor
 * of the lock's file. Throws if the lock is not free in time, or if its file cannot be opened.
 *
 * The kernel releases the lock when its process ends for any reason, SIGKILL included, so there are no stale locks. If
 * the lock is free, everything happens before this function returns.
 */
export function whileLocked<T>(folder: string, waitMs: number, task: (descriptor: number) => T): T | Promise<T> {
  if (process.platform === "win32") return whileDatabaseLocked(folder, waitMs, task);
  const descriptor = openLock(folder);
  if (!tryLock(descriptor)) return waitForLock(descriptor, waitMs, task);
  return release(descriptor, task);
}

async function waitForLock<T>(descriptor: number, waitMs: number, task: (descriptor: number) => T): Promise<T> {
  const deadline = performance.now() + waitMs;
  for (let pause = RETRY_MS.first; performance.now() < deadline; pause = Math.min(pause * 2, RETRY_MS.most)) {
    // Writers that began to wait together must not ask together again.
    await sleep(pause * (0.5 + Math.random()));
    if (tryLock(descriptor)) return release(descriptor, task);
  }
  closeSync(descriptor);
  throw new Error(`another process has held the lock for ${waitMs} ms`);
}

/** Runs the task; closing the only descriptor of the open file releases its lock. */
function release<T>(descriptor: number, task: (descriptor: number) => T): T {
  try {
    return task(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Windows has no flock(2). A transaction of SQLite is released with its process too, but takes longer to load. */
export async function whileDatabaseLocked<T>(
  folder: string,
  waitMs: number,
  task: (descriptor: number) => T,
): Promise<T> {
  const descriptor = openLock(folder);
  const { withLock } = await import("../snapshot/lock.ts");
  return withLock(join(folder, "lock.sqlite"), { waitMs }, async () => task(descriptor)).finally(() =>
    closeSync(descriptor),
  );
}

function openLock(folder: string): number {
  return openSync(join(folder, "lock"), FLAGS, 0o600);
}
