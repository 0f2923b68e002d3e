import type { BuiltinRow } from "../src/protocol/builtin.ts";

/**
 * The in-process hooks that hooksh ships, by the name that configuration uses; one file each, loaded when first used.
 *
 * Source: hooks 11.
 */
export const BUILTINS = {
  add_date: {
    summary: "Tells the model today's date.",
    events: ["turn_start"],
    thread: "inline",
    load: () => import("./add_date.ts"),
  },
} as const satisfies Record<string, BuiltinRow>;
