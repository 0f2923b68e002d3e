import type { EventName } from "../protocol/events.ts";
import { defineHook, type HookEntry } from "./hooks.ts";

const BUILTIN = "elide_repeated_tool_results";
const FORGETTING: readonly EventName[] = ["session_start", "after_compaction", "session_end"];

/**
 * The hooks with those that `elide_repeated_tool_results` needs to forget in time, at the end: without them it would say
 * that nothing has changed about a text that a compaction took away.
 *
 * Source: hooks 11.10.
 */
export function withForgetting(entries: readonly HookEntry[]): HookEntry[] {
  const remembers = ({ event, hook }: HookEntry) => event === "tool_response_transform" && hook.type === "builtin" && hook.command === BUILTIN;
  if (!entries.some(remembers)) return [...entries];
  const hook = defineHook({ type: "builtin", command: BUILTIN });
  const added = FORGETTING.map((event): HookEntry => ({
    event, matcher: "", lane: "default", hook, path: [], quiet: true, source: async () => `${BUILTIN} under tool_response_transform`,
  }));
  return [...entries, ...added];
}
