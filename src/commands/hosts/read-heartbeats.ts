import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Dialect } from "../../dialects/dialect.ts";
import type { EventName } from "../../protocol/events.ts";
import { HEARTBEATS } from "../dispatch/heartbeat.ts";

/** How often a host called hooksh for an event, and when it did so last. */
export interface Heartbeat {
  /** In the host's spelling. */
  event: string;
  count: number;
  /** As in `2026-11-22T21:00:00.000Z`. */
  last: string;
}

/** Returns the heartbeats of a dialect, the latest first. */
export function heartbeatsOf(dialect: string, dataDir: string): Heartbeat[] {
  const folder = join(dataDir, HEARTBEATS);
  return namesOf(dialect, folder)
    .flatMap((name) => {
      const stats = statSync(join(folder, name), { throwIfNoEntry: false });
      return stats
        ? [{ event: name.slice(dialect.length + 1), count: stats.size, last: stats.mtime.toISOString() }]
        : [];
    })
    .sort((a, b) => b.last.localeCompare(a.last));
}

/** Forgets the heartbeats of a dialect: its registration changed, and counts are compared. */
export function forgetHeartbeats(dialect: string, dataDir: string): void {
  const folder = join(dataDir, HEARTBEATS);
  for (const name of namesOf(dialect, folder)) rmSync(join(folder, name), { force: true });
}

function namesOf(dialect: string, folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.startsWith(`${dialect}.`));
  } catch {
    return []; // no host has called yet
  }
}

/**
 * Returns a warning if the host reported more finished tool calls than it asked about before. `registered` are the
 * events that hooksh is registered for.
 */
export function unguardedCalls(
  dialect: Dialect,
  heartbeats: readonly Heartbeat[],
  registered: ReadonlySet<string>,
): string[] {
  const countOf = (own: EventName) => {
    const events = heartbeats.filter(({ event }) => registered.has(event) && dialect.events[event]?.is.includes(own));
    return { names: events.map(({ event }) => event), count: events.reduce((sum, { count }) => sum + count, 0) };
  };
  const isGuarded = [...registered].some((event) => dialect.events[event]?.is.includes("pre_tool_use"));
  const [before, after] = [countOf("pre_tool_use"), countOf("post_tool_use")];
  if (!isGuarded || after.count <= before.count) return [];
  return [
    `finished tool calls seen: ${after.count} (${after.names.join(", ")}), asked about before they ran: ${before.count}; the guard is not in force for all calls`,
  ];
}
