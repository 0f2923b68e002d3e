import { isObject } from "../../lib/json.ts";
import { structuredInstruction } from "../calls/structured-text.ts";
import type { ResolvedModel } from "../catalog/resolve.ts";
import {
  argumentsOf,
  type Block,
  type ContentBlock,
  isSystem,
  type MediaSource,
  type Message,
  type Origin,
  type ThinkingBlock,
  type ToolResultBlock,
  textOf,
  toolCallsOf,
} from "../messages/message.ts";
import type { ModelRequest } from "../model.ts";
import { toolParameters } from "../schema/provider-schema.ts";
import { completionBudget, UNAVOIDABLE_THINKING_TOKENS } from "../settings/request-settings.ts";
import { anthropicMaxTokens, anthropicSampling, anthropicThinking, type ThinkingPlan } from "./anthropic-settings.ts";

type WireBlock = Record<string, unknown>;

/** Adjacent messages of one side. */
interface Turn {
  readonly role: "user" | "assistant";
  /** Kept apart, because the API requires tool results before anything else in a message. */
  readonly results: WireBlock[];
  readonly content: WireBlock[];
  /** True if a thought of this turn was changed, so that it cannot be sent. */
  lacksThoughts: boolean;
}

/** A message as it is sent. */
interface WireTurn {
  readonly role: string;
  readonly content: readonly WireBlock[];
}

/** The headers and the body of a request. */
export interface AnthropicRequest {
  readonly headers: Record<string, string>;
  readonly body: WireBlock;
  /** Lines about the request for the debug log. */
  readonly remarks: readonly string[];
}

/** The API version that this code supports. The SDK's default changes with the SDK. */
const API_VERSION = "2023-06-01";

const CACHED = { cache_control: { type: "ephemeral" } };

/** Sent if the API requires a message of the user and the conversation has none. */
const CONTINUE: WireBlock = { type: "text", text: "Continue." };

/** Returns the headers and the body of a Messages request; see https://platform.claude.com/docs/en/api/messages. */
export function anthropicRequest(model: ResolvedModel, request: ModelRequest, window: number): AnthropicRequest {
  const minimal = request.minimalThinking === true;
  const budget = completionBudget(model, request, window);
  const planned = anthropicThinking(model, minimal, anthropicMaxTokens(model, budget));
  const maxTokens = anthropicMaxTokens(
    model,
    minimal && planned.isOn && budget ? budget + UNAVOIDABLE_THINKING_TOKENS : budget,
  );
  const turns = conversation(request.messages, model, planned.isOn || !model.family.signsThoughts);
  const isBroken = planned.isOn && lacksThoughts(turns, planned);
  const isSwitchedOff = isBroken && planned.needsThoughts;
  const thinking = isSwitchedOff ? { fields: {}, isOn: false, betas: [] } : planned;
  const messages = isSwitchedOff ? conversation(request.messages, model, false) : turns;
  const system = systemBlocks(request);
  return {
    headers: {
      "anthropic-version": API_VERSION,
      ...(thinking.betas.length > 0 ? { "anthropic-beta": thinking.betas.join(",") } : {}),
    },
    body: {
      model: model.model,
      max_tokens: maxTokens,
      ...(system.length > 0 ? { system } : {}),
      messages: markLast(messages.map(wireTurn), 2),
      ...toolFields(model, request),
      ...thinking.fields,
      ...anthropicSampling(model, thinking.isOn).fields,
      stream: true,
    },
    remarks: isBroken
      ? [isSwitchedOff ? `thinking is off for this request: ${MISSING_THOUGHTS}` : MISSING_THOUGHTS]
      : [],
  };
}

const MISSING_THOUGHTS = "the open tool loop lacks its first thoughts: they were changed, or written by another model";

/**
 * True if the open tool loop lacks thoughts that the API requires. With a budget of tokens, it requires a thought at
 * the start of the loop, and every thought of the loop unchanged.
 */
