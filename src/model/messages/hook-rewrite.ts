import { isDeeperThan } from "../../lib/json.ts";
import { isDeepEqual } from "../../lib/platform.ts";
import type { Message as HookMessage } from "../../protocol/fields.ts";
import {
  fromHookMessage,
  fromHookPart,
  type HookPart,
  toHookMessage,
  toHookParts,
  toHookToolCall,
} from "./hook-messages.ts";
import {
  type Block,
  type ContentBlock,
  isMedia,
  type Message,
  type Origin,
  resultOf,
  type ThinkingBlock,
  type ToolCallBlock,
  toolCallsOf,
} from "./message.ts";
import { pairMessages } from "./pair-messages.ts";

/**
 * Applies a rewrite by hooks to the conversation. An unchanged message stays the same object. In a changed message,
 * each unchanged aspect (thoughts, content, tool calls) keeps its blocks, their order and the provider's opaque data; a
 * changed aspect is taken from the hooks, without that data.
 */
export function applyHookRewrite(messages: readonly Message[], updated: readonly HookMessage[]): Message[] {
  const originals = pairMessages(messages, updated);
  return updated.map((message, at) => {
    const original = originals[at];
    return original ? mergeMessage(original, message) : fromHookMessage(message);
  });
}

function mergeMessage(original: Message, updated: HookMessage): Message {
  const before = toHookMessage(original);
  if (isSame(updated, before)) return original;
  const written = fromHookMessage(updated);
  const result = resultOf(original);
  if (result) {
    const blocks = mergeContent(result.blocks, updated, before).filter(isContent);
    const { callId, isError } = resultOf(written) ?? result;
    return { ...written, blocks: [{ ...result, callId, isError, blocks }] };
  }
  const withThoughts = mergeThoughts(original.blocks, updated, before);
  const withContent = mergeContent(withThoughts, updated, before);
  const blocks = mergeCalls(withContent, toolCallsOf(written));
  return {
    ...written,
    blocks: isSame(outlineOf(blocks), outlineOf(original.blocks)) ? blocks : blocks.map(withoutSignature),
  };
}

/** The sequence of blocks in a message. Providers refuse a signed thought whose neighbours changed. */
function outlineOf(blocks: readonly Block[]): string[] {
  return blocks.map((block) => (block.type === "tool_call" ? block.id : block.type));
}

function withoutSignature(block: Block): Block {
  return block.type === "thinking" && block.origin ? { ...block, origin: serviceOf(block.origin) } : block;
}

function serviceOf({ provider, api }: Origin): Origin {
  return { provider, api };
}

/** Replaces changed thoughts by an unsigned thought from the same service; hidden thoughts among them are dropped. */
function mergeThoughts(blocks: readonly Block[], updated: HookMessage, before: HookMessage): readonly Block[] {
  const { reasoning_content: text = "", thinking_signature: signature } = updated;
  if (text === (before.reasoning_content ?? "") && signature === before.thinking_signature) return blocks;
  const origin = blocks.find(isThinking)?.origin;
  const service = origin ? { origin: serviceOf(origin) } : {};
  return replaceAll(blocks, isThinking, text === "" ? [] : [{ type: "thinking", text, ...service }], 0);
}

function mergeContent(blocks: readonly Block[], updated: HookMessage, before: HookMessage): readonly Block[] {
  const replacement = changedContent(updated, before);
  if (!replacement) return blocks;
  const old = blocks.filter(isVisibleContent);
  if (updated.role === "assistant" && old.length > 1 && !old.some(isMedia) && !replacement.some(isMedia)) {
    const texts = alignTexts(
      old.map((block) => ("text" in block ? block.text : "")),
      updated.content ?? "",
    );
    const places = new Map(old.map((block, place) => [block, place] as const));
    return blocks.flatMap((block): readonly Block[] => {
      const text = texts[places.get(block) ?? -1];
      if (text === undefined) return [block];
      return text === "" ? [] : [{ type: block.type === "refusal" ? "refusal" : "text", text }];
    });
  }
  const isRefusal = old.length > 0 && old.every(({ type }) => type === "refusal");
  const known = new Map(old.filter(isMedia).map((media) => [JSON.stringify(toHookParts(media)), media] as const));
  const content = replacement.map((block): Block => {
    if (block.type === "text") return isRefusal ? { type: "refusal", text: block.text } : block;
    return known.get(JSON.stringify(toHookParts(block))) ?? block;
  });
  const firstCall = blocks.findIndex(({ type }) => type === "tool_call");
  return replaceAll(blocks, isVisibleContent, content, firstCall < 0 ? blocks.length : firstCall);
}

/**
 * Splits a text into as many pieces as the text it replaces had. Unchanged pieces at both ends stay; the first of the
 * others gets the text between them, the rest are empty.
 */
