import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { findGit } from "../lib/process/git.ts";
import { withLock } from "./lock.ts";
import { finishRestore, type Restored } from "./restore.ts";
import { clearLeftovers, type Shadow, setUpShadow, shadowExists, shadowOf } from "./shadow.ts";
import { findWorktree, type Place } from "./worktree.ts";

/** How long to wait for another process. */
const WAIT_MS = 30_000;

/**
 * Calls `use` with the shadow of the worktree while it is locked, after completing a restoration that was interrupted
 * (whose result is passed along). Returns undefined without calling `use` outside a worktree or without git. Throws if
 * the lock is not free in time.
 */
export async function withShadow<T>(
  place: Place,
  use: (shadow: Shadow, completed: Restored | undefined) => Promise<T>,
  absent: "create" | "skip" = "create",
): Promise<T | undefined> {
  const git = findGit(place.env, place.signal);
  const worktree = git && (await findWorktree(git, place.cwd));
  if (!git || !worktree) return undefined;
  const shadow = shadowOf(git, worktree, place.dataDir);
  if (absent === "skip" && !shadowExists(shadow)) return undefined;
  mkdirSync(shadow.state, { recursive: true, mode: 0o700 });
  return withLock(join(shadow.state, "lock"), { waitMs: WAIT_MS, signal: place.signal }, async () => {
    clearLeftovers(shadow);
    await setUpShadow(shadow);
    return use(shadow, await finishRestore(shadow));
  });
}
