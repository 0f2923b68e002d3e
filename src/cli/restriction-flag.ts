import { ConfigError } from "../lib/errors.ts";
import type { FlagSpecs, Flags } from "./flags.ts";
import { warn } from "./print.ts";

const NAME = "ignore-unsupported-restrictions";

/** The flag of verbs that refuse to run if hooksh cannot enforce a configured restriction. */
export const RESTRICTION_FLAGS = {
  [NAME]: {
    kind: "switch",
    description: "Only warn if hooksh does not enforce a configured sandbox or other restriction",
  },
} as const satisfies FlagSpecs;

/**
 * Throws a {@link ConfigError} that names every restriction hooksh does not enforce; with the flag, prints warnings.
 */
export function checkRestrictions(unenforced: readonly string[], flags: Flags<typeof RESTRICTION_FLAGS>): void {
  if (unenforced.length === 0) return;
  if (!flags[NAME])
    throw new ConfigError([...unenforced, `to run without ${unenforced.length === 1 ? "it" : "them"}, pass --${NAME}`]);
  for (const line of unenforced) warn(line);
}
