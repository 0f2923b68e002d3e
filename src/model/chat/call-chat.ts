import * as v from "valibot";
import { errorText } from "../../lib/errors.ts";
import type { ReplyBuilder } from "../calls/reply-builder.ts";
import { type ModelCall, streamReply } from "../calls/stream-reply.ts";
import { callForObject } from "../calls/structured-text.ts";
import type { ResolvedModel } from "../catalog/resolve.ts";
import type { Usage } from "../messages/message.ts";
import { ModelError, type Reply } from "../model.ts";
import { postStream } from "../openai/openai-client.ts";
import { type CallData, REASONING_FIELDS } from "./chat-messages.ts";
import { chatBody } from "./chat-request.ts";
import { thoughtReader } from "./chat-thoughts.ts";
import { readTextToolCalls } from "./text-tool-calls.ts";

/**
 * Makes one call of the Chat Completions API. A server that no row of the families describes may refuse its own
 * reasoning; then this call is repeated without it, and later calls omit it.
 */
export async function callChat(call: ModelCall): Promise<Reply> {
  const inWords = call.request.structuredOutput && call.model.family.structuredOutput === "text";
  return inWords ? callForObject(call, complete) : complete(call);
}

async function complete(call: ModelCall): Promise<Reply> {
  const { model, request, options } = call;
  const sentModel = refusingEcho.has(model) ? withoutEcho(model) : model;
  const body = chatBody(sentModel, request, options.contextLimit);
  try {
    return await post(call, body);
  } catch (error) {
    if (!refusesEcho(error, sentModel, body["messages"])) throw error;
    options.log("warn", `${errorText(error)}; sent again without the reasoning of earlier replies`);
    refusingEcho.add(model);
    return post(call, chatBody(withoutEcho(model), request, options.contextLimit));
  }
}

/** Models whose server refused its own reasoning. */
const refusingEcho = new WeakSet<ResolvedModel>();

async function post(call: ModelCall, body: Record<string, unknown>): Promise<Reply> {
  const { model, request } = call;
  const reply = await streamReply(call, {
    send: (to) => postStream(model, to, "/chat/completions", body),
    read: (into) => chunkReader(model, into),
  });
  return readTextToolCalls(reply, request.tools);
}

function withoutEcho(model: ResolvedModel): ResolvedModel {
  const { chat } = model.family;
  return { ...model, family: { ...model.family, chat: { ...chat, reasoning: { ...chat.reasoning, scope: "none" } } } };
}

/** True if the server refuses a reasoning field that the request holds and that the server does not require. */
function refusesEcho(error: unknown, model: ResolvedModel, messages: unknown): boolean {
  const isRefusal = error instanceof ModelError && (error.status === 400 || error.status === 422);
  if (!isRefusal || model.family.chat.reasoning.filler !== undefined || !Array.isArray(messages)) return false;
  return REASONING_FIELDS.some(
    (field) => namesField(error.message, field) && messages.some((message: object) => field in message),
  );
}

/** True if a text names a field in quotes or in a path such as `'messages[1].reasoning'`. */
function namesField(text: string, field: string): boolean {
  return new RegExp(`['"\`.]${field}\\b`).test(text);
}

const text = v.nullish(v.string());
const tokens = v.nullish(v.number());

const ChunkSchema = v.looseObject({
  choices: v.nullish(
    v.array(
      v.looseObject({
        delta: v.nullish(
          v.looseObject({
            content: v.nullish(
              v.union([
                v.string(),
                v.array(v.looseObject({ type: text, text: text, thinking: v.optional(v.unknown()) })),
              ]),
            ),
            refusal: text,
            reasoning_content: text,
            reasoning: text,
            reasoning_text: text,
            reasoning_opaque: text,
            reasoning_details: v.nullish(v.array(v.looseObject({ type: text, text: text, summary: text }))),
            tool_calls: v.nullish(
              v.array(
                v.looseObject({
                  index: v.nullish(v.number()),
                  id: text,
                  extra_content: v.optional(v.unknown()),
                  function: v.nullish(v.looseObject({ name: text, arguments: v.optional(v.unknown()) })),
                }),
              ),
            ),
          }),
        ),
        finish_reason: text,
      }),
    ),
  ),
  // A malformed count must not fail the answer.
  usage: v.fallback(
    v.nullish(
      v.looseObject({
        prompt_tokens: tokens,
        completion_tokens: tokens,
        prompt_tokens_details: v.nullish(v.looseObject({ cached_tokens: tokens })),
        completion_tokens_details: v.nullish(v.looseObject({ reasoning_tokens: tokens })),
      }),
    ),
    undefined,
  ),
});

