import type { Directories, Env } from "../../lib/env.ts";

/** The environment in which remote agents are fetched. */
export interface SourceContext {
  /** For proxies, `DOCKER_CONFIG` and credential helpers. */
  env: Env;
  /** Returns the value of a variable such as `GITHUB_TOKEN`. */
  lookup: (name: string) => string | undefined;
  directories: Pick<Directories, "data">;
  /** Receives a message if a stored copy is used because a host does not answer. */
  warn: (message: string) => void;
  signal?: AbortSignal | undefined;
  /**
   * The host of the remote agent that refers to this one, if there is one. Any other host must then be public, so
   * that a remote agent cannot make hooksh send requests to the private network.
   */
  namedBy?: string;
}

/** The text of a remote agent file. */
export interface RemoteAgent {
  text: string;
  /** The reference in messages, without credentials. */
  displayName: string;
  /** `sha256:<hex>` of the content. */
  digest: string;
  /** The host it came from. */
  host: string;
  /** Reads another file by a path relative to the agent's folder. Absent for sources without other files. */
  readSibling?: (path: string) => Promise<string>;
}

/** The deadline of one request. */
export const FETCH_TIMEOUT_MS = 60_000;
