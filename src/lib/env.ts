import { statSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { existsOrCanBeCreated, ownTemporaryDirectory } from "./files/paths.ts";

/** Environment variables by name. */
export type Env = Readonly<Record<string, string>>;

let snapshot: Env | undefined;

/** Returns the environment that this process was started with. Only {@link setOwnVariable} uses `process.env` too. */
export function processEnv(): Env {
  snapshot ??= Object.fromEntries(
    Object.entries(process.env).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
  return snapshot;
}

/** Sets a variable that the processes started by this thread get, for code that starts them by itself. */
export function setOwnVariable(name: string, value: (outer: string | undefined) => string): void {
  process.env[name] = value(process.env[name]);
}

/**
 * Returns the spelling of a variable's name in the environment. Windows ignores case in names: `PATH` is usually `Path`
 * there.
 */
export function variableName(env: Env, name: string, platform: string = process.platform): string {
  if (platform !== "win32" || Object.hasOwn(env, name)) return name;
  return Object.keys(env).find((key) => key.toUpperCase() === name.toUpperCase()) ?? name;
}

/** Returns the user's home directory: `$HOME`, else the one in the system's user database, else an empty string. */
export function homeDirectory(env: Env = processEnv()): string {
  if (env["HOME"]) return env["HOME"];
  try {
    return homedir();
  } catch {
    return ""; // no such user (a container with an arbitrary user id): callers fall back to a temporary directory
  }
}

/** The directories that hooksh uses. Each is an absolute path that need not exist. */
export interface Directories {
  /** `config.yaml`, `hooks.d/`, `.env` */
  config: string;
  /** sessions, snapshots, stored agents */
  data: string;
  /** files that can be downloaded or created again */
  cache: string;
}

/** Directories given by flags, which override the environment. */
export type DirectoryFlags = { [K in keyof Directories]?: string | undefined };

/** The environment variables for each directory; the first one that is set wins. */
const DIRECTORY_VARIABLES: Readonly<Record<keyof Directories, readonly string[]>> = {
  config: ["HOOKSH_CONFIG_DIR", "DOCKER_AGENT_CONFIG_DIR", "CAGENT_CONFIG_DIR"],
  data: ["HOOKSH_DATA_DIR"],
  cache: ["HOOKSH_CACHE_DIR"],
};

/** The directory in the system's temporary directory that replaces an unusable home. Each user has one. */
function temporaryHome(): string {
  return join(tmpdir(), `hooksh-${process.getuid?.() ?? "home"}`);
}

/** True if `path` replaces a directory below the home directory, which is missing or not writable. It may be lost. */
export function isFallbackDirectory(kind: keyof Directories, path: string): boolean {
  return path === join(temporaryHome(), kind);
}

/** A directory given by a flag or an environment variable. */
interface NamedDirectory {
  path: string;
  /** The flag or variable, such as `--config-dir`. */
  givenBy: string;
}

function namedDirectory(kind: keyof Directories, flags: DirectoryFlags, env: Env): NamedDirectory | undefined {
  const flag = flags[kind];
  if (flag) return { path: flag, givenBy: `--${kind}-dir` };
  const variable = DIRECTORY_VARIABLES[kind].find((name) => env[name]);
  return variable === undefined ? undefined : { path: env[variable] ?? "", givenBy: variable };
}

/**
 * Returns one line for each directory that a flag or variable names and that does not exist. Without it, a typo would
 * silently disable the hooks in that directory.
 */
export function missingDirectories(
  flags: DirectoryFlags = {},
  env: Env = processEnv(),
  cwd: string = process.cwd(),
): string[] {
  return (["config", "data", "cache"] as const).flatMap((kind) => {
    const named = namedDirectory(kind, flags, env);
    return !named || isDirectory(resolve(cwd, named.path)) ? [] : [`${named.givenBy} ${named.path}: no such directory`];
  });
}

const XDG = { config: "XDG_CONFIG_HOME", data: "XDG_DATA_HOME", cache: "XDG_CACHE_HOME" } as const;

/** Returns the home directory if a directory of hooksh would be below it and it does not exist. */
export function missingHome(
  kind: keyof Directories,
  flags: DirectoryFlags = {},
  env: Env = processEnv(),
): string | undefined {
  if (namedDirectory(kind, flags, env) || env[XDG[kind]]) return undefined;
  const home = homeDirectory(env);
  return home === "" || isDirectory(home) ? undefined : home;
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/**
 * Resolves the three directories. Each comes from its flag, else the environment, else XDG, else the default below the
 * home directory, else (if that neither exists nor can be created) the user's own in the system's temporary directory. The data and cache
 * directories are resolved on first use (cold start). Throws a `UserError` if a directory
 * below the temporary one belongs to another user: hooksh would run that user's hooks.
 */
export function resolveDirectories(
  flags: DirectoryFlags = {},
  env: Env = processEnv(),
  cwd: string = process.cwd(),
): Directories {
  const home = homeDirectory(env);
  const absolute = (path: string) => (isAbsolute(path) ? path : join(cwd, path));
  const find = (kind: keyof Directories, otherwise: () => string) => {
    const xdg = env[XDG[kind]];
    return absolute(namedDirectory(kind, flags, env)?.path ?? (xdg ? join(xdg, "hooksh") : otherwise()));
  };
  const below = (kind: keyof Directories, path: string) => () =>
    home && existsOrCanBeCreated(join(home, path)) ? join(home, path) : ownTemporaryDirectory(temporaryHome(), kind);
  const cacheDefault = process.platform === "darwin" ? "Library/Caches/hooksh" : ".cache/hooksh";
  let data: string | undefined;
  let cache: string | undefined;
  return {
    config: find("config", below("config", ".config/hooksh")),
    get data() {
      return (data ??= find("data", below("data", ".hooksh")));
    },
    get cache() {
      return (cache ??= find("cache", below("cache", cacheDefault)));
    },
  };
}
