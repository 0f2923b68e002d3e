import type { HookEntry } from "../config/hooks/read-hooks.ts";
import { withResetHooks } from "../config/hooks/reset-hooks.ts";
import { canonicalJson } from "../lib/json.ts";
import { compileMatcher } from "../pattern/matcher.ts";
import { contractOf, type EventName, type Lane } from "../protocol/events.ts";

/** A configured hook ready to be matched. */
export interface CompiledHook {
  entry: HookEntry;
  /** True when the matcher takes one of the tool's names; always true on flat events. */
  matches: (names: readonly string[]) => boolean;
  /** Equal for hooks that are duplicates of each other. */
  identity: () => string;
}

/** Whether a configured hook takes part in a dispatch, and if not, why not. */
export type HookMatch =
  | { runs: true }
  | { runs: false; why: "other_event" | "other_lane" | "matcher" }
  | { runs: false; why: "duplicate"; of: CompiledHook };

/** Compiles hooks in configuration order, plus the implicit ones they depend on. Throws a `PatternError` on an invalid matcher. */
export function compileHooks(entries: readonly HookEntry[]): CompiledHook[] {
  return withResetHooks(entries).map((entry) => ({
    entry,
    matches: contractOf(entry.event).matcher ? compileMatcher(entry.matcher) : () => true,
    identity: once(() => identityOf(entry)),
  }));
}

/**
 * Says of every hook, in configuration order, whether it runs for an event, a lane and a tool's names, and why not.
 * Pure; everything that selects or explains hooks goes through here.
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

/** The hooks that run, in configuration order, each once. */
export function selectHooks(
  hooks: readonly CompiledHook[],
  event: EventName,
  lane: Lane,
  names: readonly string[],
): CompiledHook[] {
  const verdicts = matchHooks(hooks, event, lane, names);
  return hooks.filter((_hook, index) => verdicts[index]?.runs);
}

/** Two files that declare the same hook declare it once, unless it depends on the folder of its file. */
function identityOf({ hook, directory }: HookEntry): string {
  const text = canonicalJson(hook);
  return /hook_dir/i.test(text) ? `${directory ?? ""}\0${text}` : text;
}

function once(make: () => string): () => string {
  let made: string | undefined;
  return () => (made ??= make());
}
