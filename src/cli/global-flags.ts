import { appendFileSync, mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type Log, NO_LOG } from "../engine/handler.ts";
import {
  type Directories,
  isFallbackDirectory,
  missingDirectories,
  processEnv,
  resolveDirectories,
} from "../lib/env.ts";
import { errorText, UsageError, UserError } from "../lib/errors.ts";
import { rememberVariables } from "../lib/secrets/known-secrets.ts";
import { escapeControlsInJson } from "../lib/text/escape-controls.ts";
import type * as RedactionSettings from "../redaction/redaction-settings.ts";
import type { FlagSpecs, Flags } from "./flags.ts";
import { isTerminalLike, warn } from "./print.ts";

/** The flags that every command accepts, before or after the verb. */
export const GLOBAL_FLAGS = {
  debug: { kind: "switch", alias: "d", description: "Write a debug log, and print cause and cure of an error" },
  "log-file": {
    kind: "value",
    hint: "FILE",
    description: "File for the debug log (default: hooksh.debug.log in the data directory)",
  },
  "config-dir": { kind: "value", hint: "DIR", description: "Directory that holds config.yaml and hooks.d" },
  "data-dir": { kind: "value", hint: "DIR", description: "Directory for sessions and snapshots" },
  "cache-dir": { kind: "value", hint: "DIR", description: "Directory for downloads that can be fetched again" },
  "no-color": { kind: "switch", description: "Print without colours" },
  quiet: { kind: "switch", description: "Print only results, warnings and errors, no notices" },
  help: { kind: "switch", alias: "h", description: "Print the help of a command" },
  version: { kind: "switch", description: "Print the version; without a command, -v does the same" },
} as const satisfies FlagSpecs;

/**
 * The flags of a command line without a command. After a command, users may mean "verbose" by `-v`: as a hook,
 * `hooksh dispatch -v` would print the version, exit with 0, and so allow every call.
 */
export const BARE_FLAGS = {
  ...GLOBAL_FLAGS,
  version: { ...GLOBAL_FLAGS.version, alias: "v" },
} as const satisfies FlagSpecs;

type GlobalFlags = Flags<typeof GLOBAL_FLAGS>;

/**
 * Returns the three directories that the flags and the environment name. Throws a {@link UsageError} if a named one
 * does not exist.
 */
export function directoriesOf(flags: GlobalFlags): Directories {
  const { directories, missing } = findDirectories(flags);
  if (missing.length > 0) throw new UsageError(missing.join("\n"));
  return directories;
}

/**
 * Returns the three directories for a command whose changes must last. Throws a {@link UserError} if the home directory
 * is unusable and one of `kinds` is therefore in the temporary directory.
 */
export function lastingDirectoriesOf(flags: GlobalFlags, ...kinds: readonly (keyof Directories)[]): Directories {
  const directories = directoriesOf(flags);
  const lost = kinds.filter((kind) => isFallbackDirectory(kind, directories[kind]));
  if (lost.length === 0) return directories;
  const paths = lost.map((kind) => directories[kind]).join(" and ");
  const variables = lost.map((kind) => `HOOKSH_${kind.toUpperCase()}_DIR`).join(" and ");
  throw new UserError(
    `the home directory is missing or not writable, and changes in ${paths} may be lost: set ${variables}`,
  );
}

/** Returns the warning about a directory that replaces one below an unusable home; undefined for any other. */
export function fallbackWarning(kind: keyof Directories, path: string): string | undefined {
  if (!isFallbackDirectory(kind, path)) return undefined;
  return (
    `the home directory is missing or not writable: ${path} is in the temporary directory and may be lost` +
    ` (set HOOKSH_${kind.toUpperCase()}_DIR to choose another)`
  );
}

/** Returns the three directories, and a message for each named one that does not exist. */
export function findDirectories(flags: GlobalFlags): { directories: Directories; missing: readonly string[] } {
  const named = { config: flags["config-dir"], data: flags["data-dir"], cache: flags["cache-dir"] };
  return { directories: resolveDirectories(named, processEnv()), missing: missingDirectories(named, processEnv()) };
}

/** The log that discards everything. */
/** Opens the debug log, a file without secrets. Without `--debug` or HOOKSH_DEBUG=1, returns {@link NO_LOG}. */
export function openLog(flags: GlobalFlags, directories: Directories): Log {
  const env = processEnv();
  if (!flags.debug && env["HOOKSH_DEBUG"] !== "1") return NO_LOG;
  const file = resolve(flags["log-file"] ?? env["HOOKSH_LOG_FILE"] ?? join(directories.data, "hooksh.debug.log"));
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  rememberVariables(env);
  const { redactorOf } = require("../redaction/redaction-settings.ts") as typeof RedactionSettings;
  let hasWarned = false;
  return (level, message) => {
    try {
      const line = `${new Date().toISOString()} ${level} ${redactorOf([]).redact(message)}`;
      appendFileSync(file, `${isTerminalLike(file) ? escapeControlsInJson(line) : line}\n`, { mode: 0o600 });
    } catch (error) {
      // A full disk must not change the outcome of a hook.
      if (!hasWarned) warn(`${file}: cannot write the debug log: ${errorText(error)}`);
      hasWarned = true;
    }
  };
}