type Chunk = v.InferOutput<typeof ChunkSchema>;
type Delta = NonNullable<NonNullable<Chunk["choices"]>[number]["delta"]>;

/** Returns a function that reads one chunk after another into a reply. */
function chunkReader(model: ResolvedModel, reply: ReplyBuilder): (chunk: unknown) => void {
  const keyOf = callKeys();
  const addThought = thoughtReader(reply);
  let refused = false;
  return (raw) => {
    const parsed = v.safeParse(ChunkSchema, raw);
    if (!parsed.success) throw new SyntaxError("a chunk of the stream has an unknown shape");
    const { choices, usage } = parsed.output;
    if (usage && model.spec.track_usage !== false) reply.usage(chatUsage(usage, model));
    const choice = choices?.[0];
    if (!choice) return;
    if (choice.delta) {
      addThought(choice.delta);
      addDelta(choice.delta, reply, keyOf);
    }
    refused ||= Boolean(choice.delta?.refusal);
    // A reply that broke off gets no finish reason, so that it is an error.
    if (choice.finish_reason && !BROKEN_OFF.has(choice.finish_reason)) {
      reply.finish(refused ? "refusal" : (FINISH_REASONS[choice.finish_reason.toLowerCase()] ?? "stop"));
    }
  };
}

/** Finish reasons of OpenRouter, DeepSeek and Z.ai for a reply that the server could not complete. */
const BROKEN_OFF = new Set(["error", "insufficient_system_resource", "network_error"]);

/** Finish reasons of OpenAI and other services; all others mean `stop`. */
const FINISH_REASONS: Readonly<Record<string, Reply["finishReason"]>> = {
  length: "length",
  max_length: "length",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  model_length: "length",
  content_filter: "refusal",
  refusal: "refusal",
  safety: "refusal",
  sensitive: "refusal",
};

function addDelta(delta: Delta, reply: ReplyBuilder, keyOf: ReturnType<typeof callKeys>): void {
  if (typeof delta.content === "string") reply.text(delta.content);
  for (const part of Array.isArray(delta.content) ? delta.content : []) {
    if (part.type !== "thinking") reply.text(part.text ?? "");
  }
  reply.refusal(delta.refusal ?? "");
  for (const call of delta.tool_calls ?? []) {
    const input = call.function?.arguments;
    const data: CallData | undefined = call.extra_content ? { extra_content: call.extra_content } : undefined;
    reply.toolCall({
      key: keyOf(call.index, call.id),
      id: call.id,
      name: call.function?.name,
      arguments: typeof input === "string" || input === undefined || input === null ? input : JSON.stringify(input),
      data,
    });
  }
}

/** Identifies calls by their index, or by their id if the server sends no index or the same for all. */
function callKeys(): (index: number | null | undefined, id: string | null | undefined) => string {
  const idAt = new Map<number, string>();
  let last = "";
  return (index, id) => {
    const at = index ?? -1;
    const known = idAt.get(at);
    if (id && known === undefined) idAt.set(at, id);
    const other = id && known !== undefined && id !== known;
    if (other || (id && at < 0)) last = `${at}:${id}`;
    else if (at >= 0) last = last.startsWith(`${at}:`) ? last : `${at}:`;
    return last;
  };
}

function chatUsage(usage: NonNullable<Chunk["usage"]>, { family }: ResolvedModel): Usage {
  const cached = usage.prompt_tokens_details?.cached_tokens ?? 0;
  const reasoning = usage.completion_tokens_details?.reasoning_tokens ?? 0;
  return {
    input_tokens: Math.max(0, (usage.prompt_tokens ?? 0) - cached),
    output_tokens: usage.completion_tokens ?? 0,
    cached_input_tokens: cached,
    cached_write_tokens: 0,
    ...(reasoning > 0 || family.thinking.kind === "effort" ? { reasoning_tokens: reasoning } : {}),
  };
}
