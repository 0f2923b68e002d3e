import type { Env } from "./process-env.ts";

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

/** A directory given by a flag or an environment variable. */
interface NamedDirectory {
  path: string;
  /** The flag or variable, such as `--config-dir`. */
  givenBy: string;
}

/** Returns the directory that a flag or a variable names; undefined if none does. */
export function namedDirectory(kind: keyof Directories, flags: DirectoryFlags, env: Env): NamedDirectory | undefined {
  const flag = flags[kind];
  if (flag) return { path: flag, givenBy: `--${kind}-dir` };
  for (const variable of DIRECTORY_VARIABLES[kind]) {
    const path = env[variable];
    if (path) return { path, givenBy: variable };
  }
  return undefined;
}

/** The variables of XDG below whose folders hooksh has one of its own. */
export const XDG = { config: "XDG_CONFIG_HOME", data: "XDG_DATA_HOME", cache: "XDG_CACHE_HOME" } as const;
