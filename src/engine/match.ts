import { displayName, type HookEntry, hookIdentity } from "../config/hooks/read-hooks.ts";
import { withResetHooks } from "../config/hooks/reset-hooks.ts";
import { firstTime, once } from "../lib/once.ts";
import { compileMatcher } from "../pattern/pattern.ts";
import { contractOf, type EventName, type Lane } from "../protocol/events.ts";

/** A configured hook ready to be matched. */
export interface CompiledHook {
  entry: HookEntry;
  /** True if the matcher matches one of the names of the tool. Always true on events without a tool call. */
  matches: (names: readonly string[]) => boolean;
  /** Its name in messages: see `displayName`. */
  name: () => string;
  /** The same text for two hooks that are duplicates. */
  identity: () => string;
  /** True the first time it gets a warning about this hook. */
  isNewWarning: (warning: string) => boolean;
}

/** Whether a hook runs in a dispatch, and if not, why not. */
export type HookMatch =
  | { runs: true }
  | { runs: false; why: "other_event" | "other_lane" | "matcher" }
  | { runs: false; why: "duplicate"; of: CompiledHook };

/** Compiles hooks in order, plus the implicit ones they depend on. Throws a `PatternError` on an invalid matcher. */
export function compileHooks(entries: readonly HookEntry[]): CompiledHook[] {
  return withResetHooks(entries).map((entry) => ({
    entry,
    matches: contractOf(entry.event).matcher ? compileMatcher(entry.matcher) : () => true,
    name: once(() => displayName(entry.hook)),
    identity: once(() => hookIdentity(entry)),
    isNewWarning: firstTime(),
  }));
}

/**
 * Returns for every hook whether it runs for the event, the lane and the names of the tool, and if not, why not. Pure.
 * Dispatching and explaining both use this function, so they cannot disagree.
 */
export function matchHooks(
  hooks: readonly CompiledHook[],
  event: EventName,
  lane: Lane,
  names: readonly string[],
): HookMatch[] {
  const seen = new Map<string, CompiledHook>();
  return hooks.map((hook) => {
    if (hook.entry.event !== event) return { runs: false, why: "other_event" };
    if (hook.entry.lane !== lane) return { runs: false, why: "other_lane" };
    if (!hook.matches(names)) return { runs: false, why: "matcher" };
    const first = seen.get(hook.identity());
    if (first) return { runs: false, why: "duplicate", of: first };
    seen.set(hook.identity(), hook);
    return { runs: true };
  });
}

/** Returns the hooks that run, in configuration order and without duplicates. */
export function selectHooks(
  hooks: readonly CompiledHook[],
  event: EventName,
  lane: Lane,
  names: readonly string[],
): CompiledHook[] {
  const matches = matchHooks(hooks, event, lane, names);
  return hooks.filter((_hook, index) => matches[index]?.runs);
}
