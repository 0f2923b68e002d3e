import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { CancelledNotificationSchema, RequestId } from "@modelcontextprotocol/sdk/types.js";

/**
 * Requests of a server that it may withdraw. The SDK's own handler ignores the request with the number 0, which is the
 * first that a server of the same SDK sends (https://modelcontextprotocol.io/specification/2025-06-18/basic/utilities/cancellation).
 */
export class Withdrawable {
  readonly #open = new Map<RequestId, AbortController>();

  constructor(client: Client, schema: typeof CancelledNotificationSchema) {
    client.setNotificationHandler(schema, ({ params: { requestId } }) => {
      if (requestId !== undefined) this.#open.get(requestId)?.abort();
    });
  }

  /** Handles a request. The signal that `work` gets aborts when the request is withdrawn or `signal` aborts. */
  async handle<T>(id: RequestId, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const withdrawn = new AbortController();
    this.#open.set(id, withdrawn);
    try {
      return await work(AbortSignal.any([signal, withdrawn.signal]));
    } finally {
      this.#open.delete(id);
    }
  }
}