function lacksThoughts(turns: readonly Turn[], { needsThoughts }: ThinkingPlan): boolean {
  const start = turns.findLastIndex(({ role, results }) => role === "user" && results.length === 0);
  const open = turns.slice(start + 1).filter(({ role }) => role === "assistant");
  const first = open[0]?.content[0];
  return open.some((turn) => turn.lacksThoughts) || (needsThoughts && first !== undefined && !isThought(first));
}

function isThought({ type }: WireBlock): boolean {
  return type === "thinking" || type === "redacted_thinking";
}

/** Returns the system messages. A cached stretch ends at those marked by the caller, else at the last one. */
function systemBlocks(request: ModelRequest): WireBlock[] {
  const messages = request.messages.filter((message) => isSystem(message) && textOf(message).trim() !== "");
  const marked = messages.filter((message) => message.cacheControl).slice(-2);
  const ends = marked.length > 0 ? marked : messages.slice(-1);
  const blocks = messages.map((message) => ({
    type: "text",
    text: textOf(message),
    ...(ends.includes(message) ? CACHED : {}),
  }));
  return request.structuredOutput
    ? [...blocks, { type: "text", text: structuredInstruction(request.structuredOutput) }]
    : blocks;
}

/** The API refuses tool calls in a request without tools, so called tools are listed and forbidden. */
function toolFields({ spec, family }: ResolvedModel, { tools, messages }: ModelRequest): WireBlock {
  if (tools.length > 0) {
    return {
      tools: tools.map((tool) => ({
        name: tool.name,
        description: tool.description,
        input_schema: toolParameters(tool.parameters, family.schema).schema,
      })),
      ...(spec.parallel_tool_calls === false ? { tool_choice: { type: "auto", disable_parallel_tool_use: true } } : {}),
    };
  }
  const called = messages.flatMap(toolCallsOf).map(({ name }) => name);
  if (called.length === 0) return {};
  return {
    tools: [...new Set(called)].map((name) => ({ name, input_schema: { type: "object" } })),
    tool_choice: { type: "none" },
  };
}

/** Returns alternating turns; the user's come first and last. Tool results and the user's next message are one turn. */
function conversation(messages: readonly Message[], model: ResolvedModel, withThoughts: boolean): Turn[] {
  const turns: Turn[] = [];
  const ids = toolIds();
  const turnOf = (role: Turn["role"]): Turn => {
    const last = turns.at(-1);
    if (last?.role === role) return last;
    const next = { role, results: [], content: [], lacksThoughts: false };
    turns.push(next);
    return next;
  };
  for (const message of messages) {
    if (isSystem(message)) continue;
    const role = message.role === "assistant" ? "assistant" : "user";
    const { results, content, lacksThoughts: isChanged } = wireMessage(message, model, withThoughts, ids);
    if (results.length + content.length === 0) continue;
    const turn = turnOf(role);
    turn.results.push(...results);
    turn.content.push(...content);
    turn.lacksThoughts ||= isChanged;
  }
  if (turns[0]?.role !== "user")
    turns.unshift({ role: "user", results: [], content: [CONTINUE], lacksThoughts: false });
  if (turns.at(-1)?.role === "assistant") turnOf("user").content.push(CONTINUE);
  return turns;
}

function wireTurn({ role, results, content }: Turn): WireTurn {
  return { role, content: [...results, ...content] };
}

function wireMessage(
  message: Message,
  model: ResolvedModel,
  withThoughts: boolean,
  ids: ToolIds,
): Pick<Turn, "results" | "content" | "lacksThoughts"> {
  const isChanged = message.blocks.some(
    (block) => block.type === "thinking" && isOwn(block.origin, model) && block.origin?.data === undefined,
  );
  const results: WireBlock[] = [];
  const content: WireBlock[] = [];
  for (const block of message.blocks) {
    if (block.type === "tool_result") {
      results.push(resultBlock(block, ids));
      // The API accepts only text in an error result.
      if (block.isError) content.push(...block.blocks.filter((each) => each.type !== "text").flatMap(contentBlock));
    } else if (block.type === "thinking") {
      if (withThoughts && !isChanged) content.push(...thinkingBlock(block, model));
    } else {
      content.push(...wireBlock(block, ids));
    }
  }
  // The API refuses a message that ends with a thought, which a reply does if it was cut off during one.
  const end = content.findLastIndex((block) => !isThought(block)) + 1;
  return { results, content: content.slice(0, end), lacksThoughts: isChanged };
}

