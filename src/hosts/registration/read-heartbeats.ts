import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Dialect } from "../../dialects/dialect.ts";
import type { Help } from "../../lib/errors.ts";
import { escapeControls } from "../../lib/text/escape-controls.ts";
import type { EventName } from "../../protocol/events.ts";
import { HEARTBEATS, unknownToolsFile } from "./heartbeat.ts";

export const GUARD_NOT_IN_FORCE: Help = {
  cause: "The calls that the agent ran are not those about which it asked hooksh.",
  cure: "Run `hooksh status HOST` and do what it says; `hooksh install HOST` again, then `hooksh canary HOST` to see the guard work.",
};

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
  for (const name of [...namesOf(dialect, folder), unknownToolsFile(dialect)])
    rmSync(join(folder, name), { force: true });
}

/** Returns a warning that names the tools which a dialect's host called and hooksh does not know, with their counts. */
export function unknownTools(dialect: string, dataDir: string): string[] {
  const counts = new Map<string, number>();
  for (const line of linesOf(join(dataDir, HEARTBEATS, unknownToolsFile(dialect))))
    counts.set(line, (counts.get(line) ?? 0) + 1);
  if (counts.size === 0) return [];
  const seen = [...counts].map(([name, count]) => `${name} ${count}`).join(", ");
  return [
    `tools seen that no name of hooksh covers: ${seen}; only hooks whose matcher fits these names judge them, and unknown_tools: ask or deny judges all of them`,
  ];
}

function linesOf(path: string): string[] {
  try {
    const lines = readFileSync(path, "utf8").split("\n").filter(Boolean);
    return lines.map((line) => escapeControls(String(JSON.parse(line))));
  } catch {
    return []; // none was seen, or the last line was cut
  }
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

unguardedCalls.help = GUARD_NOT_IN_FORCE;
