import { type Directories, type DirectoryFlags, namedDirectory, XDG } from "../../lib/directory-names.ts";
import type { FileStatus, SystemCalls } from "../../lib/process/system-calls.ts";
import type { Env } from "../../lib/process-env.ts";
import { isPlainPath } from "./plain-path.ts";

/** Variables of hooksh that are read here, and those that it sets for hooks, for a dispatch that a hook starts. */
const KNOWN: readonly string[] = [
  "HOOKSH_CONFIG_DIR",
  "HOOKSH_DATA_DIR",
  "HOOKSH_PROCESS_GROUP",
  "HOOKSH_HOOK_DIR",
  "HOOKSH_DIALECT",
  "HOOKSH_HOST_EVENT",
];

/** True if no variable changes what a dispatch does, besides those that are read here. */
export function isPlainEnvironment(env: Env): boolean {
  for (const name in env)
    if (name.startsWith("OTEL_") || (name.startsWith("HOOKSH_") && !KNOWN.includes(name))) return false;
  return true;
}

/** The directories below the home directory. */
const BELOW_HOME = { config: ".config/hooksh", data: ".hooksh" } as const;

/** Returns the directories of configuration and data. Undefined if one is missing, or is in a place of last resort. */
export function plainDirectories(
  system: SystemCalls,
  flags: DirectoryFlags,
  env: Env,
): Pick<Directories, "config" | "data"> | undefined {
  const { HOME: home = "" } = env;
  if (!isPlainPath(home) || system.status(home)?.kind !== "folder") return undefined;
  const find = (kind: keyof typeof BELOW_HOME): string | undefined => {
    const named = namedDirectory(kind, flags, env)?.path;
    if (named !== undefined) return isPlainPath(named) && system.status(named)?.kind === "folder" ? named : undefined;
    const shared = env[XDG[kind]];
    const path = shared ? `${shared}/hooksh` : `${home}/${BELOW_HOME[kind]}`;
    return isPlainPath(path) ? path : undefined;
  };
  const [config, data] = [find("config"), find("data")];
  if (config === undefined || data === undefined) return undefined;
  if (system.status(data)?.kind !== "folder" && !system.mayCreateIn(home)) return undefined;
  return { config, data };
}

/** True if standard output and standard error are no terminals or devices but the null device. */
export function hasPlainStreams(system: SystemCalls): boolean {
  return isPlainStream(system.status(1)) && isPlainStream(system.status(2));
}

function isPlainStream(found: FileStatus | undefined): boolean {
  if (found?.kind !== "device") return found !== undefined && found.kind !== "folder";
  return found.device.major === 1 && found.device.minor === 3;
}
