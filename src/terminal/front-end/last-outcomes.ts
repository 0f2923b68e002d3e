import type { HookDefinition } from "../../config/hooks/read-hooks.ts";
import type { DispatchObserver } from "../../engine/dispatch-record.ts";
import { outcomeName } from "../../engine/dispatch-record.ts";

/** What the last dispatch of a hook ended with: `deny, 12 ms`. */
export type LastOutcomes = WeakMap<HookDefinition, string>;

/** Returns an observer that remembers the last outcome of every hook. */
export function outcomeObserver(outcomes: LastOutcomes): DispatchObserver {
  return () => ({
    settled({ runs }) {
      for (const { hook, outcome, decision, milliseconds } of runs) {
        const words = decision === "none" ? outcomeName(outcome) : decision;
        outcomes.set(hook.entry.hook, `${words}, ${Math.round(milliseconds)} ms`);
      }
      return undefined;
    },
  });
}
