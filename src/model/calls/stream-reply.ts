import { traceHeaders } from "../../trace/active.ts";
import type { ResolvedModel } from "../catalog/resolve.ts";
import type { ModelDelta, ModelRequest, Reply } from "../model.ts";
import { requestHeaders } from "../settings/request-settings.ts";
import { type ReplyBuilder, startReply } from "./reply-builder.ts";
import { type Fetch, openTransport, type Transport } from "./transport.ts";

/** The options of a call that do not depend on the request. */
export interface AdapterOptions {
  fetch: Fetch;
  /** Milliseconds without data after which the call fails. */
  idleTimeoutMs: number;
  /** The size of the context window in tokens; 0 if unknown. */
  contextLimit: number;
  log: (level: "debug" | "warn", message: string) => void;
}

/** One model call: the model, the request, and the listener for the pieces of the reply. */
export interface ModelCall {
  model: ResolvedModel;
  options: AdapterOptions;
  request: ModelRequest;
  onDelta: (delta: ModelDelta) => void;
}

/** How one API sends a request and reads its stream. */
export interface StreamProtocol {
  /** Sends the request and returns the events of the stream. */
  send(transport: Transport): Promise<AsyncIterable<unknown>>;
  /** Returns a function that reads one event after another into the reply, and throws on a malformed one. */
  read(reply: ReplyBuilder): (event: unknown) => void;
}

/** Milliseconds after which reading a stream yields to timers and other work. */
const YIELD_AFTER_MS = 5;

/**
 * Makes one call and reads the whole stream into a reply. A stream without a finish reason is an error. Every error
 * names provider and address and holds no keys; see docs/design/contract.md#model-calls.
 */
export async function streamReply(
  { model, options, request, onDelta }: ModelCall,
  dialect: StreamProtocol,
): Promise<Reply> {
  const transport = openTransport({
    provider: model.provider,
    fetch: options.fetch,
    headers: { ...traceHeaders(), ...requestHeaders(model, request.messages) },
    secrets: model.key ? [model.key] : [],
    failures: model.family.failures,
    idleTimeoutMs: options.idleTimeoutMs,
    signal: request.signal,
  });
  try {
    const reply = startReply(onDelta, { provider: model.provider, api: model.api });
    const take = dialect.read(reply);
    let rested = performance.now();
    for await (const event of await dialect.send(transport)) {
      take(event);
      // A service that sends faster than its events are shown would keep timers and keys waiting until the end.
      if (performance.now() - rested < YIELD_AFTER_MS) continue;
      await new Promise(setImmediate);
      rested = performance.now();
    }
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
