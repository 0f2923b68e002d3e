import * as v from "valibot";
import { StreamFailure } from "../calls/call-errors.ts";
import type { ReplyBuilder } from "../calls/reply-builder.ts";
import { type ModelCall, streamReply } from "../calls/stream-reply.ts";
import { callForObject } from "../calls/structured-text.ts";
import type { ResolvedModel } from "../catalog/resolve.ts";
import type { Usage } from "../messages/message.ts";
import type { Reply } from "../model.ts";
import { googleBody, googleUrl, needsInstruction } from "./google-request.ts";

/** Makes one call of the Gemini API, without Google's SDK, which has thirty dependencies. */
export async function callGoogle(call: ModelCall): Promise<Reply> {
  return needsInstruction(call.model, call.request) ? callForObject(call, generate) : generate(call);
}

function generate(call: ModelCall): Promise<Reply> {
  const { model, request, options } = call;
  return streamReply(call, {
    async send(to) {
      const response = await to.fetch(googleUrl(model), {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(googleBody(model, request, options.contextLimit)),
      });
      return readServerSentEvents(response.body);
    },
    read: (into) => chunkReader(model, into),
  });
}

const text = v.nullish(v.string());
const tokens = v.nullish(v.number());

const ChunkSchema = v.looseObject({
  error: v.optional(v.unknown()),
  candidates: v.nullish(
    v.array(
      v.looseObject({
        content: v.nullish(
          v.looseObject({
            parts: v.nullish(
              v.array(
                v.looseObject({
                  text: text,
                  thought: v.nullish(v.boolean()),
                  thoughtSignature: text,
                  functionCall: v.nullish(v.looseObject({ id: text, name: v.string(), args: v.optional(v.unknown()) })),
                }),
              ),
            ),
          }),
        ),
        finishReason: text,
        finishMessage: text,
      }),
    ),
  ),
  promptFeedback: v.nullish(v.looseObject({ blockReason: text })),
  usageMetadata: v.nullish(
    v.looseObject({
      promptTokenCount: tokens,
      candidatesTokenCount: tokens,
      thoughtsTokenCount: tokens,
      cachedContentTokenCount: tokens,
    }),
  ),
});

type Chunk = v.InferOutput<typeof ChunkSchema>;

/** Finish reasons of a withheld answer; see https://ai.google.dev/api/generate-content#FinishReason. */
const REFUSALS = new Set([
  "SAFETY",
  "RECITATION",
  "BLOCKLIST",
  "PROHIBITED_CONTENT",
  "SPII",
  "IMAGE_SAFETY",
  "IMAGE_PROHIBITED_CONTENT",
  "IMAGE_RECITATION",
  "LANGUAGE",
]);

/** Finish reasons of a failed tool call; a retry may succeed. */
const BROKEN_CALLS: Readonly<Record<string, string>> = {
  MALFORMED_FUNCTION_CALL: "the model wrote a tool call that does not parse",
  UNEXPECTED_TOOL_CALL: "the model called a tool that it was not given",
  TOO_MANY_TOOL_CALLS: "the model called too many tools in a row",
};

/** Returns a function that reads one chunk after another into a reply. */
function chunkReader(model: ResolvedModel, reply: ReplyBuilder): (chunk: unknown) => void {
  let calls = 0;
  return (raw) => {
    const parsed = v.safeParse(ChunkSchema, raw);
    if (!parsed.success) throw new SyntaxError("a chunk of the stream has an unknown shape");
    const { candidates, promptFeedback, usageMetadata, error } = parsed.output;
    if (error) throw new StreamFailure(error);
    if (usageMetadata && model.spec.track_usage !== false) reply.usage(googleUsage(usageMetadata));
    if (promptFeedback?.blockReason) return reply.finish("refusal");
    const candidate = candidates?.[0];
    for (const part of candidate?.content?.parts ?? []) {
      const { functionCall: call, thoughtSignature } = part;
      const data = { ...(thoughtSignature ? { thoughtSignature } : {}), ...(call?.id ? { id: call.id } : {}) };
      const target = Object.keys(data).length > 0 ? { data } : {};
      if (call) {
        const input = JSON.stringify(call.args ?? {});
        reply.toolCall({ key: calls++, id: call.id, name: call.name, arguments: input, ...target });
      } else if (part.thought) reply.reasoning(part.text ?? "", target);
      else reply.text(part.text ?? "", target);
    }
    if (candidate?.finishReason) reply.finish(finishReason(candidate.finishReason, candidate.finishMessage));
  };
}

function finishReason(reason: string, message: string | null | undefined): Reply["finishReason"] {
  if (reason === "MAX_TOKENS") return "length";
  if (REFUSALS.has(reason)) return "refusal";
  const broken = BROKEN_CALLS[reason];
  if (broken !== undefined) throw new StreamFailure({ message: message ? `${broken}: ${message}` : broken });
  return "stop";
}

function googleUsage(usage: NonNullable<Chunk["usageMetadata"]>): Usage {
  const cached = usage.cachedContentTokenCount ?? 0;
  const thoughts = usage.thoughtsTokenCount ?? 0;
  return {
    input_tokens: Math.max(0, (usage.promptTokenCount ?? 0) - cached),
    output_tokens: (usage.candidatesTokenCount ?? 0) + thoughts,
    cached_input_tokens: cached,
    cached_write_tokens: 0,
    ...(thoughts > 0 ? { reasoning_tokens: thoughts } : {}),
  };
}

/**
 * Yields the JSON events of a stream of server-sent events, for APIs that are called without an SDK. Throws a
 * SyntaxError if the data is not JSON.
 */
export async function* readServerSentEvents(body: ReadableStream<Uint8Array> | null): AsyncGenerator<unknown> {
  let data: string[] = [];
  for await (const line of readLines(body)) {
    if (line.startsWith("data:")) data.push(line.slice(line.startsWith("data: ") ? 6 : 5));
    if (line !== "" || data.length === 0) continue;
    yield JSON.parse(data.join("\n"));
    data = [];
  }
  // The last event has no empty line after it: JSON.parse throws if it was cut off.
  if (data.length > 0) yield JSON.parse(data.join("\n"));
}

async function* readLines(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of body ?? []) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield line.endsWith("\r") ? line.slice(0, -1) : line;
  }
  if (rest !== "") yield rest;
}
