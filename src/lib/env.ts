import { homedir, tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import { isUsable, ownTemporaryDirectory } from "./temporary-home.ts";

/** Environment variables by name. */
export type Env = Readonly<Record<string, string>>;

let snapshot: Env | undefined;

/** The environment this process was started with. The only place that reads `process.env`. */
export function processEnv(): Env {
  snapshot ??= Object.fromEntries(Object.entries(process.env).filter((pair): pair is [string, string] => pair[1] !== undefined));
  return snapshot;
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

/**
 * Resolves the three directories: flag, then environment, then XDG, then the default below the home directory; without
 * a home directory where they are or can be made, below the system's temporary directory. Throws a `UserError` when a
 * directory there belongs to another user, whose hooks would run.
 *
 * Source: config-and-cli 8.1.
 */
export function resolveDirectories(flags: DirectoryFlags = {}, env: Env = processEnv(), cwd: string = process.cwd()): Directories {
  const home = homeDirectory(env);
  const absolute = (path: string) => (isAbsolute(path) ? path : join(cwd, path));
  const first = (otherwise: () => string, ...candidates: (string | undefined)[]) =>
    absolute(candidates.find((candidate) => candidate) ?? otherwise());
  const xdg = (name: string) => (env[name] ? join(env[name], "hooksh") : undefined);
  const below = (path: string, temporary: string) => () =>
    home && isUsable(join(home, path)) ? join(home, path) : ownTemporaryDirectory(join(tmpdir(), temporary));
  const cacheDefault = process.platform === "darwin" ? "Library/Caches/hooksh" : ".cache/hooksh";
  return {
    config: first(
      below(".config/hooksh", ".hooksh-config"),
      flags.config, env["HOOKSH_CONFIG_DIR"], env["DOCKER_AGENT_CONFIG_DIR"], env["CAGENT_CONFIG_DIR"], xdg("XDG_CONFIG_HOME"),
    ),
    data: first(below(".hooksh", ".hooksh"), flags.data, env["HOOKSH_DATA_DIR"], xdg("XDG_DATA_HOME")),
    cache: first(below(cacheDefault, ".hooksh-cache"), flags.cache, env["HOOKSH_CACHE_DIR"], xdg("XDG_CACHE_HOME")),
  };
}
