import type { Directories, Env } from "../../lib/env.ts";

/** What fetching an agent from elsewhere depends on. */
export interface SourceContext {
  /** Proxies, `DOCKER_CONFIG` and what credential helpers run with. */
  env: Env;
  /** The value of a variable: `GITHUB_TOKEN`, `GITHUB_API_URL`. */
  lookup: (name: string) => string | undefined;
  directories: Pick<Directories, "data">;
  /** Told when a stored copy has to do. */
  warn: (message: string) => void;
  signal?: AbortSignal | undefined;
  /**
   * Set when an agent from elsewhere named this one: the host it came from. Other hosts must then be public ones, so
   * that nobody outside chooses what is asked inside.
   */
  namedBy?: string;
}

/** An agent that came from elsewhere. */
export interface RemoteAgent {
  text: string;
  /** The reference without credentials, for messages. */
  shown: string;
  /** `sha256:<hex>` of what was fetched; equal digests mean equal agents. */
  digest: string;
  /** Where it came from. */
  host: string;
  /** Reads a file beside it, by a path relative to its folder; absent where there is no such thing. */
  readSibling?: (path: string) => Promise<string>;
}

/** Agents are fetched within this time. Source: config-and-cli 7.3. */
export const FETCH_TIMEOUT_MS = 60_000;