function alignTexts(pieces: readonly string[], text: string): string[] {
  let [start, from, end, to] = [0, 0, pieces.length, text.length];
  for (; start < end; start++) {
    const piece = pieces[start] ?? "";
    if (piece === "" || !text.startsWith(piece, from)) break;
    from += piece.length;
  }
  for (; end > start; end--) {
    const piece = pieces[end - 1] ?? "";
    if (piece === "" || to - piece.length < from || !text.startsWith(piece, to - piece.length)) break;
    to -= piece.length;
  }
  const other = text.slice(from, to);
  if (start < end)
    return pieces.map((piece, place) => (place < start || place >= end ? piece : place === start ? other : ""));
  // Text was only added: append it to the piece before it.
  const extended = Math.max(0, start - 1);
  return pieces.map((piece, place) => (place !== extended ? piece : start === 0 ? other + piece : piece + other));
}

/**
 * Returns the content that hooks wrote, or undefined if it is unchanged. `multi_content` repeats the text of `content`:
 * if only one of the two changed, it counts; if both changed and disagree, `content` is the text. A text that a hook
 * removed from one is not restored from the other.
 */
function changedContent(updated: HookMessage, before: HookMessage): ContentBlock[] | undefined {
  const [text, textBefore] = [updated.content ?? "", before.content ?? ""];
  const [parts, partsBefore] = [updated.multi_content ?? [], before.multi_content ?? []];
  if (text === textBefore && isSame(parts, partsBefore)) return undefined;
  if (parts.length === 0) return textBlocks(text);
  const texts = textsOf(parts);
  const hasText = texts.length > 0;
  if (partsBefore.length === 0) return [...(hasText ? [] : textBlocks(text)), ...parts.map(fromHookPart)];
  const sameTexts = isSame(texts, textsOf(partsBefore));
  const partsCount =
    text === textBefore ||
    updated.content === undefined ||
    (!sameTexts && hasText && (text === "" || text === texts.join("\n") || text === texts.join("")));
  if (partsCount) return parts.map(fromHookPart);
  return replaceAll(parts.map(fromHookPart), ({ type }) => type === "text", textBlocks(text), 0);
}

function textsOf(parts: readonly HookPart[]): string[] {
  return parts.flatMap((part) => (part.type === "text" ? [part.text ?? ""] : []));
}

function textBlocks(text: string): ContentBlock[] {
  return text === "" ? [] : [{ type: "text", text }];
}

/**
 * Replaces the calls among the blocks by those that hooks wrote: each at the place of the call with its id, a new one
 * after the call before it. If hooks changed the order, all calls follow the first one's place. An unchanged call keeps
 * its opaque data.
 */
function mergeCalls(blocks: readonly Block[], written: readonly ToolCallBlock[]): readonly Block[] {
  const placeOf = placesById(written);
  const kept = blocks.filter(isCall).map((call) => ({ call, place: placeOf(call.id) }));
  const merged = [...written];
  for (const { call, place } of kept) {
    const now = place === undefined ? undefined : written[place];
    if (place !== undefined && now && isSame(toHookToolCall(call), toHookToolCall(now))) merged[place] = call;
  }
  const places = kept.flatMap(({ place }) => place ?? []);
  if (places.length === 0 || places.some((place, at) => place < (places[at - 1] ?? 0))) {
    return replaceAll(blocks, isCall, merged, blocks.length);
  }
  let next = 0;
  let taken = 0;
  const inPlace = blocks.flatMap((block): readonly Block[] => {
    if (block.type !== "tool_call") return [block];
    const place = kept[next++]?.place;
    if (place === undefined) return [];
    const from = taken;
    taken = place + 1;
    return merged.slice(from, taken);
  });
  return [...inPlace, ...merged.slice(taken)];
}

/** Returns a function that yields the place of the next call with an id, each place once. */
function placesById(calls: readonly ToolCallBlock[]): (id: string) => number | undefined {
  const places = new Map<string, number[]>();
  for (let at = calls.length - 1; at >= 0; at--) {
    const id = calls[at]?.id ?? "";
    const known = places.get(id);
    if (known) known.push(at);
    else places.set(id, [at]);
  }
  return (id) => places.get(id)?.pop();
}

/**
 * Replaces the blocks of one kind by others, at the place of the first of them, or at `otherwise` if there are none.
 */
function replaceAll<B extends Block>(
  blocks: readonly B[],
  isOld: (block: B) => boolean,
  replacement: readonly B[],
  otherwise: number,
): B[] {
  const first = blocks.findIndex(isOld);
  const at = first < 0 ? otherwise : first;
  const others = blocks.slice(at).filter((block) => !isOld(block));
  return [...blocks.slice(0, at), ...replacement, ...others];
}

function isThinking(block: Block): block is ThinkingBlock {
  return block.type === "thinking";
}

function isCall(block: Block): block is ToolCallBlock {
  return block.type === "tool_call";
}

function isContent(block: Block): block is ContentBlock {
  return block.type === "text" || isMedia(block);
}

/** True for a block that hooks see in `content` or `multi_content`. */
function isVisibleContent(block: Block): boolean {
  return isContent(block) || block.type === "refusal";
}

/** Deeper values count as changed, so that hostile input cannot overflow the stack. */
const DEEPEST = 1_000;

function isSame(one: unknown, other: unknown): boolean {
  return one === other || (!isDeeperThan(one, DEEPEST) && isDeepEqual(one, other));
}
