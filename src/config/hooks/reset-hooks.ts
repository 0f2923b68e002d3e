import { BUILTINS } from "../../../builtins/index.ts";
import type { BuiltinRow } from "../../protocol/builtin.ts";
import { defineHook, type HookEntry } from "./read-hooks.ts";

/**
 * Appends hooks that reset the memory of builtins, such as one that compares tool responses: after a compaction it must
 * not report a response as unchanged, because the model no longer has the earlier one.
 */
export function withResetHooks(entries: readonly HookEntry[]): HookEntry[] {
  const added = Object.entries<BuiltinRow>(BUILTINS).flatMap(([command, { forgetsOn = [] }]) => {
    const stateful = entries.find(
      ({ event, hook }) => hook.type === "builtin" && hook.command === command && !forgetsOn.includes(event),
    );
    if (!stateful) return [];
    const source = async () => `${command} under ${stateful.event}`;
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
