import { LENGTH_LIMIT } from "./command-line.ts";
import type { BlastRadius } from "./destructive.ts";
import { findDestructive } from "./destructive.ts";
import { findSafe } from "./safe.ts";

/** What is known of a command line before it runs. A label, never the only thing between a command and the system. */
export interface CommandSafety {
  label: "safe" | "destructive" | "unknown";
  blastRadius: BlastRadius | "safe";
  /** The kind of operation, such as `fs-delete`; absent when unknown. */
  category?: string;
  /** Which pattern it matched; absent when unknown. */
  reason?: string;
}

/**
 * Labels a command line by its text alone, in time linear in its length. It is destructive if it runs a command that a
 * table lists as such: behind launchers, in code within code, in the values of variables that the line shows. It is safe
 * if as a whole it matches a read-only pattern, and holds nothing by which a shell could start something else, or a
 * variable that may hold a secret. Options are told apart by case. A text beyond 131072 characters is judged by its
 * beginning and is never safe.
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
