import { ConfigError } from "../../lib/errors.ts";
import type { FlagSpecs, Flags } from "./flags.ts";
import { warn } from "./print.ts";

const NAME = "ignore-unsupported-restrictions";

/** The flag of verbs that refuse to go on without a configured restriction. */
export const RESTRICTION_FLAGS = {
  [NAME]: {
    kind: "switch",
    description: "Go on with a warning where a sandbox, a budget or another restriction is not enforced",
  },
} as const satisfies FlagSpecs;

/** Throws a {@link ConfigError} that names every restriction that would not be enforced; with the flag they are warnings. */
export function checkRestrictions(unenforced: readonly string[], flags: Flags<typeof RESTRICTION_FLAGS>): void {
  if (unenforced.length === 0) return;
  if (!flags[NAME])
    throw new ConfigError([...unenforced, `--${NAME} goes on without ${unenforced.length === 1 ? "it" : "them"}`]);
  for (const line of unenforced) warn(line);
}
