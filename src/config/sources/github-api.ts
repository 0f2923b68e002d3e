import { ConfigError, errorText } from "../../lib/errors.ts";
import { optionalPackage } from "../../lib/optional-package.ts";
import { MAX_DOCUMENT_BYTES } from "../yaml/document.ts";
import { requestAgent, UnreachableError } from "./send-request.ts";
import type { SourceContext } from "./source-context.ts";

/** A path in a repository, as the contents API takes it. */
export interface ContentsPath {
  owner: string;
  repo: string;
  path: string;
  ref?: string;
}

/** What the contents API answered. */
export type Contents =
  /** A file as it is, or the description of a folder or file as JSON. */
  | { kind: "content"; bytes: Uint8Array; etag: string | undefined; isListing: boolean }
  | { kind: "unchanged" }
  | { kind: "failed"; reason: string; unreachable: boolean };

/** GitHub's contents API. */
export interface GitHub {
  contents(place: ContentsPath, wanted: { raw: boolean; etag: string | undefined }): Promise<Contents>;
}

/** The longest answer that is read; a listing of a large folder is longer than an agent. */
const LIMIT = 2 * MAX_DOCUMENT_BYTES;

/**
 * Opens the API at an address. Requests travel as those of every source do: bounded, over https, and with the token
 * for that host alone. Throws a {@link ConfigError} for an address that cannot be asked.
 */
export async function openGitHubApi(apiUrl: string, context: SourceContext): Promise<GitHub> {
  const { Octokit } = await optionalPackage("@octokit/rest", () => import("@octokit/rest"));
  const token = context.lookup("GITHUB_TOKEN") || context.lookup("GH_TOKEN");
  const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  return {
    contents: async (place, { raw, etag }) => {
      const call = openCall(context);
      const octokit = new Octokit({
        baseUrl: apiUrl,
        userAgent: "hooksh",
        log: silent,
        request: { fetch: call.fetch },
        ...(token ? { auth: token } : {}),
      });
      try {
        await octokit.rest.repos.getContent({
          ...place,
          ...(raw ? { mediaType: { format: "raw" } } : {}),
          ...(etag ? { headers: { "if-none-match": etag } } : {}),
        });
      } catch (error) {
        if (call.refused) throw call.refused;
        return explain(error, call.status, { hasToken: Boolean(token), unreachable: call.unreachable });
      }
      return { kind: "content", bytes: call.bytes, etag: call.etag, isListing: call.isListing };
    },
  };
}

/** One call: the package speaks to this `fetch`, and what it received is kept as it came. */
function openCall(context: SourceContext) {
  const call = {
    bytes: new Uint8Array() as Uint8Array,
    etag: undefined as string | undefined,
    status: 0,
    isListing: false,
    unreachable: undefined as string | undefined,
    refused: undefined as ConfigError | undefined,
    fetch: async (
      input: string | URL,
      init: { method?: string; headers?: Record<string, string> } = {},
    ): Promise<Response> => {
      const { authorization, ...headers } = init.headers ?? {};
      try {
        const url = new URL(input);
        url.pathname = url.pathname.replaceAll("%2F", "/"); // as the API documents it, and servers in between take it
        const answer = await requestAgent(url, {
          headers,
          ...(authorization === undefined ? {} : { credentials: { authorization } }),
          limit: LIMIT,
          what: "the answer of GitHub",
          allowedHosts: "named", // the user's own environment names the host
          redirects: authorization === undefined ? "anywhere" : "same_host",
          context,
        });
        call.status = answer.status;
        call.bytes = answer.bytes;
        call.etag = answer.headers.get("etag") ?? undefined;
        // A file whose content is JSON has a media type of its own; what is plain JSON describes folders and files.
        call.isListing =
          /^application\/json\b/.test(answer.headers.get("content-type") ?? "") && firstByte(answer.bytes) === "[";
        const empty = answer.status === 204 || answer.status === 304;
        return new Response(empty ? null : (answer.bytes as Uint8Array<ArrayBuffer>), {
          status: answer.status,
          headers: answer.headers,
        });
      } catch (error) {
        if (error instanceof UnreachableError) call.unreachable = error.message;
        else if (error instanceof ConfigError) call.refused = error;
        throw error;
      }
    },
  };
  return call;
}

function firstByte(bytes: Uint8Array): string {
  return String.fromCharCode(bytes[0] ?? 0);
}

function explain(
  error: unknown,
  status: number,
  { hasToken, unreachable }: { hasToken: boolean; unreachable: string | undefined },
): Contents {
  if (status === 304) return { kind: "unchanged" };
  if (unreachable !== undefined) return { kind: "failed", reason: unreachable, unreachable: true };
  return { kind: "failed", reason: reasonFor(status, hasToken) ?? errorText(error), unreachable: false };
}

function reasonFor(status: number, hasToken: boolean): string | undefined {
  if (status === 404 && !hasToken) return "not found; a private repository needs GITHUB_TOKEN or GH_TOKEN";
  if (status === 404) return "not found, or the token does not reach it";
  if (status === 401) return "GitHub refuses the token in GITHUB_TOKEN or GH_TOKEN";
  if ((status === 403 || status === 429) && !hasToken)
    return `GitHub answered ${status}; with GITHUB_TOKEN or GH_TOKEN set it allows more requests`;
  return status >= 400 ? `GitHub answered ${status}` : undefined;
}
