import { ConfigError } from "../../lib/errors.ts";
import { MAX_DOCUMENT_BYTES } from "../yaml/document.ts";
import { openCachedCopy } from "./cached-copy.ts";
import { digestOf, textOf } from "./content.ts";
import { allowedHostsFor, isLoopbackHost, requestAgent, UnreachableError } from "./send-request.ts";
import type { RemoteAgent, SourceContext } from "./source-context.ts";

/** The hosts that see the user's GitHub token. */
const GITHUB_HOSTS: readonly string[] = ["github.com", "raw.githubusercontent.com", "gist.githubusercontent.com"];

/** A URL as it is printed: credentials and query, which may be some too, stay out. */
export function displayUrl(url: URL): string {
  return `${url.origin}${url.pathname}`;
}

/**
 * Fetches an agent from a URL. What has not changed since the last time is not downloaded again, and stands in when the
 * server does not answer, or answers with an error. Throws a {@link ConfigError}.
 *
 * Source: config-and-cli 7.3.
 */
export async function fetchUrl(reference: string, context: SourceContext): Promise<RemoteAgent> {
  if (!URL.canParse(reference)) throw new ConfigError(`${reference}: not a URL`);
  const url = new URL(reference);
  const shown = displayUrl(url);
  const bytes = await download(url, shown, context);
  return { text: textOf(bytes, shown), shown, digest: digestOf(bytes), host: url.host };
}

async function download(url: URL, shown: string, context: SourceContext): Promise<Uint8Array> {
  const kept = openCachedCopy(url.href, context);
  const useKept = (reason: string): Uint8Array => {
    if (!kept.bytes) throw new UnreachableError(`${shown}: ${reason}`);
    context.warn(`${shown}: ${reason}; the copy fetched before is used`);
    return kept.bytes;
  };
  let response;
  try {
    response = await requestAgent(url, {
      headers: { accept: "*/*", "user-agent": "hooksh", ...(kept.etag ? { "if-none-match": kept.etag } : {}) },
      credentials: credentialsFor(url, context),
      limit: MAX_DOCUMENT_BYTES,
      what: "the agent file",
      allowedHosts: isLoopbackHost(url.hostname) ? allowedHostsFor(url.host, context) : "public",
      redirects: "anywhere",
      context,
    });
  } catch (error) {
    if (error instanceof UnreachableError) return useKept(error.message);
    throw error;
  }
  if (response.status === 304 && kept.bytes) return kept.bytes;
  if (response.status !== 200) return useKept(`the server answered ${response.status}`);
  kept.keep(response.bytes, response.headers.get("etag"));
  return response.bytes;
}

function credentialsFor(url: URL, { lookup }: SourceContext): Record<string, string> {
  if (url.protocol !== "https:" || url.port !== "" || !GITHUB_HOSTS.includes(url.hostname)) return {};
  const token = lookup("GITHUB_TOKEN") || lookup("GH_TOKEN");
  return token ? { authorization: `Bearer ${token}` } : {};
}
