import { statSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { existsOrCanBeCreated, ownTemporaryDirectory } from "./files/temporary-home.ts";

/** Environment variables by name. */
export type Env = Readonly<Record<string, string>>;

let snapshot: Env | undefined;

/** The environment this process was started with. The only place that reads `process.env`. */
export function processEnv(): Env {
  snapshot ??= Object.fromEntries(
    Object.entries(process.env).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
  return snapshot;
}

/**
 * The name that the environment has for a variable. On Windows names that differ in case are one: `PATH` is usually
 * spelled `Path` there.
 */
export function variableName(env: Env, name: string, platform: string = process.platform): string {
  if (platform !== "win32" || Object.hasOwn(env, name)) return name;
  return Object.keys(env).find((key) => key.toUpperCase() === name.toUpperCase()) ?? name;
}

/** The user's home directory: `$HOME`, else what the system says, else the empty text. */
export function homeDirectory(env: Env = processEnv()): string {
  if (env["HOME"]) return env["HOME"];
  try {
    return homedir();
  } catch {
    return ""; // no account entry (a container with an odd user id): callers fall back to a temporary directory
  }
}

/** Where hooksh keeps its files; each is an absolute path that need not exist. */
export interface Directories {
  /** `config.yaml`, `hooks.d/`, `.env` */
  config: string;
  /** sessions, snapshots, stored agents */
  data: string;
  /** what can be fetched or made again */
  cache: string;
}

/** Directories named by flags; they win over the environment. */
export type DirectoryFlags = { [K in keyof Directories]?: string | undefined };

/** The variables that name a directory; the first that is set counts. */
const DIRECTORY_VARIABLES: Readonly<Record<keyof Directories, readonly string[]>> = {
  config: ["HOOKSH_CONFIG_DIR", "DOCKER_AGENT_CONFIG_DIR", "CAGENT_CONFIG_DIR"],
  data: ["HOOKSH_DATA_DIR"],
  cache: ["HOOKSH_CACHE_DIR"],
};

/** A directory that a flag or a variable names. */
interface NamedDirectory {
  path: string;
  /** `--config-dir` or the variable. */
  by: string;
}

function namedDirectory(kind: keyof Directories, flags: DirectoryFlags, env: Env): NamedDirectory | undefined {
  const flag = flags[kind];
  if (flag) return { path: flag, by: `--${kind}-dir` };
  const by = DIRECTORY_VARIABLES[kind].find((name) => env[name]);
  return by === undefined ? undefined : { path: env[by] ?? "", by };
}

/** One line for every directory that a flag or a variable names and that is not there: hooks in it would go unnoticed. */
export function missingDirectories(
  flags: DirectoryFlags = {},
  env: Env = processEnv(),
  cwd: string = process.cwd(),
): string[] {
  return (["config", "data", "cache"] as const).flatMap((kind) => {
    const named = namedDirectory(kind, flags, env);
    return !named || isDirectory(resolve(cwd, named.path)) ? [] : [`${named.by} ${named.path}: no such directory`];
  });
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/**
 * Resolves the three directories: flag, then environment, then XDG, then the default below the home directory; without
 * a home directory where they are or can be made, below the system's temporary directory. Data and cache are looked for
 * when they are first read, which a dispatch seldom does. Throws a `UserError` when a directory below the temporary one
 * belongs to another user, whose hooks would run.
 */
export function resolveDirectories(
  flags: DirectoryFlags = {},
  env: Env = processEnv(),
  cwd: string = process.cwd(),
): Directories {
  const home = homeDirectory(env);
  const absolute = (path: string) => (isAbsolute(path) ? path : join(cwd, path));
  const find = (kind: keyof Directories, xdg: string, otherwise: () => string) =>
    absolute(namedDirectory(kind, flags, env)?.path ?? (env[xdg] ? join(env[xdg], "hooksh") : otherwise()));
  const below = (path: string, temporary: string) => () =>
    home && existsOrCanBeCreated(join(home, path))
      ? join(home, path)
      : ownTemporaryDirectory(join(tmpdir(), temporary));
  const cacheDefault = process.platform === "darwin" ? "Library/Caches/hooksh" : ".cache/hooksh";
  let data: string | undefined;
  let cache: string | undefined;
  return {
    config: find("config", "XDG_CONFIG_HOME", below(".config/hooksh", ".hooksh-config")),
    get data() {
      return (data ??= find("data", "XDG_DATA_HOME", below(".hooksh", ".hooksh")));
    },
    get cache() {
      return (cache ??= find("cache", "XDG_CACHE_HOME", below(cacheDefault, ".hooksh-cache")));
    },
  };
}
