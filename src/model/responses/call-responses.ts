import * as v from "valibot";
import { errorText } from "../../lib/errors.ts";
import { StreamFailure } from "../calls/call-errors.ts";
import type { ReplyBuilder } from "../calls/reply-builder.ts";
import { type ModelCall, streamReply } from "../calls/stream-reply.ts";
import type { ResolvedModel } from "../catalog/resolve.ts";
import type { Usage } from "../messages/message.ts";
import { ModelError, type Reply } from "../model.ts";
import { postStream } from "../openai/openai-client.ts";
import {
  holdsReasoning,
  type ItemLinks,
  splitThought,
  THOUGHT_GAP,
  type WrittenData,
  withoutReasoning,
} from "./responses-items.ts";
import { responsesBody } from "./responses-request.ts";

/**
 * Makes one call of the Responses API. If the service refuses earlier reasoning, as it does with the key of another
 * account, the call is repeated without it. https://platform.openai.com/docs/api-reference/responses-streaming
 */
export async function callResponses(call: ModelCall): Promise<Reply> {
  const { model, request, options } = call;
  try {
    return await post(call, responsesBody(model, request, options.contextLimit));
  } catch (error) {
    if (!refusesReasoning(error) || !holdsReasoning(request.messages, model)) throw error;
    options.log("warn", `${errorText(error)}; sent again without the reasoning of earlier replies`);
    const bare = { ...request, messages: withoutReasoning(request.messages) };
    return post(call, responsesBody(model, bare, options.contextLimit));
  }
}

function post(call: ModelCall, body: Record<string, unknown>): Promise<Reply> {
  const { model } = call;
  return streamReply(call, {
    send: (to) => postStream(model, to, "/responses", body),
    read: (into) => eventReader(model, into),
  });
}

function refusesReasoning(error: unknown): boolean {
  if (!(error instanceof ModelError) || (error.status !== 400 && error.status !== 404)) return false;
  return /encrypted.content|'reasoning'|reasoning (input )?items?|\brs_/i.test(error.message);
}

const text = v.nullish(v.string());
const tokens = v.nullish(v.number());

const parts = v.nullish(v.array(v.looseObject({ type: text, text: text })));

const ItemSchema = v.looseObject({
  type: text,
  id: text,
  status: text,
  call_id: text,
  name: text,
  arguments: text,
  phase: text,
  summary: parts,
  content: parts,
});

type Item = v.InferOutput<typeof ItemSchema>;

/** The fields in use of all events; `type` decides which are set. */
const EventSchema = v.looseObject({
  type: v.string(),
  delta: v.optional(v.unknown()),
  message: text,
  code: text,
  output_index: v.nullish(v.number()),
  content_index: v.nullish(v.number()),
  item: v.nullish(ItemSchema),
  response: v.nullish(
    v.looseObject({
      error: v.nullish(v.looseObject({ code: text, message: text })),
      incomplete_details: v.nullish(v.looseObject({ reason: text })),
      usage: v.nullish(
        v.looseObject({
          input_tokens: tokens,
          output_tokens: tokens,
          input_tokens_details: v.nullish(v.looseObject({ cached_tokens: tokens })),
          output_tokens_details: v.nullish(v.looseObject({ reasoning_tokens: tokens })),
        }),
      ),
    }),
  ),
});

type Event = v.InferOutput<typeof EventSchema>;

/** Returns a function that reads one event after another into a reply. */
function eventReader(model: ResolvedModel, reply: ReplyBuilder): (event: unknown) => void {
  const items = itemReader(reply);
  let refused = false;
  return (raw) => {
    const parsed = v.safeParse(EventSchema, raw);
    if (!parsed.success) throw new SyntaxError("an event of the stream has an unknown shape");
    const event = parsed.output;
    const delta = typeof event.delta === "string" ? event.delta : "";
    switch (event.type) {
      case "response.output_text.delta":
        return items.text(event, delta);
      case "response.refusal.delta":
        refused = true;
        return reply.refusal(delta);
      case "response.reasoning_summary_part.added":
        return items.nextThought(event);
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        return items.thought(event, delta);
      case "response.function_call_arguments.delta":
        return reply.toolCall({ key: event.output_index ?? 0, arguments: delta });
      case "response.output_item.added":
      case "response.output_item.done":
        return items.item(event);
      case "response.completed":
      case "response.incomplete":
        return finish(event, reply, model, refused);
      case "response.failed":
      case "error":
        throw new StreamFailure(event.response?.error ?? { code: event.code, message: event.message });
    }
  };
}

