import type { ResolvedModel } from "../catalog/resolve.ts";
import type { ModelDelta, ModelRequest, Reply } from "../model.ts";
import { requestHeaders } from "../settings/request-settings.ts";
import { type ReplyBuilder, startReply } from "./reply-builder.ts";
import { type Fetch, openTransport, type Transport } from "./transport.ts";

/** What an adapter needs beside the model and the request. */
export interface AdapterOptions {
  fetch: Fetch;
  /** Milliseconds without data after which a call has failed. */
  idleTimeoutMs: number;
  /** Tokens the context window holds; 0 when unknown. */
  contextLimit: number;
  log: (level: "debug" | "warn", message: string) => void;
}

/** One call of a model: to whom, what, and who hears of its parts as they come. */
export interface ModelCall {
  model: ResolvedModel;
  options: AdapterOptions;
  request: ModelRequest;
  onDelta: (delta: ModelDelta) => void;
}

/** What tells one API from another. */
export interface StreamProtocol {
  /** Sends the request and gives the events of the stream. */
  send(transport: Transport): Promise<AsyncIterable<unknown>>;
  /** Begins to read: what it gives takes event after event and throws for one that is broken. */
  read(reply: ReplyBuilder): (event: unknown) => void;
}

/**
 * Makes one call through a transport with the model's own headers: the whole stream is read into a reply. A stream that
 * ends without saying why is cut; every error is told in the transport's words, without keys.
 *
 * Source: runtime 13.3 to 13.5.
 */
export async function streamReply(
  { model, options, request, onDelta }: ModelCall,
  dialect: StreamProtocol,
): Promise<Reply> {
  const transport = openTransport({
    provider: model.provider,
    fetch: options.fetch,
    headers: requestHeaders(model, request.messages),
    secrets: model.key ? [model.key] : [],
    failures: model.family.failures,
    idleTimeoutMs: options.idleTimeoutMs,
    signal: request.signal,
  });
  try {
    const reply = startReply(onDelta, { provider: model.provider, api: model.api });
    const take = dialect.read(reply);
    for await (const event of await dialect.send(transport)) take(event);
    transport.throwIfAborted();
    const built = reply.build();
    if (!built) throw transport.truncated();
    return built;
  } catch (error) {
    throw transport.errorFor(error);
  } finally {
    transport.close();
  }
}
