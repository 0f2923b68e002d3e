import { isObject, type JsonObject } from "../../lib/json.ts";
import type { ResolvedModel } from "../catalog/resolve.ts";
import type { Block, Message, Origin } from "../messages/message.ts";

/** Separates the parts of a thought's summary. */
export const THOUGHT_GAP = "\n\n";

/** The items that came before an item of a reply. */
export interface ItemLinks {
  /** The id of the item directly before it. */
  readonly after?: string;
  /** The id of the last reasoning item before it. */
  readonly thought?: string;
}

/**
 * The API refuses longer ids of texts and calls. Those of GitHub Copilot are longer, but it accepts items without ids.
 */
const MAX_ID_LENGTH = 64;

/** The lists of a reasoning item whose texts make up the text of its block. */
const TEXT_LISTS = ["summary", "content"] as const;

/** The opaque data of a thinking block: the reasoning item without its texts, which the block holds. */
export interface ThoughtData extends ItemLinks {
  readonly item: Readonly<Record<string, unknown>>;
  /** The lengths of the texts in each list of the item. */
  readonly lengths: Readonly<Record<string, readonly number[]>>;
}

/** Splits a reasoning item into its joined texts and the rest. */
export function splitThought(item: Readonly<Record<string, unknown>>): { text: string; data: ThoughtData } {
  const texts: string[] = [];
  const lengths: Record<string, number[]> = {};
  const rest: Record<string, unknown> = { ...item };
  for (const name of TEXT_LISTS) {
    const parts: unknown = item[name];
    if (!Array.isArray(parts)) continue;
    const written = parts.map((part: unknown) =>
      isObject(part) && typeof part["text"] === "string" ? part["text"] : "",
    );
    texts.push(...written);
    lengths[name] = written.map((text) => text.length);
    rest[name] = parts.map((part: unknown) =>
      isObject(part) ? Object.fromEntries(Object.entries(part).filter(([key]) => key !== "text")) : part,
    );
  }
  return { text: texts.join(THOUGHT_GAP), data: { item: rest, lengths } };
}

/** Restores the reasoning item that {@link splitThought} split; undefined if the text does not match its lengths. */
function joinThought(text: string, { item, lengths }: Record<string, unknown>): JsonObject | undefined {
  if (!isObject(item) || !isObject(lengths)) return undefined;
  const whole: Record<string, unknown> = { ...item };
  let at = 0;
  for (const name of TEXT_LISTS) {
    const [parts, sizes]: unknown[] = [item[name], lengths[name]];
    if (!Array.isArray(parts) || !Array.isArray(sizes)) continue;
    whole[name] = parts.map((part: unknown, index) => {
      const start = at;
      at = start + Number(sizes[index]) + THOUGHT_GAP.length;
      return { ...(isObject(part) ? part : {}), text: text.slice(start, at - THOUGHT_GAP.length) };
    });
  }
  return Math.max(0, at - THOUGHT_GAP.length) === text.length ? (whole as JsonObject) : undefined;
}

/** The opaque data of a text or a tool call by a model that reasons. */
export interface WrittenData extends ItemLinks {
  readonly id: string;
  /** The purpose of the text, if the model states it: a remark between tool calls, or the answer. */
  readonly phase?: string;
}

/** A block of a reply, with the data to send it as an item. */
export interface LinkedBlock {
  readonly block: Block;
  /** The reasoning item to send. */
  readonly item?: JsonObject;
  /** The id to send a text or a tool call under. */
  readonly id?: string;
  readonly phase?: string;
}

/**
 * Links the blocks of an assistant's message to their original items. Omits a reasoning item unless the item after it
 * is unchanged, and drops the id of an item unless the reasoning before it is sent: the API refuses one without the
 * other. For another provider, and for a model that does not reason, no block has an item.
 * https://platform.openai.com/docs/guides/reasoning#keeping-reasoning-items-in-context
 */
export function linkItems(message: Message, model: ResolvedModel): LinkedBlock[] {
  const { blocks } = message;
  const echoes = acceptsReasoning(message, model);
  const linked = blocks.map((block) => ({ block, ...(echoes ? dataOf(block, model) : {}) }));
  const kept = keptThoughts(linked);
  return linked.flatMap(({ block, thought, written }): LinkedBlock[] => {
    if (block.type === "thinking") return thought && kept.has(thought.id) ? [{ block, item: thought.item }] : [];
    if (!written) return [{ block }];
    const phase = written.phase === undefined ? {} : { phase: written.phase };
    const whole = (written.thought === undefined || kept.has(written.thought)) && written.id.length <= MAX_ID_LENGTH;
    return [{ block, ...(whole ? { id: written.id } : {}), ...phase }];
  });
}

/** True if a message holds reasoning that is sent back to the model. */
export function holdsReasoning(messages: readonly Message[], model: ResolvedModel): boolean {
  return messages.some((message) =>
    linkItems(message, model).some(({ item, id }) => item !== undefined || id !== undefined),
  );
}

/** Returns the messages without thoughts and opaque data. */
export function withoutReasoning(messages: readonly Message[]): Message[] {
  return messages.map((message) => ({
    ...message,
    blocks: message.blocks
      .filter(({ type }) => type !== "thinking")
      .map((block) => {
        if (!("origin" in block)) return block;
        const { origin: _origin, ...rest } = block;
        return rest;
      }),
  }));
}

/** True if the model accepts reasoning items. Every model accepts its own. */
function acceptsReasoning({ model: writer }: Message, { family, provider, model }: ResolvedModel): boolean {
  return family.thinking.kind === "effort" || writer === `${provider}/${model}`;
}

/** The opaque data of a block after validation. */
interface BlockData {
  readonly thought?: { readonly id: string; readonly item: JsonObject; readonly after?: string };
  readonly written?: WrittenData;
}

function dataOf(block: Block, { provider }: ResolvedModel): BlockData {
  const origin: Origin | undefined = "origin" in block ? block.origin : undefined;
  if (origin?.api !== "responses" || origin.provider !== provider || !isObject(origin.data)) return {};
  const { id, after, thought, phase } = origin.data;
  const link = (name: string, value: unknown) => (typeof value === "string" ? { [name]: value } : {});
  if (block.type === "thinking") {
    const item = joinThought(block.text, origin.data);
    if (typeof item?.["id"] !== "string") return {};
    return { thought: { id: item["id"], item, ...link("after", after) } };
  }
  if (typeof id !== "string") return {};
  return { written: { id, ...link("after", after), ...link("thought", thought), ...link("phase", phase) } };
}

/** Returns the ids of the reasoning items whose neighbours are all sent. */
function keptThoughts(blocks: readonly (BlockData & { readonly block: Block })[]): ReadonlySet<string> {
  const sent = blocks.filter(({ block, thought }) => block.type !== "thinking" || thought);
  const kept = new Set<string>();
  for (let index = sent.length - 1; index >= 0; index--) {
    const thought = sent[index]?.thought;
    const next = sent[index + 1];
    if (!thought || !next) continue;
    const follows = next.thought
      ? next.thought.after === thought.id && kept.has(next.thought.id)
      : next.written?.after === thought.id;
    if (follows) kept.add(thought.id);
  }
  for (const { thought } of sent) {
    if (thought?.after !== undefined && !kept.has(thought.after)) kept.delete(thought.id);
  }
  return kept;
}
