import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { CancelledNotificationSchema, RequestId } from "@modelcontextprotocol/sdk/types.js";
import * as v from "valibot";
import { isJsonObject, isObject } from "../../lib/json.ts";
import type { ToolContext, UserQuestion } from "../tool.ts";

const contentSchema = v.record(v.string(), v.union([v.string(), v.number(), v.boolean(), v.array(v.string())]));

/** The user's answer to a server's question. */
export type ElicitedAnswer =
  | { action: "accept"; content: v.InferOutput<typeof contentSchema> }
  | { action: "decline" | "cancel" };

/** Asks the user a server's question. An answer that MCP cannot represent counts as `cancel`. */
export async function askUserFor(
  server: string,
  { message, requestedSchema }: Readonly<Record<string, unknown>>,
  context: Pick<ToolContext, "askUser" | "signal">,
  signal: AbortSignal,
): Promise<ElicitedAnswer> {
  const question: UserQuestion = {
    title: `${server} asks`,
    message: String(message),
    ...(isJsonObject(requestedSchema) ? { schema: requestedSchema } : {}),
  };
  const either = AbortSignal.any([context.signal, signal]);
  const answer = (await context.askUser?.(question, either)) ?? { action: "decline" };
  if (answer.action !== "accept") return { action: answer.action };
  const content = v.safeParse(contentSchema, answer.content);
  const isUnderstood = content.success && isObject(answer.content); // the schema's record would accept a list
  return isUnderstood ? { action: "accept", content: content.output } : { action: "cancel" };
}

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
