import type { FinishReason, Origin, ReplyBlock, Usage } from "../messages/message.ts";
import type { ModelDelta, Reply } from "../model.ts";

/** Identifies a block within one reply. */
type Key = string | number;

/** The block that a piece of text belongs to, and the data that the provider wants back with it. */
export interface BlockTarget {
  /** The block; without a key the last one, if it is of the same type and holds no data. */
  key?: Key;
  /** Opaque data for the block, see {@link Origin}. */
  data?: unknown;
}

/** A part of a tool call as it arrived. */
export interface ToolCallPart {
  /** Tells the calls of one reply apart. */
  key: Key;
  id?: string | null | undefined;
  name?: string | null | undefined;
  arguments?: string | null | undefined;
  /** Opaque data for the block, see {@link Origin}. */
  data?: unknown;
}

/** Puts a reply together from the parts of a stream: blocks in the order in which they begin. */
export interface ReplyBuilder {
  text(part: string, place?: BlockTarget): void;
  /** A piece of a thought. */
  reasoning(part: string, place?: BlockTarget): void;
  refusal(part: string): void;
  toolCall(part: ToolCallPart): void;
  /** Gives a block opaque data, in place of what it had. */
  setData(key: Key, data: unknown): void;
  /** The opaque data of a block. */
  dataOf(key: Key): unknown;
  /** The arguments of a call as far as they are known. */
  argumentsOf(key: Key): string | undefined;
  finish(reason: FinishReason): void;
  usage(usage: Usage): void;
  /** The reply; undefined as long as no finish reason arrived. */
  build(): Reply | undefined;
}

type Draft = { key: Key | undefined; data?: unknown } & (
  | { type: "text" | "thinking" | "refusal"; pieces: string[] }
  | { type: "tool_call"; index: number; id: string; name: string; arguments: string }
);

/**
 * Starts a reply of a service, whose parts are passed on as they arrive. A refusal drops the tool calls; whether a whole
 * reply ended for `stop` or for `tool_calls` is decided by the calls in it, since providers do not agree.
 */
export function startReply(onDelta: (delta: ModelDelta) => void, origin: Omit<Origin, "data">): ReplyBuilder {
  const drafts: Draft[] = [];
  let calls = 0;
  let finishReason: FinishReason | undefined;
  let usage: Usage | undefined;

  const draftOf = (key: Key) => drafts.find((draft) => draft.key === key);
  const append = (type: "text" | "thinking" | "refusal", part: string, { key, data }: BlockTarget) => {
    if (part === "" && key === undefined && data === undefined) return;
    const last = drafts.at(-1);
    const known =
      key !== undefined
        ? draftOf(key)
        : last?.key === undefined && last?.data === undefined && data === undefined
          ? last
          : undefined;
    if (known?.type === type) {
      if (part !== "") known.pieces.push(part);
      if (data !== undefined) known.data = data;
    } else {
      // Thoughts that follow each other are shown as they are joined.
      if (type === "thinking" && last?.type === "thinking" && part !== "") onDelta({ kind: "reasoning", text: "\n\n" });
      drafts.push({ type, key, pieces: part === "" ? [] : [part], ...(data === undefined ? {} : { data }) });
    }
    if (part !== "") onDelta({ kind: type === "thinking" ? "reasoning" : "text", text: part });
  };

  return {
    text: (part, place = {}) => append("text", part, place),
    reasoning: (part, place = {}) => append("thinking", part, place),
    refusal: (part) => append("refusal", part, {}),
    toolCall(part) {
      const known = draftOf(part.key);
      const isNew = known?.type !== "tool_call";
      const call = !isNew
        ? known
        : {
            type: "tool_call" as const,
            key: part.key,
            index: calls++,
            id: part.id || `call_${crypto.randomUUID().replaceAll("-", "")}`,
            name: "",
            arguments: "",
          };
      if (isNew) drafts.push(call);
      const name = call.name === "" ? (part.name ?? "") : "";
      call.name += name;
      call.arguments += part.arguments ?? "";
      if (part.data !== undefined) call.data = part.data;
      onDelta({
        kind: "tool_call",
        index: call.index,
        ...(isNew ? { id: call.id } : {}),
        ...(name ? { name } : {}),
        ...(part.arguments ? { arguments: part.arguments } : {}),
      });
    },
    setData(key, data) {
      const draft = draftOf(key);
      if (draft) draft.data = data;
    },
    dataOf: (key) => draftOf(key)?.data,
    argumentsOf(key) {
      const draft = draftOf(key);
      return draft?.type === "tool_call" ? draft.arguments : undefined;
    },
    finish(reason) {
      finishReason = reason;
    },
    usage(value) {
      usage = value;
    },
    build() {
      if (!finishReason) return undefined;
      const refused = finishReason === "refusal";
      const blocks = drafts.flatMap((draft) => (refused && draft.type === "tool_call" ? [] : blockOf(draft, origin)));
      const settled = finishReason === "stop" || finishReason === "tool_calls";
      const asks = blocks.some(({ type }) => type === "tool_call");
      return {
        blocks,
        finishReason: settled ? (asks ? "tool_calls" : "stop") : finishReason,
        ...(usage ? { usage } : {}),
      };
    },
  };
}

/** The block of a draft; nothing for one that stayed empty. */
function blockOf(draft: Draft, service: Omit<Origin, "data">): ReplyBlock[] {
  const sealed = draft.data === undefined ? {} : { origin: { ...service, data: draft.data } };
  if (draft.type === "tool_call") {
    return [{ type: "tool_call", id: draft.id, name: draft.name, arguments: draft.arguments, ...sealed }];
  }
  const text = draft.pieces.join("");
  if (text === "" && draft.data === undefined) return [];
  if (draft.type === "refusal") return [{ type: "refusal", text }];
  if (draft.type === "text") return [{ type: "text", text, ...sealed }];
  return [{ type: "thinking", text, origin: { ...service }, ...sealed }];
}
