import type { FlagSpecs, Flags } from "../../cli/flags.ts";
import type { HostScope } from "../../dialects/host-file.ts";
import { UsageError } from "../../lib/errors.ts";

/** The flags that choose one of a host's files. */
export const SCOPE_FLAGS = {
  user: { kind: "switch", description: "Use your user configuration, which applies to all projects (default)" },
  project: { kind: "switch", description: "Use the configuration of the project, which is the current directory" },
} as const satisfies FlagSpecs;

/** The flags of verbs that write a host's files. */
export const WRITE_FLAGS = {
  yes: { kind: "switch", alias: "y", description: "Write without asking" },
  "dry-run": { kind: "switch", description: "Show the change and write nothing" },
} as const satisfies FlagSpecs;

/** Returns the scope that the flags choose. Throws a {@link UsageError} if they choose two. */
export function scopeOf(flags: Flags<typeof SCOPE_FLAGS>): HostScope {
  if (flags.user && flags.project) throw new UsageError("--user and --project cannot be used together");
  return flags.project ? "project" : "user";
}

export function writeOptions(flags: Flags<typeof WRITE_FLAGS>): { yes: boolean; dryRun: boolean } {
  return { yes: flags.yes ?? false, dryRun: flags["dry-run"] ?? false };
}
