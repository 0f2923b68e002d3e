import { closeSync, constants, openSync, statSync } from "node:fs";
import { join } from "node:path";
import { sleep } from "../lib/platform.ts";
import { tryLock } from "../lib/process/descriptors.ts";
import { auditMonths, monthFile } from "./files.ts";

/** Milliseconds between two attempts, at first and at most; a writer holds the lock for less than one. */
const RETRY_MS = { first: 0.5, most: 10 };

/** How many times `waitMs` a task waits at most while others write their lines. */
const MOST_WAITS = 6;

const FLAGS = constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** A task that waits for its turn. */
interface Waiting {
  run: (descriptor: number) => void;
  giveUp: (error: unknown) => void;
  waitMs: number;
  since: number;
}

/** The tasks of this process that wait, by folder: they ask for the lock once for all, and keep their order. */
const queues = new Map<string, Waiting[]>();

/**
 * Runs a task while no other task, in this process or another, holds the lock of a folder. The task gets the descriptor
 * of the lock's file. Throws if the lock's file cannot be opened, or if the lock is not free and for `waitMs` no line is
 * added to the log: then the holder is stopped, and there is no queue to wait in.
 *
 * The kernel releases the lock when its process ends for any reason, SIGKILL included, so there are no stale locks. If
 * the lock is free, everything happens before this function returns.
 */
export function whileLocked<T>(folder: string, waitMs: number, task: (descriptor: number) => T): T | Promise<T> {
  if (process.platform === "win32") return whileDatabaseLocked(folder, waitMs, task);
  const joined = queues.get(folder);
  if (joined) return enqueue(joined, waitMs, task);
  const descriptor = openLock(folder);
  if (tryLock(descriptor)) return release(descriptor, () => task(descriptor));
  const queue: Waiting[] = [];
  queues.set(folder, queue);
  const done = enqueue(queue, waitMs, task);
  void serveQueue(folder, queue, descriptor);
  return done;
}

function enqueue<T>(queue: Waiting[], waitMs: number, task: (descriptor: number) => T): Promise<T> {
  return new Promise((resolve, giveUp) => {
    const run = (descriptor: number) => resolve(new Promise((done) => done(task(descriptor))));
    queue.push({ run, giveUp, waitMs, since: performance.now() });
  });
}

/** Asks for the lock until the queue is empty; under the lock, all that wait take their turns. Never rejects. */
async function serveQueue(folder: string, queue: Waiting[], descriptor: number): Promise<void> {
  let log = logSize(folder);
  let grownAt = 0;
  let pause = RETRY_MS.first;
  try {
    while (queue.length > 0) {
      // Writers that began to wait together must not ask together again.
      await sleep(pause * (0.5 + Math.random()));
      const asked = performance.now();
      if (tryLock(descriptor)) {
        for (const { run } of queue.splice(0)) run(descriptor);
        return;
      }
      const now = performance.now();
      // Without the JIT each attempt is a process.
      pause = Math.max(Math.min(pause * 2, RETRY_MS.most), 5 * (now - asked));
      const isOver = ({ waitMs, since }: Waiting) =>
        now - Math.max(since, grownAt) >= waitMs || now - since >= waitMs * MOST_WAITS;
      if (queue.some(isOver) && log !== (log = logSize(folder))) grownAt = now;
      for (const waiting of queue.filter(isOver)) {
        queue.splice(queue.indexOf(waiting), 1);
        waiting.giveUp(new Error(`another process has held the lock for ${waiting.waitMs} ms`));
      }
    }
  } catch (error) {
    for (const { giveUp } of queue.splice(0)) giveUp(error);
  } finally {
    queues.delete(folder);
    closeSync(descriptor);
  }
}

/** Returns what changes with each line, the newest file and its size; empty if they cannot be seen. */
function logSize(folder: string): string {
  try {
    const newest = monthFile(folder, auditMonths(folder).at(-1) ?? "");
    return `${newest} ${statSync(newest).size}`;
  } catch {
    return "";
  }
}

/** Runs the task; closing the only descriptor of the open file releases its lock. */
function release<T>(descriptor: number, task: () => T): T {
  try {
    return task();
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
