import { textOfObject } from "../../lib/frozen.ts";
import { optionalPackage } from "../../lib/optional-package.ts";
import type { Transport } from "../calls/transport.ts";
import type { ResolvedModel } from "../catalog/resolve.ts";

/**
 * Posts a body with the `openai` SDK and returns the events of the stream. The SDK is loaded on first use and gets a
 * dummy key, because the transport sets the headers.
 */
export async function postStream(
  model: ResolvedModel,
  transport: Transport,
  path: string,
  body: Record<string, unknown>,
): Promise<AsyncIterable<unknown>> {
  const { OpenAI } = await optionalPackage("openai", () => import("openai"));
  const version = model.spec.provider_opts?.["api_version"];
  const client = new OpenAI({
    apiKey: "set-by-the-transport",
    adminAPIKey: null,
    organization: null,
    project: null,
    baseURL: model.baseUrl,
    fetch: transport.fetch,
    maxRetries: 0,
    timeout: MAX_TIMER_MS,
    // The SDK would write malformed stream data to standard error.
    logLevel: "off",
    ...(model.rowName === "azure" && typeof version === "string" ? { defaultQuery: { "api-version": version } } : {}),
  });
  // The SDK sends a text with this header as it is.
  const headers = { "content-type": "application/json" };
  return client.post<AsyncIterable<unknown>>(path, {
    headers,
    body: textOfObject(body),
    stream: true,
    signal: transport.signal,
  });
}

/** The maximum of `setTimeout`, which disables the timer of the SDK; the transport has its own. */
const MAX_TIMER_MS = 2 ** 31 - 1;
