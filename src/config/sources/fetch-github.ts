import { posix } from "node:path";
import { ConfigError } from "../../lib/errors.ts";
import { isObject } from "../../lib/json.ts";
import { MAX_DOCUMENT_BYTES } from "../yaml/document.ts";
import { AGENT_FILE_NAMES } from "./agent-file-names.ts";
import { openCachedCopy } from "./cached-copy.ts";
import { digestOf, textOf } from "./content.ts";
import { openGitHubApi } from "./github-api.ts";
import { displayGitHub, type GitHubReference } from "./github-reference.ts";
import type { RemoteAgent, SourceContext } from "./source-context.ts";

/** The address of GitHub's API, unless `GITHUB_API_URL` names another. */
export const GITHUB_API_URL = "https://api.github.com";

/** Returns `GITHUB_API_URL`, or else {@link GITHUB_API_URL}. */
export function githubApiUrl(lookup: SourceContext["lookup"]): string {
  return (lookup("GITHUB_API_URL") || GITHUB_API_URL).replace(/\/+$/, "");
}

/**
 * Fetches an agent file from a repository through the contents API, with `GITHUB_TOKEN` or `GH_TOKEN` if one is set.
 * In a folder it looks for the usual names. An unchanged file is not downloaded again, and its cached copy is used if
 * GitHub does not answer. Throws a {@link ConfigError}.
 */
export async function fetchGitHub(reference: GitHubReference, context: SourceContext): Promise<RemoteAgent> {
  const apiUrl = githubApiUrl(context.lookup);
  const repository = await openRepository(reference, apiUrl, context);
  const path = /\.ya?ml$/.test(reference.path) ? reference.path : await repository.findAgent(reference.path);
  const file = { ...reference, path };
  const displayName = displayGitHub(file);
  const bytes = await repository.read(path);
  return {
    text: textOf(bytes, displayName),
    displayName,
    digest: digestOf(bytes),
    host: new URL(apiUrl).host,
    readSibling: async (name) => {
      const sibling = posix.join(posix.dirname(path), name);
      return textOf(await repository.read(sibling), displayGitHub({ ...reference, path: sibling }));
    },
  };
}

interface Repository {
  read(path: string): Promise<Uint8Array>;
  /** Returns the path of the agent file in a folder, or the path itself if it is a file. */
  findAgent(path: string): Promise<string>;
}

async function openRepository(reference: GitHubReference, apiUrl: string, context: SourceContext): Promise<Repository> {
  const github = await openGitHubApi(apiUrl, context);
  const { owner, repo, ref } = reference;
  const where = { owner, repo, ...(ref === undefined ? {} : { ref }) };
  return {
    read: async (path) => {
      const displayName = displayGitHub({ ...reference, path });
      const cached = openCachedCopy(`${apiUrl} ${displayName}`, context);
      const answer = await github.contents(
        { ...where, path },
        { raw: true, etag: cached.bytes ? cached.etag : undefined },
      );
      if (answer.kind === "unchanged" && cached.bytes) return cached.bytes;
      if (answer.kind === "content") {
        if (answer.isListing) throw new ConfigError(`${displayName}: is a folder, not a file`);
        if (answer.bytes.length > MAX_DOCUMENT_BYTES) throw new ConfigError(`${displayName}: larger than 5 MiB`);
        cached.save(answer.bytes, answer.etag);
        return answer.bytes;
      }
      const reason =
        answer.kind === "failed" ? answer.reason : "GitHub calls the file unchanged, but there is no cached copy";
      if (!cached.bytes) throw new ConfigError(`${displayName}: ${reason}`);
      context.warn(`${displayName}: ${reason}; using the copy fetched before`);
      return cached.bytes;
    },
    findAgent: async (path) => {
      const displayName = displayGitHub({ ...reference, path });
      const answer = await github.contents({ ...where, path }, { raw: false, etag: undefined });
      if (answer.kind !== "content") {
        // Without a connection a cached file with one of the usual names can still be read.
        const known = AGENT_FILE_NAMES.map((name) => posix.join(path, name)).find(
          (candidate) => openCachedCopy(`${apiUrl} ${displayGitHub({ ...reference, path: candidate })}`, context).bytes,
        );
        if (known !== undefined && answer.kind === "failed" && answer.unreachable) return known;
        throw new ConfigError(
          `${displayName}: ${answer.kind === "failed" ? answer.reason : "GitHub did not list the folder"}`,
        );
      }
      if (!answer.isListing) return path;
      return chooseFile(fileNames(answer.bytes), path, displayName);
    },
  };
}

function fileNames(listing: Uint8Array): string[] {
  const parsed: unknown = JSON.parse(new TextDecoder().decode(listing));
  return Array.isArray(parsed)
    ? parsed.flatMap((entry) =>
        isObject(entry) && entry["type"] === "file" && typeof entry["name"] === "string" ? [entry["name"]] : [],
      )
    : [];
}

function chooseFile(names: readonly string[], folder: string, displayName: string): string {
  const found = AGENT_FILE_NAMES.find((name) => names.includes(name));
  const others = names.filter((name) => /\.ya?ml$/.test(name)).sort();
  const only = found ?? (others.length === 1 ? others[0] : undefined);
  if (only !== undefined) return posix.join(folder, only);
  throw new ConfigError(
    others.length === 0
      ? `${displayName}: no agent file in this folder; expected ${AGENT_FILE_NAMES.join(", ")}`
      : `${displayName}: several YAML files in this folder, name one: ${others.join(", ")}`,
  );
}
