import { guardedFetch, readAtMost } from "../src/lib/network/guarded-fetch.ts";
import { defineBuiltin } from "../src/protocol/builtin.ts";
import { contractOf } from "../src/protocol/events.ts";

const TIME_LIMIT_MS = 30_000;
const RESPONSE_LIMIT = 64 * 1024;

/**
 * Posts a fixed body to a URL, never to an internal address. The response is not used. A failure is reported to the
 * user without the URL's path, query and credentials, which are often secrets. On an event that fails closed, such as
 * `pre_tool_use`, it is a failure of the hook, and so is any status but 2xx.
 */
export const run = defineBuiltin(async (input, [address, body = ""], { env, signal }) => {
  const isGuard = contractOf(input.hook_event_name).failClosed;
  const failure = (reason: string) => {
    if (isGuard) throw new Error(`http_post: ${reason}`);
    return { system_message: `http_post: ${reason}` };
  };
  if (!address) return isGuard ? failure("no URL in args") : undefined;
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
  if (result.kind !== "response") return failure(result.reason);

  // Read to the end, because closing the connection early can stop a server in its work. A broken response changes nothing.
  await readAtMost(result.response, RESPONSE_LIMIT).catch(() => {});
  const { status } = result.response;
  const isFailure = isGuard ? status < 200 || status >= 300 : status >= 400;
  return isFailure ? failure(`${result.url.host}: status ${status}`) : undefined;
});
