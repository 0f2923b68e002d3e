import { ConfigError, errorText } from "../../lib/errors.ts";
import { optionalPackage } from "../../lib/optional-package.ts";
import { MAX_DOCUMENT_BYTES } from "../yaml/document.ts";
import { requestAgent, UnreachableError } from "./send-request.ts";
import type { SourceContext } from "./source-context.ts";

/** A path in a repository, as parameters of the contents API. */
export interface ContentsPath {
  owner: string;
  repo: string;
  path: string;
  ref?: string;
}

export type Contents =
  /** The bytes of a file, or the JSON description of a file or folder. */
  | { kind: "content"; bytes: Uint8Array; etag: string | undefined; isListing: boolean }
  | { kind: "unchanged" }
  | { kind: "failed"; reason: string; unreachable: boolean };

/** GitHub's contents API. */
export interface GitHub {
  contents(path: ContentsPath, options: { raw: boolean; etag: string | undefined }): Promise<Contents>;
}

/** The maximum size of an answer in bytes. The listing of a large folder is longer than an agent file. */
const LIMIT = 2 * MAX_DOCUMENT_BYTES;

/**
 * Opens the API at an address. Requests follow the rules of {@link requestAgent}, and only this host receives the
 * token. Calls throw a {@link ConfigError} if such a rule forbids the request.
 */
export async function openGitHubApi(apiUrl: string, context: SourceContext): Promise<GitHub> {
  const { Octokit } = await optionalPackage("@octokit/rest", () => import("@octokit/rest"));
  const token = context.lookup("GITHUB_TOKEN") || context.lookup("GH_TOKEN");
  const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  return {
    contents: async (path, { raw, etag }) => {
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
          ...path,
          ...(raw ? { mediaType: { format: "raw" } } : {}),
          ...(etag ? { headers: { "if-none-match": etag } } : {}),
        });
      } catch (error) {
        if (call.forbidden) throw call.forbidden;
        return explain(error, call.status, { hasToken: Boolean(token), unreachable: call.unreachable });
      }
      return { kind: "content", bytes: call.bytes, etag: call.etag, isListing: call.isListing };
    },
  };
}

/** Returns a `fetch` for one call of Octokit, which also keeps the answer's bytes as received. */
function openCall(context: SourceContext) {
  const call = {
    bytes: new Uint8Array() as Uint8Array,
    etag: undefined as string | undefined,
    status: 0,
    isListing: false,
    unreachable: undefined as string | undefined,
    forbidden: undefined as ConfigError | undefined,
    fetch: async (
      input: string | URL,
      init: { method?: string; headers?: Record<string, string> } = {},
    ): Promise<Response> => {
      const { authorization, ...headers } = init.headers ?? {};
      try {
        const url = new URL(input);
        url.pathname = url.pathname.replaceAll("%2F", "/"); // as documented by the API; some proxies reject %2F
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
        // A JSON file comes with another media type. application/json is only used for descriptions.
        call.isListing =
          /^application\/json\b/.test(answer.headers.get("content-type") ?? "") && firstByte(answer.bytes) === "[";
        const empty = answer.status === 204 || answer.status === 304;
        return new Response(empty ? null : (answer.bytes as Uint8Array<ArrayBuffer>), {
          status: answer.status,
          headers: answer.headers,
        });
      } catch (error) {
        if (error instanceof UnreachableError) call.unreachable = error.message;
        else if (error instanceof ConfigError) call.forbidden = error;
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
  if (status === 404) return "not found, or GITHUB_TOKEN or GH_TOKEN gives no access to it";
  if (status === 401) return "GitHub rejects the token in GITHUB_TOKEN or GH_TOKEN";
  if ((status === 403 || status === 429) && !hasToken)
    return `GitHub answered ${status}; set GITHUB_TOKEN or GH_TOKEN to raise the rate limit`;
  return status >= 400 ? `GitHub answered ${status}` : undefined;
}
