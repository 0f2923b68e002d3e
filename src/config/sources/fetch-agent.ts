import { ConfigError, errorText } from "../../lib/errors.ts";
import { findProvider } from "../../model/catalog/providers.ts";
import { readText } from "../yaml/document.ts";
import { locateAgentFile, type ReferenceOptions, type RemoteLocation } from "./agent-reference.ts";
import { webHostOf } from "./github-reference.ts";
import { isPulledFile } from "./pulled-files.ts";
import type { RemoteAgent, SourceContext } from "./source-context.ts";

/** Options of {@link fetchAgent}. */
export interface FetchOptions extends ReferenceOptions {
  /** How remote agents are fetched. Without it only local ones are found. */
  sources?: SourceContext;
}

/**
 * Where an agent that needs the user's trust is from: `remote`, a local file that `hooksh agent pull` wrote, or one that no
 * reference names.
 */
export type AgentSource = "remote" | "pulled" | "found";

/** The text of an agent file, and its origin. */
export interface FetchedAgent {
  text: string;
  /** The file or reference in messages. */
  displayName: string;
  /** `sha256:<hex>` of the text; only for a remote agent. */
  digest?: string;
  /** Set for an agent that needs the user's trust, and why. */
  source?: AgentSource;
  /** The base of relative paths; only for a local file. */
  baseDir?: string;
  /** The host of a remote agent. */
  host?: string;
  readSibling?: RemoteAgent["readSibling"];
}

/**
 * Reads the agent file that a reference names: a file, a folder, a URL, a repository on GitHub or an image in a
 * registry. Without a reference it reads the project's own. Throws a {@link ConfigError} of one line.
 */
export async function fetchAgent(reference: string | undefined, options: FetchOptions): Promise<FetchedAgent> {
  const found = locateAgentFile(reference, await withGitHubHost(reference, options));
  if (found.kind === "builtin") return { text: found.text, displayName: found.displayName };
  if (found.kind === "file") {
    const isPulled = options.sources !== undefined && isPulledFile(found.path, options.sources.directories);
    const source = isPulled ? "pulled" : reference ? undefined : "found";
    return {
      text: await readText(found.path, found.displayName),
      displayName: found.displayName,
      baseDir: found.folder,
      ...(source === undefined ? {} : { source }),
    };
  }
  if (!options.sources)
    throw new ConfigError(`${reference}: refers to a remote agent, but this command reads local ones only`);
  const agent = await fetchRemote(found, options.sources);
  return { ...agent, source: "remote" };
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
      return fetchFromRegistry(found.reference, found.displayName, context).catch((error: unknown) => {
        throw registryError(found.displayName, error);
      });
    }
  }
}

/**
 * Adds what the reference was more likely meant to be: a single word is more often a misspelt file name than an image,
 * and `openai/gpt-4o` a model. Returns every other error as it is.
 */
export function registryError(reference: string, error: unknown): unknown {
  if (!(error instanceof ConfigError)) return error;
  const isModel = findProvider(reference.split("/")[0] ?? "") !== undefined && reference.includes("/");
  if (!isModel && /[/:@]/.test(reference)) return error;
  const text = `${reference}: no such file or directory; as an image reference: ${errorText(error)}`;
  return new ConfigError(isModel ? `${text}; a model is given as --model ${reference}` : text, { cause: error });
}