function wireBlock(block: Exclude<Block, ToolResultBlock | ThinkingBlock>, ids: ToolIds): WireBlock[] {
  switch (block.type) {
    case "tool_call":
      return [{ type: "tool_use", id: ids.ofCall(block.id), name: block.name, input: argumentsOf(block) }];
    case "refusal":
      return contentBlock({ type: "text", text: block.text });
    default:
      return contentBlock(block);
  }
}

function resultBlock({ callId, isError, blocks }: ToolResultBlock, ids: ToolIds): WireBlock {
  const content = blocks.filter((block) => !isError || block.type === "text").flatMap(contentBlock);
  return {
    type: "tool_result",
    tool_use_id: ids.ofResult(callId),
    is_error: isError,
    // The API refuses an error result without a text.
    content: isError && content.length === 0 ? [{ type: "text", text: "The tool failed without a message." }] : content,
  };
}

function isOwn(origin: Origin | undefined, { provider }: ResolvedModel): boolean {
  return origin?.api === "anthropic" && origin.provider === provider;
}

/**
 * Sends a thought back unchanged or not at all. Claude refuses one that was changed, and one without a signature, which
 * it lacks if the reply was cut off during the thought.
 */
function thinkingBlock({ text, origin }: ThinkingBlock, model: ResolvedModel): WireBlock[] {
  const data = isOwn(origin, model) ? origin?.data : undefined;
  if (!isObject(data)) return [];
  const { signature, redacted } = data;
  if (typeof redacted === "string") return [{ type: "redacted_thinking", data: redacted }];
  const isWhole = typeof signature === "string" && (signature !== "" || !model.family.signsThoughts);
  return isWhole ? [{ type: "thinking", thinking: text, signature }] : [];
}

function contentBlock(block: ContentBlock): WireBlock[] {
  switch (block.type) {
    case "text":
      return block.text.trim() === "" ? [] : [{ type: "text", text: block.text }];
    case "image":
      return [{ type: "image", source: mediaSource(block.source) }];
    case "document":
      return [{ type: "document", title: block.name, source: mediaSource(block.source) }];
    case "audio":
      return []; // no family of this API accepts audio, so a text has replaced it
  }
}

function mediaSource(source: MediaSource): WireBlock {
  return source.kind === "url"
    ? { type: "url", url: source.url }
    : { type: "base64", media_type: source.mimeType, data: source.data };
}

/** Maps ids of tool calls to ids that the API accepts. */
interface ToolIds {
  ofCall(id: string): string;
  ofResult(id: string): string;
}

/** Ids of other providers may hold characters that this API refuses, or be used for two calls of a conversation. */
function toolIds(): ToolIds {
  const used = new Set<string>();
  const known = new Map<string, string>();
  return {
    ofCall(id) {
      const legal = id.replace(/[^A-Za-z0-9_-]/g, "_") || "call";
      let free = legal;
      for (let count = 2; used.has(free); count++) free = `${legal}_${count}`;
      used.add(free);
      known.set(id, free);
      return free;
    },
    ofResult: (id) => known.get(id) ?? id.replace(/[^A-Za-z0-9_-]/g, "_"),
  };
}

/** Puts a cache marker on the last block of the last messages, so that the next request finds them cached. */
function markLast(turns: readonly WireTurn[], count: number): WireTurn[] {
  return turns.map((turn, index) => {
    if (index < turns.length - count) return turn;
    const at = turn.content.findLastIndex((block) => !isThought(block));
    return { ...turn, content: turn.content.map((block, place) => (place === at ? { ...block, ...CACHED } : block)) };
  });
}
