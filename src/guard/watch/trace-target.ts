import { join, resolve } from "node:path";
import type { WatchSettings } from "../../config/user/watch-settings.ts";
import { type Env, homeDirectory } from "../../lib/env.ts";
import { hasEndpoint } from "../../trace/active.ts";

/** Where spans go, besides the collector that the environment names. */
export interface TraceTarget {
  /** An absolute path, or true for the file of the day in the data directory; undefined for no file. */
  file: string | true | undefined;
}

/** The sources that say whether to trace. */
interface TraceSources {
  /** `--trace`, relative to the working directory. */
  flag: string | undefined;
  /** `settings.trace`; a file is relative to the data directory. */
  setting: WatchSettings["trace"];
  env: Env;
  dataDir: () => string;
}

/** The values of `HOOKSH_TRACE` that are not files. */
const SWITCHES: Readonly<Record<string, boolean>> = { "0": false, false: false, "1": true, true: true };

/**
 * Returns where to trace to; undefined if tracing is off. The flag wins over `HOOKSH_TRACE`, which wins over the
 * setting. A collector's endpoint alone turns tracing on, unless `HOOKSH_TRACE` is `0` or `false`.
 */
export function traceTarget({ flag, setting, env, dataDir }: TraceSources): TraceTarget | undefined {
  if (flag !== undefined) return { file: resolve(flag) };
  const { HOOKSH_TRACE: variable = "" } = env;
  const isOn = Object.hasOwn(SWITCHES, variable) ? SWITCHES[variable] : undefined;
  if (isOn === false) return undefined;
  if (isOn) return { file: true };
  if (variable !== "") return { file: resolve(variable) };
  if (typeof setting === "string") return { file: resolve(dataDir(), expandHome(setting, env)) };
  if (setting || hasEndpoint(env)) return { file: setting };
  return undefined;
}

function expandHome(path: string, env: Env): string {
  return path.startsWith("~/") ? join(homeDirectory(env), path.slice(2)) : path;
}
