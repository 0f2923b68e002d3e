import * as v from "valibot";
import { isObject } from "../../lib/json.ts";
import { optionalPackage } from "../../lib/optional-package.ts";
import type { ReplyBuilder } from "../calls/reply-builder.ts";
import { type ModelCall, streamReply } from "../calls/stream-reply.ts";
import { callForObject } from "../calls/structured-text.ts";
import type { Transport } from "../calls/transport.ts";
import type { ResolvedModel } from "../catalog/resolve.ts";
import type { Usage } from "../messages/message.ts";
import type { Reply } from "../model.ts";
import { type AnthropicRequest, anthropicRequest } from "./anthropic-request.ts";

/** Makes one call of Anthropic's Messages API. */
export async function callAnthropic(call: ModelCall): Promise<Reply> {
  return call.request.structuredOutput ? callForObject(call, askMessages) : askMessages(call);
}

async function askMessages(call: ModelCall): Promise<Reply> {
  const { model, request, options } = call;
  const sent = anthropicRequest(model, request, options.contextLimit);
  const remark = (text: string) => options.log("debug", `${model.provider}/${model.model}: ${text}`);
  sent.remarks.forEach(remark);
  return streamReply(call, {
    send: (to) => postMessages(model, to, sent),
    read: (into) => eventReader(model, into, remark),
  });
}

/** The SDK is loaded on first use and gets a dummy key, because the transport sets the headers. */
async function postMessages(
  model: ResolvedModel,
  transport: Transport,
  { headers, body }: AnthropicRequest,
): Promise<AsyncIterable<unknown>> {
  const { Anthropic } = await optionalPackage("@anthropic-ai/sdk", () => import("@anthropic-ai/sdk"));
  const client = new Anthropic({
    apiKey: "set-by-the-transport",
    // The SDK adds the version to the path.
    baseURL: model.baseUrl.replace(/\/(v1\/?)?$/, ""),
    fetch: transport.fetch,
    maxRetries: 0,
    timeout: 2 ** 31 - 1,
    logLevel: "off",
  });
  return client.post<AsyncIterable<unknown>>("/v1/messages", { headers, body, stream: true, signal: transport.signal });
}

const text = v.nullish(v.string());
const tokens = v.nullish(v.number());

const UsageSchema = v.looseObject({
  input_tokens: tokens,
  output_tokens: tokens,
  cache_read_input_tokens: tokens,
  cache_creation_input_tokens: tokens,
  output_tokens_details: v.nullish(v.looseObject({ thinking_tokens: tokens })),
});

/** The fields in use of all events; `type` decides which are set. */
const EventSchema = v.looseObject({
  type: v.string(),
  index: v.nullish(v.number()),
  message: v.nullish(
    v.looseObject({
      usage: v.nullish(UsageSchema),
      input_transformations: v.nullish(v.array(v.looseObject({ type: text, reason: text }))),
    }),
  ),
  content_block: v.nullish(
    v.looseObject({ type: v.string(), id: text, name: text, text: text, thinking: text, signature: text, data: text }),
  ),
  delta: v.nullish(
    v.looseObject({ type: text, text: text, thinking: text, signature: text, partial_json: text, stop_reason: text }),
  ),
  usage: v.nullish(UsageSchema),
});

type Event = v.InferOutput<typeof EventSchema>;

/** Returns a function that reads one event after another into a reply; `remark` writes to the debug log. */
function eventReader(
  model: ResolvedModel,
  reply: ReplyBuilder,
  remark: (text: string) => void,
): (event: unknown) => void {
  let usage: v.InferOutput<typeof UsageSchema> = {};
  const count = (reported: typeof usage | null | undefined) => {
    const known = Object.entries(reported ?? {}).filter(([, value]) => value !== null);
    usage = { ...usage, ...Object.fromEntries(known) };
  };
  return (raw) => {
    const parsed = v.safeParse(EventSchema, raw);
    if (!parsed.success) throw new SyntaxError("an event of the stream has an unknown shape");
    const event = parsed.output;
    switch (event.type) {
      case "message_start": {
        const changes = event.message?.input_transformations ?? [];
        const dropped = changes.flatMap(({ type, reason }) =>
          type === "thinking_dropped" ? [reason ?? "no reason"] : [],
        );
        const reasons = [...new Set(dropped)].join(", ");
        if (dropped.length > 0) remark(`thoughts dropped by the provider: ${dropped.length} (${reasons})`);
        return count(event.message?.usage);
      }
      case "content_block_start":
        return startBlock(event, reply);
      case "content_block_delta":
        return continueBlock(event, reply);
      case "content_block_stop":
        // The API streams nothing for a call without arguments.
        return reply.argumentsOf(event.index ?? 0) === ""
          ? reply.toolCall({ key: event.index ?? 0, arguments: "{}" })
          : undefined;
      case "message_delta":
        count(event.usage);
        if (!event.delta?.stop_reason) return;
        if (model.spec.track_usage !== false) reply.usage(anthropicUsage(usage));
        return reply.finish(finishReason(event.delta.stop_reason));
    }
  };
}

function startBlock({ index, content_block: block }: Event, reply: ReplyBuilder): void {
  const key = index ?? 0;
  switch (block?.type) {
    case "text":
      return reply.text(block.text ?? "", { key });
    case "tool_use":
      return reply.toolCall({ key, id: block.id, name: block.name });
    case "thinking":
      return reply.reasoning(block.thinking ?? "", { key, data: { signature: block.signature ?? "" } });
    case "redacted_thinking":
      return reply.reasoning("", { key, data: { redacted: block.data ?? "" } });
  }
}

function continueBlock({ index, delta }: Event, reply: ReplyBuilder): void {
  const key = index ?? 0;
  switch (delta?.type) {
    case "text_delta":
      return reply.text(delta.text ?? "", { key });
    case "input_json_delta":
      return reply.toolCall({ key, arguments: delta.partial_json });
    case "thinking_delta":
      return reply.reasoning(delta.thinking ?? "", { key });
    case "signature_delta": {
      const data = reply.dataOf(key);
      const previous = isObject(data) && typeof data["signature"] === "string" ? data["signature"] : "";
      return reply.setData(key, { signature: previous + (delta.signature ?? "") });
    }
  }
}

function finishReason(reason: string): Reply["finishReason"] {
  switch (reason) {
    case "max_tokens":
    case "model_context_window_exceeded":
      return "length";
    case "refusal":
      return "refusal";
    default:
      return "stop";
  }
}

function anthropicUsage(usage: v.InferOutput<typeof UsageSchema>): Usage {
  const thoughts = usage.output_tokens_details?.thinking_tokens ?? 0;
  return {
    input_tokens: usage.input_tokens ?? 0,
    output_tokens: usage.output_tokens ?? 0,
    cached_input_tokens: usage.cache_read_input_tokens ?? 0,
    cached_write_tokens: usage.cache_creation_input_tokens ?? 0,
    ...(thoughts > 0 ? { reasoning_tokens: thoughts } : {}),
  };
}
