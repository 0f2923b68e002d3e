import { guardedFetch, readAtMost } from "../src/lib/network/guarded-fetch.ts";
import { defineBuiltin } from "../src/protocol/builtin.ts";

const TIME_LIMIT_MS = 30_000;
const RESPONSE_LIMIT = 64 * 1024;

/**
 * Posts a fixed body to a URL, never to an internal address. The response is not used. A failure is reported to the
 * user without the URL's path, query and credentials, which are often secrets.
 */
export const run = defineBuiltin(async (_input, [address, body = ""], { env, signal }) => {
  if (!address) return undefined;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:")
    throw new Error("http_post: only http(s) URLs are supported");
  const result = await guardedFetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body,
    env,
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIME_LIMIT_MS)]),
  });
  if (result.kind !== "response") return { system_message: `http_post: ${result.reason}` };

  // Read to the end, because closing the connection early can stop a server in its work. A broken response changes nothing.
  await readAtMost(result.response, RESPONSE_LIMIT).catch(() => {});
  const { status } = result.response;
  return status >= 400 ? { system_message: `http_post: ${result.url.host}: status ${status}` } : undefined;
});
