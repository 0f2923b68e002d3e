import type { SourceContext } from "../config/sources/source-context.ts";
import { openSecrets } from "../config/user/secrets.ts";
import { type Directories, processEnv } from "../lib/env.ts";
import { warn } from "./print.ts";

export interface SourceOptions {
  directories: Directories;
  cwd: string;
  /** The files of `--env-from-file`, which may hold a token. */
  envFiles?: readonly string[];
  signal?: AbortSignal | undefined;
}

/** Returns the context for fetching agents from elsewhere: environment, keys, directories, warnings. */
export function sourceContext({ directories, cwd, envFiles = [], signal }: SourceOptions): SourceContext {
  const env = processEnv();
  return {
    env,
    lookup: openSecrets({ envFiles, env, configDirectory: directories.config, cwd }),
    directories,
    warn,
    ...(signal ? { signal } : {}),
  };
}
