import { basename, join } from "node:path";
import { readConfigDirectory } from "../config/hooks/config-directory.ts";
import type { HookEntry } from "../config/hooks/read-hooks.ts";
import type { PlacedRule } from "../config/rules/load-rules.ts";
import type { Directories } from "../lib/env.ts";
import { omitEmpty } from "../lib/json.ts";
import { counted } from "../lib/text/counted.ts";

/** A place that hooks come from. */
export interface HookPlace {
  /** A file, a flag, a setting of the agent, or a builtin that is always there. */
  place: string;
  /** The number of hooks that come from it. */
  hooks: number;
  /** The number of rules; absent if it has none. */
  rules?: number;
  /** Why none of its hooks are in effect, if it exists and has none. */
  note?: string;
}

/**
 * Returns the places of hooks in configuration order, then those of the user's configuration that have none: a user who
 * misses a hook finds where hooksh looked for it.
 */
export async function placesOf(
  entries: readonly HookEntry[],
  rules: readonly PlacedRule[],
  { config }: Pick<Directories, "config">,
  noUserHooks: boolean,
): Promise<HookPlace[]> {
  const counts = new Map<string, number>();
  for (const entry of entries) {
    const place = await placeOf(entry);
    counts.set(place, (counts.get(place) ?? 0) + 1);
  }
  const ruleCounts = new Map<string, number>();
  for (const rule of rules) {
    const place = await placeOf(rule);
    ruleCounts.set(place, (ruleCounts.get(place) ?? 0) + 1);
    counts.set(place, counts.get(place) ?? 0);
  }
  const found = readConfigDirectory(config);
  const own = [found.config ?? join(config, "config.yaml"), ...found.dropIns];
  if (found.dropIns.length === 0) own.push(join(config, "hooks.d"));
  const existing = new Set([found.config, ...found.dropIns]);
  const without = own
    .filter((place) => !counts.has(place))
    .map((place) => ({
      place,
      hooks: 0,
      note: !existing.has(place)
        ? "not there, or empty"
        : noUserHooks
          ? "left out by --no-user-hooks"
          : "defines no hook",
    }));
  const withHooks = [...counts].map(([place, hooks]) => ({
    place,
    hooks,
    ...omitEmpty({ rules: ruleCounts.get(place) }),
  }));
  return [...withHooks, ...without];
}

async function placeOf({ document, source }: Pick<HookEntry, "source" | "document">): Promise<string> {
  if (document === undefined) return source();
  const { file, directory } = document;
  return directory === undefined ? file : join(directory, basename(file));
}

/** Formats the places of hooks, one on a line. */
export function renderPlaces(places: readonly HookPlace[]): string {
  const wide = Math.max(...places.map(({ hooks }) => String(hooks).length));
  return places
    .map(({ place, hooks, rules, note = rules === undefined ? undefined : `and ${counted(rules, "rule")}` }) => {
      return `${String(hooks).padStart(wide)}  ${place}${note === undefined ? "" : ` (${note})`}`;
    })
    .join("\n");
}
