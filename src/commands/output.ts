import { appendFileSync, mkdirSync, writeSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Log } from "../engine/hook.ts";
import { type Directories, missingDirectories, processEnv, resolveDirectories } from "../lib/env.ts";
import { errorText, UsageError } from "../lib/errors.ts";
import type { Flags } from "./flags.ts";
import type { GLOBAL_FLAGS } from "./command.ts";

type GlobalFlags = Flags<typeof GLOBAL_FLAGS>;

/** Writes one line to standard output and waits until it is out: nothing is lost when the process ends. */
export async function print(line: string): Promise<void> {
  try {
    await Bun.write(Bun.stdout, `${line}\n`);
  } catch (error) {
    // Whoever read it has gone: the work goes on, and the exit code still tells.
    if (!(error instanceof Error && "code" in error && error.code === "EPIPE")) throw error;
  }
}

/** Writes a line about what went wrong to standard error. */
export function printError(message: string): void {
  toStandardError(message);
}

/** Writes a warning to standard error, in every mode. */
export function warn(message: string): void {
  toStandardError(`warning: ${message}`);
}

function toStandardError(text: string): void {
  try {
    writeSync(2, `${text}\n`);
  } catch {
    // nobody reads standard error: the exit code still tells
  }
}

/** The three directories as the flags and the environment give them. Throws a {@link UsageError} for a named one that is not there. */
export function directoriesOf(flags: GlobalFlags): Directories {
  const { directories, missing } = findDirectories(flags);
  if (missing.length > 0) throw new UsageError(missing.join("\n"));
  return directories;
}

/** The three directories, and one line for every named one that is not there. */
export function findDirectories(flags: GlobalFlags): { directories: Directories; missing: readonly string[] } {
  const named = { config: flags["config-dir"], data: flags["data-dir"], cache: flags["cache-dir"] };
  return { directories: resolveDirectories(named, processEnv()), missing: missingDirectories(named, processEnv()) };
}

/** The debug log: a file with `--debug` (or HOOKSH_DEBUG=1), nothing without. */
export function openLog(flags: GlobalFlags, directories: Directories): Log {
  const env = processEnv();
  if (!flags.debug && env["HOOKSH_DEBUG"] !== "1") return () => {};
  const file = resolve(flags["log-file"] ?? env["HOOKSH_LOG_FILE"] ?? join(directories.data, "hooksh.debug.log"));
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  let isTold = false;
  return (level, message) => {
    try {
      appendFileSync(file, `${new Date().toISOString()} ${level} ${message}\n`, { mode: 0o600 });
    } catch (error) {
      // A full disk must not change what comes of a hook.
      if (!isTold) warn(`${file}: cannot write the debug log: ${errorText(error)}`);
      isTold = true;
    }
  };
}
