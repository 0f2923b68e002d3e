import { ConfigError, errorText } from "../../lib/errors.ts";
import { readText } from "../yaml/document.ts";
import { locateAgentFile, type ReferenceOptions, type RemoteLocation } from "./agent-reference.ts";
import { webHostOf } from "./github-reference.ts";
import type { RemoteAgent, SourceContext } from "./source-context.ts";

/** What fetching an agent depends on. */
export interface FetchOptions extends ReferenceOptions {
  /** How agents from elsewhere are fetched; without it only this machine is looked at. */
  sources?: SourceContext;
}

/** The text of an agent file, wherever it came from. */
export interface FetchedAgent {
  text: string;
  /** The file or reference, for messages. */
  shown: string;
  /** `sha256:<hex>` of what was fetched; only for an agent from elsewhere. */
  digest?: string;
  /** True when it came from elsewhere: it is somebody else's until the user says otherwise. */
  remote: boolean;
  /** The folder that its paths are relative to; only for a local file. */
  baseDir?: string;
  /** Where a remote agent came from. */
  host?: string;
  readSibling?: RemoteAgent["readSibling"];
}

/**
 * Reads the agent that a reference names: a file, a folder, a URL, a repository on GitHub, an image in a registry, or
 * nothing for the project's own. Throws a {@link ConfigError} in one clear line.
 *
 * Source: config-and-cli 7.1.
 */
export async function fetchAgent(reference: string | undefined, options: FetchOptions): Promise<FetchedAgent> {
  const found = locateAgentFile(reference, await withGitHubHost(reference, options));
  if (found.kind === "builtin") return { text: found.text, shown: found.shown, remote: false };
  if (found.kind === "file")
    return { text: await readText(found.path, found.shown), shown: found.shown, remote: false, baseDir: found.folder };
  if (!options.sources) throw new ConfigError(`${reference}: not on this machine`);
  const agent = await fetchRemote(found, options.sources);
  return { ...agent, remote: true };
}

async function withGitHubHost(reference: string | undefined, options: FetchOptions): Promise<ReferenceOptions> {
  if (!reference?.startsWith("https://") || !options.sources) return options;
  const { githubApiUrl } = await import("./fetch-github.ts");
  return { ...options, githubHost: webHostOf(githubApiUrl(options.sources.lookup)) };
}

async function fetchRemote(found: RemoteLocation, context: SourceContext): Promise<RemoteAgent> {
  switch (found.kind) {
    case "url": {
      const { fetchUrl } = await import("./fetch-url.ts");
      return fetchUrl(found.url, context);
    }
    case "github": {
      const { fetchGitHub } = await import("./fetch-github.ts");
      return fetchGitHub(found.reference, context);
    }
    case "registry": {
      const { fetchFromRegistry } = await import("./registry/pull-artifact.ts");
      return fetchFromRegistry(found.reference, found.shown, context).catch((error: unknown) => {
        // A word alone is more often a misspelt file than an image.
        if (!(error instanceof ConfigError) || /[/:@]/.test(found.shown)) throw error;
        throw new ConfigError(`${found.shown}: no such file; and as an image: ${errorText(error)}`, { cause: error });
      });
    }
  }
}
