import type { Message } from "../protocol/fields.ts";
import { isObject } from "../lib/json.ts";
import { anthropicThinking, INTERLEAVED_BETA } from "./anthropic-thinking.ts";
import { type ContentPart, isSystem, messageParts, messageText, parseDataUrl } from "./message-parts.ts";
import type { ModelRequest } from "./model.ts";
import type { ResolvedModel } from "./resolve.ts";
import { completionBudget, pickOptions, sampling } from "./settings.ts";
import { structuredInstruction } from "./structured-text.ts";

type Block = Record<string, unknown>;

/** The version of the API that requests and replies are written for; the package's own moves with the package. */
const API_VERSION = "2023-06-01";

const CACHED = { cache_control: { type: "ephemeral" } };

/**
 * The headers and the body of a Messages request.
 *
 * Source: config-and-cli 6.7, 6.8, 6.10; runtime 5.1 (cache markers).
 */
export function anthropicRequest(
  model: ResolvedModel,
  request: ModelRequest,
  window: number,
): { headers: Record<string, string>; body: Block } {
  const { spec } = model;
  const maxTokens = completionBudget(model, request, window) ?? defaultMaxTokens(model.model);
  const thinking = anthropicThinking(model, request.quiet === true, maxTokens);
  const system = systemBlocks(request);
  return {
    headers: {
      "anthropic-version": API_VERSION,
      ...(thinking?.interleaved ? { "anthropic-beta": INTERLEAVED_BETA } : {}),
    },
    body: {
      model: model.model,
      max_tokens: maxTokens,
      ...(system.length > 0 ? { system } : {}),
      messages: markLast(conversation(request.messages), 2),
      ...(request.tools.length > 0
        ? {
            tools: request.tools.map((tool) => ({
              name: tool.name,
              description: tool.description,
              input_schema: { type: "object", ...tool.parameters },
            })),
            ...(spec.parallel_tool_calls === false
              ? { tool_choice: { type: "auto", disable_parallel_tool_use: true } }
              : {}),
          }
        : {}),
      // A model that thinks takes no sampling settings.
      ...(thinking
        ? thinking.body
        : { ...sampling(model, ["temperature", "top_p"]), ...pickOptions(model, ["top_k"]) }),
      stream: true,
    },
  };
}

/** What a model may write at most when nothing was configured; the API insists on a number. */
function defaultMaxTokens(model: string): number {
  if (/claude-3-(opus|sonnet|haiku)/.test(model)) return 4096;
  if (/claude-3-5/.test(model)) return 8192;
  return /claude-opus-4(-0|-1|-2|$)/.test(model) ? 32_000 : 64_000;
}

/** System messages stand apart. Those marked by the caller end a cached stretch, else the last one does. */
function systemBlocks(request: ModelRequest): Block[] {
  const messages = request.messages.filter(
    (message) => isSystem(message) && messageText(message).trim() !== "",
  );
  const marked = messages.filter((message) => message["cache_control"]).slice(-2);
  const ends = marked.length > 0 ? marked : messages.slice(-1);
  const blocks = messages.map((message) => ({
    type: "text",
    text: messageText(message),
    ...(ends.includes(message) ? CACHED : {}),
  }));
  return request.structuredOutput
    ? [...blocks, { type: "text", text: structuredInstruction(request.structuredOutput) }]
    : blocks;
}

/** User and assistant by turns; the results of a batch and what the user says next are one message. */
function conversation(messages: readonly Message[]): { role: string; content: Block[] }[] {
  const turns: { role: string; content: Block[] }[] = [];
  for (const message of messages) {
    if (isSystem(message)) continue;
    const role = message.role === "assistant" ? "assistant" : "user";
    const content = messageBlocks(message);
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...content);
    else if (content.length > 0) turns.push({ role, content });
  }
  return turns;
}

function messageBlocks(message: Message): Block[] {
  const parts = messageParts(message).flatMap(partBlock);
  switch (message.role) {
    case "tool":
      return [
        {
          type: "tool_result",
          tool_use_id: toolId(message.tool_call_id ?? ""),
          is_error: message.is_error ?? false,
          content: parts,
        },
      ];
    case "assistant":
      return [
        ...thinkingBlocks(message),
        ...parts,
        ...(message.tool_calls ?? []).map((call) => ({
          type: "tool_use",
          id: toolId(call.id),
          name: call.function.name,
          input: parseInput(call.function.arguments),
        })),
      ];
    default:
      return parts;
  }
}

/** What the model thought goes back to it unchanged, or it refuses to go on after a tool call. */
function thinkingBlocks(message: Message): Block[] {
  const blocks = message["thinking_blocks"];
  if (Array.isArray(blocks)) return blocks.filter(isObject);
  if (!message.thinking_signature) return [];
  return [{ type: "thinking", thinking: message.reasoning_content ?? "", signature: message.thinking_signature }];
}

function partBlock(part: ContentPart): Block[] {
  switch (part.kind) {
    case "text":
      return part.text.trim() === "" ? [] : [{ type: "text", text: part.text }];
    case "image": {
      const inline = parseDataUrl(part.url);
      const source = inline
        ? { type: "base64", media_type: inline.mimeType, data: inline.data }
        : { type: "url", url: part.url };
      return [{ type: "image", source }];
    }
    case "file":
      if (part.mimeType.startsWith("text/"))
        return [{ type: "text", text: `${part.name}:\n${Buffer.from(part.data, "base64").toString()}` }];
      return [
        { type: "document", title: part.name, source: { type: "base64", media_type: part.mimeType, data: part.data } },
      ];
  }
}

/** Ids made by other providers may hold characters that this API refuses. */
function toolId(id: string): string {
  return id.replace(/[^A-Za-z0-9_-]/g, "_");
}

function parseInput(text: string): unknown {
  try {
    const input: unknown = JSON.parse(text || "{}");
    return isObject(input) ? input : {};
  } catch {
    return {}; // the model wrote no JSON then, and was told so by the result of the call
  }
}

/** A cache marker on the last block of the last messages, so that the next request finds them cached. */
function markLast(turns: { role: string; content: Block[] }[], count: number): { role: string; content: Block[] }[] {
  return turns.map((turn, index) => {
    if (index < turns.length - count) return turn;
    const at = turn.content.findLastIndex(({ type }) => type !== "thinking" && type !== "redacted_thinking");
    return { ...turn, content: turn.content.map((block, place) => (place === at ? { ...block, ...CACHED } : block)) };
  });
}
