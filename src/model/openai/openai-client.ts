import { optionalPackage } from "../../lib/optional-package.ts";
import type { Transport } from "../calls/transport.ts";
import type { ResolvedModel } from "../catalog/resolve.ts";

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
    timeout: LONGEST_TIMER,
    // The package would write broken stream data to standard error.
    logLevel: "off",
    ...(model.rowName === "azure" && typeof version === "string" ? { defaultQuery: { "api-version": version } } : {}),
  });
  return client.post<AsyncIterable<unknown>>(path, { body, stream: true, signal: transport.signal });
}

/** The transport has its own timer; this is what `setTimeout` can count at most. */
const LONGEST_TIMER = 2 ** 31 - 1;
