import type { Env } from "../../src/lib/env.ts";
import { guardedFetch, readAtMost } from "../../src/lib/network/guarded-fetch.ts";
import { optionalPackage } from "../../src/lib/optional-package.ts";
import type { Target } from "./target.ts";

/** The comments of one issue or pull request. */
export interface Comments {
  /** The id of the oldest comment that starts with a text. */
  find(beginning: string): Promise<number | undefined>;
  /** Returns the new comment's id. */
  create(body: string): Promise<number>;
  /** False if the comment was deleted. */
  update(id: number, body: string): Promise<boolean>;
}

/** Pages of a hundred comments that are searched. */
const MAX_PAGES = 50;

/** Bytes; several times a page of a hundred comments of the largest size. */
const ANSWER_LIMIT = 64 * 1024 * 1024;

/**
 * Opens the comments of an issue or a pull request. The token is sent to the API's host only. Each method throws with
 * GitHub's error message.
 */
export async function openComments(target: Target, token: string, env: Env, signal: AbortSignal): Promise<Comments> {
  const { Octokit } = await optionalPackage("@octokit/rest", () => import("@octokit/rest"));
  const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const { rest, paginate } = new Octokit({
    auth: token,
    baseUrl: (env["GITHUB_API_URL"] || "https://api.github.com").replace(/\/+$/, ""),
    userAgent: "hooksh",
    log: silent,
    request: { fetch: fetchWith(env, signal) },
  });
  const { owner, repo, number: issue_number } = target;
  return {
    async find(beginning) {
      let pages = 0;
      const all = { owner, repo, issue_number, per_page: 100 };
      for await (const { data } of paginate.iterator(rest.issues.listComments, all)) {
        const found = data.find(({ body }) => body?.startsWith(beginning));
        if (found) return found.id;
        if (++pages >= MAX_PAGES) return undefined;
      }
      return undefined;
    },
    create: async (body) => (await rest.issues.createComment({ owner, repo, issue_number, body })).data.id,
    async update(id, body) {
      try {
        await rest.issues.updateComment({ owner, repo, comment_id: id, body });
        return true;
      } catch (error) {
        if (error instanceof Error && "status" in error && error.status === 404) return false;
        throw error;
      }
    },
  };
}

/** The part of `fetch` that Octokit uses. Internal addresses are allowed: GitHub may be self-hosted. */
function fetchWith(env: Env, signal: AbortSignal) {
  return async (
    address: string,
    init: { method?: "GET" | "POST" | "PATCH"; headers?: Record<string, string>; body?: string },
  ) => {
    const { authorization, ...headers } = init.headers ?? {};
    const result = await guardedFetch(new URL(address), {
      method: init.method ?? "GET",
      headers,
      ...(authorization === undefined ? {} : { ownHeaders: { authorization } }),
      ...(init.body === undefined ? {} : { body: init.body }),
      env,
      signal,
      allowPrivate: true,
    });
    if (result.kind !== "response") throw new Error(result.reason);
    const { bytes, truncated } = await readAtMost(result.response, ANSWER_LIMIT);
    if (truncated) throw new Error(`${result.url.host}: the answer is larger than ${ANSWER_LIMIT} bytes`);
    const { status } = result.response;
    const isEmpty = status === 204 || status === 304;
    return new Response(isEmpty ? null : (bytes as Uint8Array<ArrayBuffer>), {
      status,
      headers: result.response.headers,
    });
  };
}
