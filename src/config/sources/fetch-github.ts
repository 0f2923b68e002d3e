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

/** Where the API of GitHub is, unless `GITHUB_API_URL` names another. */
export const GITHUB_API_URL = "https://api.github.com";

/** The API address in force. */
export function githubApiUrl(lookup: SourceContext["lookup"]): string {
  return (lookup("GITHUB_API_URL") || GITHUB_API_URL).replace(/\/+$/, "");
}

/**
 * Fetches an agent from a repository through the contents API, with `GITHUB_TOKEN` or `GH_TOKEN` when there is one. A
 * folder is searched for the usual names. What has not changed is not downloaded again, and stands in when GitHub does
 * not answer. Throws a {@link ConfigError}.
 *
 * Source: config-and-cli 7.4.
 */
export async function fetchGitHub(reference: GitHubReference, context: SourceContext): Promise<RemoteAgent> {
  const apiUrl = githubApiUrl(context.lookup);
  const repository = await openRepository(reference, apiUrl, context);
  const path = /\.ya?ml$/.test(reference.path) ? reference.path : await repository.findAgent(reference.path);
  const file = { ...reference, path };
  const shown = displayGitHub(file);
  const bytes = await repository.read(path);
  return {
    text: textOf(bytes, shown),
    shown,
    digest: digestOf(bytes),
    host: new URL(apiUrl).host,
    readSibling: async (name) => {
      const beside = posix.join(posix.dirname(path), name);
      return textOf(await repository.read(beside), displayGitHub({ ...reference, path: beside }));
    },
  };
}

interface Repository {
  read(path: string): Promise<Uint8Array>;
  /** The path of the agent file in a folder; the path itself when it is a file. */
  findAgent(path: string): Promise<string>;
}

async function openRepository(reference: GitHubReference, apiUrl: string, context: SourceContext): Promise<Repository> {
  const github = await openGitHubApi(apiUrl, context);
  const { owner, repo, ref } = reference;
  const where = { owner, repo, ...(ref === undefined ? {} : { ref }) };
  return {
    read: async (path) => {
      const shown = displayGitHub({ ...reference, path });
      const kept = openCachedCopy(`${apiUrl} ${shown}`, context);
      const answer = await github.contents({ ...where, path }, { raw: true, etag: kept.bytes ? kept.etag : undefined });
      if (answer.kind === "unchanged" && kept.bytes) return kept.bytes;
      if (answer.kind === "content") {
        if (answer.isListing) throw new ConfigError(`${shown}: is a folder`);
        if (answer.bytes.length > MAX_DOCUMENT_BYTES) throw new ConfigError(`${shown}: larger than 5 MiB`);
        kept.keep(answer.bytes, answer.etag);
        return answer.bytes;
      }
      const reason = answer.kind === "failed" ? answer.reason : "GitHub says it is unchanged, but no copy is kept";
      if (!kept.bytes) throw new ConfigError(`${shown}: ${reason}`);
      context.warn(`${shown}: ${reason}; the copy fetched before is used`);
      return kept.bytes;
    },
    findAgent: async (path) => {
      const shown = displayGitHub({ ...reference, path });
      const answer = await github.contents({ ...where, path }, { raw: false, etag: undefined });
      if (answer.kind !== "content") {
        // Offline, the file that was found the last time can still be read under the usual name.
        const known = AGENT_FILE_NAMES.map((name) => posix.join(path, name)).find(
          (candidate) => openCachedCopy(`${apiUrl} ${displayGitHub({ ...reference, path: candidate })}`, context).bytes,
        );
        if (known !== undefined && answer.kind === "failed" && answer.unreachable) return known;
        throw new ConfigError(`${shown}: ${answer.kind === "failed" ? answer.reason : "no listing"}`);
      }
      if (!answer.isListing) return path;
      return chooseFile(fileNames(answer.bytes), path, shown);
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

function chooseFile(names: readonly string[], folder: string, shown: string): string {
  const found = AGENT_FILE_NAMES.find((name) => names.includes(name));
  const others = names.filter((name) => /\.ya?ml$/.test(name)).sort();
  const only = found ?? (others.length === 1 ? others[0] : undefined);
  if (only !== undefined) return posix.join(folder, only);
  throw new ConfigError(
    others.length === 0
      ? `${shown}: no agent file in this folder`
      : `${shown}: several agent files in this folder, name one: ${others.join(", ")}`,
  );
}
