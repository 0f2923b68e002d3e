import type { FinishReason, Origin, ReplyBlock, Usage } from "../messages/message.ts";
import type { ModelDelta, Reply } from "../model.ts";

/** Identifies a block within one reply. */
type Key = string | number;

/** The block that a piece of text belongs to, and the opaque data to send back with it. */
export interface BlockTarget {
  /** The key of the block. Without one, the last block is continued if it has the same type and no data. */
  key?: Key;
  /** Opaque data for the block, see {@link Origin}. */
  data?: unknown;
}

/** A piece of a tool call. */
export interface ToolCallPart {
  /** Identifies the call within its reply. */
  key: Key;
  id?: string | null | undefined;
  name?: string | null | undefined;
  arguments?: string | null | undefined;
  /** Opaque data for the block, see {@link Origin}. */
  data?: unknown;
}

/** Builds a reply from the pieces of a stream. Blocks are in the order in which they started. */
export interface ReplyBuilder {
  text(part: string, place?: BlockTarget): void;
  /** Adds a piece of a thought. */
  reasoning(part: string, place?: BlockTarget): void;
  refusal(part: string): void;
  toolCall(part: ToolCallPart): void;
  /** Replaces the opaque data of a block. */
  setData(key: Key, data: unknown): void;
  /** Returns the opaque data of a block. */
  dataOf(key: Key): unknown;
  /** Returns the arguments of a call received so far; undefined for an unknown call. */
  argumentsOf(key: Key): string | undefined;
  finish(reason: FinishReason): void;
  usage(usage: Usage): void;
  /** Returns the reply; undefined before a finish reason has arrived. */
  build(): Reply | undefined;
}

type Draft = { key: Key | undefined; data?: unknown } & (
  | { type: "text" | "thinking" | "refusal"; text: GrowingText }
  | { type: "tool_call"; index: number; id: string; name: string; arguments: GrowingText }
);

/**
 * Starts a reply from a service and passes each piece on to `onDelta`. A refusal drops the tool calls. A complete reply
 * ends with `tool_calls` if it holds calls, else with `stop`, because providers disagree on which to report.
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
      known.text.append(part);
      if (data !== undefined) known.data = data;
    } else {
      // Separates consecutive thoughts as `thinkingOf` joins them.
      if (type === "thinking" && last?.type === "thinking" && part !== "") onDelta({ kind: "reasoning", text: "\n\n" });
      const text = new GrowingText();
      text.append(part);
      drafts.push({ type, key, text, ...(data === undefined ? {} : { data }) });
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
            arguments: new GrowingText(),
          };
      if (isNew) drafts.push(call);
      const name = call.name === "" ? (part.name ?? "") : "";
      // Compiled code adds even an empty text as a string that keeps the one before.
      if (name !== "") call.name += name;
      call.arguments.append(part.arguments ?? "");
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
      return draft?.type === "tool_call" ? draft.arguments.toString() : undefined;
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
      const isComplete = finishReason === "stop" || finishReason === "tool_calls";
      const hasCalls = blocks.some(({ type }) => type === "tool_call");
      return {
        blocks,
        finishReason: isComplete ? (hasCalls ? "tool_calls" : "stop") : finishReason,
        ...(usage ? { usage } : {}),
      };
    },
  };
}

/** Returns the block of a draft; nothing for an empty one. */
function blockOf(draft: Draft, service: Omit<Origin, "data">): ReplyBlock[] {
  const withData = draft.data === undefined ? {} : { origin: { ...service, data: draft.data } };
  if (draft.type === "tool_call") {
    return [{ type: "tool_call", id: draft.id, name: draft.name, arguments: draft.arguments.toString(), ...withData }];
  }
  const text = draft.text.toString();
  if (text === "" && draft.data === undefined) return [];
  if (draft.type === "refusal") return [{ type: "refusal", text }];
  if (draft.type === "text") return [{ type: "text", text, ...withData }];
  return [{ type: "thinking", text, origin: { ...service }, ...withData }];
}

/** Pieces that are kept separately before they are joined. */
const JOIN_AFTER = 256;

/**
 * A text that arrives in many small pieces. A string of four characters takes some fifty bytes, and `+=` keeps every
 * piece until the text is read, so pieces are joined in groups. Each character is copied twice at most.
 */
export class GrowingText {
  readonly #joined: string[] = [];
  #recent: string[] = [];

  append(piece: string): void {
    if (piece === "") return;
    this.#recent.push(piece);
    if (this.#recent.length < JOIN_AFTER) return;
    this.#joined.push(this.#recent.join(""));
    this.#recent = [];
  }

  /** Returns the text so far. */
  toString(): string {
    return this.#joined.join("") + this.#recent.join("");
  }
}
