import type { SourceContext } from "../../config/sources/source-context.ts";
import { openSecrets } from "../../config/user/secrets.ts";
import { type Directories, processEnv } from "../../lib/env.ts";
import { warn } from "./print.ts";

/** What a verb fetches agents with. */
export interface SourceOptions {
  directories: Directories;
  cwd: string;
  /** `--env-from-file`: a token may stand there. */
  envFiles?: readonly string[];
  signal?: AbortSignal | undefined;
}

/** How agents from elsewhere are fetched in this process. */
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