/**
 * Reads the items of a reply. Items that follow reasoning get the data to send back. A thought whose summary differs
 * from the streamed text gets none, because hooks and redaction would not see the text that is sent back.
 */
function itemReader(reply: ReplyBuilder) {
  const chain = itemChain();
  const streamed = new Map<string, string>();
  const write = (kind: "text" | "reasoning", key: string, part: string) => {
    streamed.set(key, (streamed.get(key) ?? "") + part);
    reply[kind](part, { key });
  };
  const textKey = ({ output_index, content_index }: Event, part = content_index ?? 0) =>
    `text ${output_index ?? 0}.${part}`;
  const thoughtKey = ({ output_index }: Event) => `thought ${output_index ?? 0}`;

  const finishItem = (event: Event, item: Item, links: ItemLinks) => {
    const { id, type, phase } = item;
    if (!id || item.status === "incomplete" || item.status === "in_progress") return;
    if (type === "reasoning") {
      const key = thoughtKey(event);
      const { status: _status, ...sent } = item;
      const thought = splitThought(sent);
      if ((streamed.get(key) ?? "") !== thought.text) return;
      return reply.reasoning("", { key, data: { ...thought.data, ...(links.after === links.thought ? links : {}) } });
    }
    if (links.thought === undefined && !phase) return;
    const data: WrittenData = { id, ...links, ...(phase ? { phase } : {}) };
    if (type === "function_call") return reply.setData(event.output_index ?? 0, data);
    for (const [index, part] of (item.content ?? []).entries()) {
      const key = textKey(event, index);
      if (part.type === "output_text" && streamed.get(key) === part.text) reply.setData(key, data);
    }
  };

  return {
    text: (event: Event, delta: string) => write("text", textKey(event), delta),
    thought: (event: Event, delta: string) => write("reasoning", thoughtKey(event), delta),
    nextThought(event: Event) {
      const key = thoughtKey(event);
      if (streamed.get(key)) write("reasoning", key, THOUGHT_GAP);
    },
    item(event: Event) {
      const { item, type, output_index } = event;
      if (!item) return;
      if (item.type === "function_call") readCall(event, item, reply);
      const links = chain.linksOf(output_index ?? 0, item);
      if (type === "response.output_item.done") finishItem(event, item, links);
    },
  };
}

/**
 * Records the order of the items. GitHub Copilot changes the id of an item with every event; the last id counts.
 */
function itemChain() {
  const known = new Map<number, ItemLinks>();
  let last: { readonly index: number; readonly id: string | undefined } | undefined;
  let thought: string | undefined;
  return {
    linksOf(index: number, item: Item): ItemLinks {
      const links = known.get(index) ?? { ...(last?.id ? { after: last.id } : {}), ...(thought ? { thought } : {}) };
      if (known.has(index) && last?.index !== index) return links;
      known.set(index, links);
      last = { index, id: item.id ?? undefined };
      if (item.type === "reasoning") thought = item.id ?? undefined;
      return links;
    },
  };
}

/** Reads a tool call from its first and its last event. The last one supplies arguments that no delta brought. */
function readCall({ type, output_index }: Event, item: Item, reply: ReplyBuilder): void {
  const key = output_index ?? 0;
  const known = reply.argumentsOf(key);
  if (type === "response.output_item.added" || known === undefined) {
    reply.toolCall({ key, id: item.call_id, name: item.name, arguments: item.arguments });
  } else if (known === "") {
    reply.toolCall({ key, arguments: item.arguments });
  }
}

function finish({ type, response }: Event, reply: ReplyBuilder, model: ResolvedModel, refused: boolean): void {
  const usage = response?.usage;
  if (usage && model.spec.track_usage !== false) reply.usage(responsesUsage(usage, model));
  const reason = response?.incomplete_details?.reason;
  if (refused || reason === "content_filter") reply.finish("refusal");
  else reply.finish(type === "response.incomplete" ? "length" : "stop");
}

function responsesUsage(usage: NonNullable<NonNullable<Event["response"]>["usage"]>, { family }: ResolvedModel): Usage {
  const cached = usage.input_tokens_details?.cached_tokens ?? 0;
  const reasoning = usage.output_tokens_details?.reasoning_tokens ?? 0;
  return {
    input_tokens: Math.max(0, (usage.input_tokens ?? 0) - cached),
    output_tokens: usage.output_tokens ?? 0,
    cached_input_tokens: cached,
    cached_write_tokens: 0,
    ...(reasoning > 0 || family.thinking.kind === "effort" ? { reasoning_tokens: reasoning } : {}),
  };
}
