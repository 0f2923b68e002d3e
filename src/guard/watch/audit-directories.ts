import {
  type Directories,
  type DirectoryFlags,
  missingDirectories,
  missingHome,
  processEnv,
  resolveDirectories,
} from "../../lib/env.ts";

/** Returns the directories of a command line; undefined if it switches the audit log off. */
export type FindDirectories = () => Directories | undefined;

/**
 * Returns the directories for the audit log of a command line, even one that is invalid; undefined if it switches the log
 * off, or if the data directory that it names, or the home directory, does not exist: nothing else may create that.
 */
export function auditDirectories(
  flags: Readonly<Partial<Record<"config-dir" | "data-dir", string | undefined>>> & {
    "no-audit"?: boolean | undefined;
  },
): Directories | undefined {
  if (flags["no-audit"]) return undefined;
  const named: DirectoryFlags = { config: flags["config-dir"], data: flags["data-dir"] };
  const missing = missingDirectories({ data: named.data }, processEnv());
  if (missing.some((problem) => /^(--data-dir|HOOKSH_DATA_DIR) /.test(problem))) return undefined;
  if (missingHome("data", named) !== undefined) return undefined;
  return resolveDirectories(named, processEnv());
}
