import { statSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { type Directories, type DirectoryFlags, namedDirectory, XDG } from "./directory-names.ts";
import { existsOrCanBeCreated, ownTemporaryDirectory } from "./files/paths.ts";
import { type Env, processEnv } from "./process-env.ts";

export type { Directories, DirectoryFlags } from "./directory-names.ts";
export { type Env, processEnv, setOwnVariable, variableName } from "./process-env.ts";

/** Returns the user's home directory: `$HOME`, else the one in the system's user database, else an empty string. */
export function homeDirectory(env: Env = processEnv()): string {
  if (env["HOME"]) return env["HOME"];
  try {
    return homedir();
  } catch {
    return ""; // no such user (a container with an arbitrary user id): callers fall back to a temporary directory
  }
}

/** The directory in the system's temporary directory that replaces an unusable home. Each user has one. */
function temporaryHome(): string {
  return join(tmpdir(), `hooksh-${process.getuid?.() ?? "home"}`);
}

/** True if `path` replaces a directory below the home directory, which is missing or not writable. It may be lost. */
export function isFallbackDirectory(kind: keyof Directories, path: string): boolean {
  return path === join(temporaryHome(), kind);
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
