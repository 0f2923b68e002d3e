import { ConfigError } from "../../lib/errors.ts";
import { MAX_DOCUMENT_BYTES } from "../yaml/document.ts";
import { openCachedCopy } from "./cached-copy.ts";
import { digestOf, textOf } from "./content.ts";
import { allowedHostsFor, isLoopbackHost, requestAgent, UnreachableError } from "./send-request.ts";
import type { RemoteAgent, SourceContext } from "./source-context.ts";

/** The hosts that receive the user's GitHub token. */
const GITHUB_HOSTS: readonly string[] = ["github.com", "raw.githubusercontent.com", "gist.githubusercontent.com"];

/** Formats a URL for messages, without credentials and without the query, which may contain some. */
export function displayUrl(url: URL): string {
  const shown = new URL(url);
  shown.username = "";
  shown.password = "";
  shown.search = "";
  shown.hash = "";
  return shown.href;
}

/**
 * Fetches an agent file from a URL. An unchanged file is not downloaded again, and its cached copy is used if the
 * server does not answer or answers with an error. Throws a {@link ConfigError}.
 */
export async function fetchUrl(reference: string, context: SourceContext): Promise<RemoteAgent> {
  if (!URL.canParse(reference)) throw new ConfigError(`${reference}: not a URL`);
  const url = new URL(reference);
  const displayName = displayUrl(url);
  const bytes = await download(url, displayName, context);
  return { text: textOf(bytes, displayName), displayName, digest: digestOf(bytes), host: url.host };
}

async function download(url: URL, displayName: string, context: SourceContext): Promise<Uint8Array> {
  const cached = openCachedCopy(url.href, context);
  const useCached = (reason: string): Uint8Array => {
    if (!cached.bytes) throw new UnreachableError(`${displayName}: ${reason}`);
    context.warn(`${displayName}: ${reason}; using the copy fetched before`);
    return cached.bytes;
  };
  let response;
  try {
    response = await requestAgent(url, {
      headers: { accept: "*/*", "user-agent": "hooksh", ...(cached.etag ? { "if-none-match": cached.etag } : {}) },
      credentials: credentialsFor(url, context),
      limit: MAX_DOCUMENT_BYTES,
      what: "the agent file",
      allowedHosts: isLoopbackHost(url.hostname) ? allowedHostsFor(url.host, context) : "public",
      redirects: "anywhere",
      context,
    });
  } catch (error) {
    if (error instanceof UnreachableError) return useCached(error.message);
    throw error;
  }
  if (response.status === 304 && cached.bytes) return cached.bytes;
  if (response.status !== 200) return useCached(`the server answered ${response.status}`);
  cached.save(response.bytes, response.headers.get("etag"));
  return response.bytes;
}

function credentialsFor(url: URL, { lookup }: SourceContext): Record<string, string> {
  if (url.protocol !== "https:" || url.port !== "" || !GITHUB_HOSTS.includes(url.hostname)) return {};
  const token = lookup("GITHUB_TOKEN") || lookup("GH_TOKEN");
  return token ? { authorization: `Bearer ${token}` } : {};
}
