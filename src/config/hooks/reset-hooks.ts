import { BUILTINS } from "../../../builtins/index.ts";
import type { BuiltinRow } from "../../protocol/builtin.ts";
import { defineHook, type HookEntry } from "./read-hooks.ts";

/**
 * The hooks, and at the end those that builtins among them need to forget in time: without them a builtin that compares
 * tool responses would say that nothing has changed about a text that a compaction took away.
 */
export function withResetHooks(entries: readonly HookEntry[]): HookEntry[] {
  const added = Object.entries<BuiltinRow>(BUILTINS).flatMap(([command, { forgetsOn = [] }]) => {
    const remembering = entries.find(
      ({ event, hook }) => hook.type === "builtin" && hook.command === command && !forgetsOn.includes(event),
    );
    if (!remembering) return [];
    const source = async () => `${command} under ${remembering.event}`;
    return forgetsOn.map(
      (event): HookEntry => ({
        event,
        matcher: "",
        lane: "default",
        hook: defineHook({ type: "builtin", command }),
        path: [],
        implicit: true,
        source,
      }),
    );
  });
  return [...entries, ...added];
}
