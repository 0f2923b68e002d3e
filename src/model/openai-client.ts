import { requestHeaders } from "./settings.ts";
import type { ResolvedModel } from "./resolve.ts";
import { type Fetch, openTransport, type Transport } from "./transport.ts";

/** What an adapter needs beside the model and the request. */
export interface AdapterOptions {
  fetch: Fetch;
  /** Milliseconds without data after which a call has failed. */
  idleTimeoutMs: number;
  /** Tokens the context window holds; 0 when unknown. */
  contextLimit: number;
}

/** Opens the transport of one call with the model's own headers. */
export function openModelTransport(model: ResolvedModel, options: AdapterOptions, signal: AbortSignal): Transport {
  return openTransport({
    provider: model.provider,
    fetch: options.fetch,
    headers: requestHeaders(model),
    secrets: model.key ? [model.key] : [],
    idleTimeoutMs: options.idleTimeoutMs,
    signal,
  });
}

/**
 * Posts a body through the `openai` package and gives the events of the stream as they are. The package is loaded on
 * first use and gets a dummy key: the transport sets the headers.
 */
export async function postStream(
  model: ResolvedModel,
  transport: Transport,
  path: string,
  body: Record<string, unknown>,
): Promise<AsyncIterable<unknown>> {
  const { OpenAI } = await import("openai");
  const version = model.spec.provider_opts?.["api_version"];
  const client = new OpenAI({
    apiKey: "set-by-the-transport",
    adminAPIKey: null,
    organization: null,
    project: null,
    baseURL: model.baseUrl,
    fetch: transport.fetch,
    maxRetries: 0,
    timeout: LONGEST_TIMER,
    // The package would write broken stream data to standard error.
    logLevel: "off",
    ...(model.base === "azure" && typeof version === "string" ? { defaultQuery: { "api-version": version } } : {}),
  });
  return client.post<AsyncIterable<unknown>>(path, { body, stream: true, signal: transport.signal });
}

/** The transport has its own timer; this is what `setTimeout` can count at most. */
const LONGEST_TIMER = 2 ** 31 - 1;
