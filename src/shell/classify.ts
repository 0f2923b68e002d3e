import { LENGTH_LIMIT } from "./command-line.ts";
import type { BlastRadius } from "./destructive.ts";
import { findDestructive } from "./destructive.ts";
import { findSafe } from "./safe.ts";

/** The label of a command line. It is a hint, and must never be the only thing between a command and the system. */
export interface CommandSafety {
  label: "safe" | "destructive" | "unknown";
  blastRadius: BlastRadius | "safe";
  /** The kind of operation, such as `fs-delete`; absent when unknown. */
  category?: string;
  /** The pattern that matched; absent when unknown. */
  reason?: string;
}

/**
 * Labels a command line by its text alone, in time linear in its length.
 *
 * A line is destructive if it runs a command that a table lists as such, also after launchers, in nested code, and in
 * values of variables that the line shows. It is safe if the whole line matches a read-only pattern and holds nothing
 * with which a shell could start something else, and no variable that may hold a secret. A line longer than 131072
 * characters is judged by its beginning and is never safe.
 */
export function classifyCommand(command: string): CommandSafety {
  const worst = findDestructive(command.slice(0, LENGTH_LIMIT));
  if (worst) {
    const reason = `Command matches destructive operation: ${worst.pattern}`;
    return { label: "destructive", blastRadius: worst.radius, category: worst.category, reason };
  }
  const safe = command.length > LENGTH_LIMIT ? undefined : findSafe(command);
  if (safe) {
    const reason = `Command matches safe read-only pattern: ${safe.pattern}`;
    return { label: "safe", blastRadius: "safe", category: safe.category, reason };
  }
  return { label: "unknown", blastRadius: "unknown" };
}
