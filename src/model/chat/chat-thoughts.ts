import type { ReplyBuilder } from "../calls/reply-builder.ts";
import type { ThoughtData } from "./chat-messages.ts";

/** A piece of `reasoning_details`, which can have further keys. */
export interface ThoughtDetail {
  readonly type?: string | null | undefined;
  readonly text?: string | null | undefined;
  readonly summary?: string | null | undefined;
  readonly [key: string]: unknown;
}

/** The thoughts in a delta of Chat Completions. */
export interface ThoughtDelta {
  readonly content?:
    | string
    | readonly { readonly type?: string | null | undefined; readonly thinking?: unknown }[]
    | null
    | undefined;
  /** DeepSeek, Moonshot, vLLM and most others. */
  readonly reasoning_content?: string | null | undefined;
  /** OpenRouter, Groq, Ollama. */
  readonly reasoning?: string | null | undefined;
  /** GitHub Copilot. */
  readonly reasoning_text?: string | null | undefined;
  readonly reasoning_opaque?: string | null | undefined;
  /** OpenRouter and compatible gateways. */
  readonly reasoning_details?: readonly ThoughtDetail[] | null | undefined;
}

const FIELDS = ["reasoning_content", "reasoning", "reasoning_text"] as const;

/**
 * Returns a function that reads the thoughts of a reply. Those in a field of the message become one block, so that a
 * change of the text drops the data for the server. Those in parts of the content become separate blocks, in order.
 */
export function thoughtReader(reply: ReplyBuilder): (delta: ThoughtDelta) => void {
  const field: { -readonly [key in keyof ThoughtData]: ThoughtData[key] } = {};
  let part = 0;
  let isOpen = false;
  return (delta) => {
    const name = FIELDS.find((candidate) => delta[candidate]);
    const details = delta.reasoning_details ?? [];
    if (name !== undefined) field.field ??= name;
    if (details.length > 0) field.details = joinDetails(field.details as ThoughtDetail[] | undefined, details);
    if (delta.reasoning_opaque) field.opaque = delta.reasoning_opaque;
    // Servers that send both details and a field repeat the text.
    const text = details.map((detail) => detail.text || detail.summary || "").join("") || (name && delta[name]) || "";
    if (name !== undefined || details.length > 0 || delta.reasoning_opaque) {
      reply.reasoning(text, { key: "thought", data: field });
    }
    for (const { type, thinking } of Array.isArray(delta.content) ? delta.content : []) {
      if (type === "thinking")
        reply.reasoning(partText(thinking), {
          key: `thought ${part}`,
          data: { field: "content" } satisfies ThoughtData,
        });
      else if (isOpen) part++;
      isOpen = type === "thinking";
    }
    if (isOpen && typeof delta.content === "string" && delta.content !== "") {
      part++;
      isOpen = false;
    }
  };
}

/** Joins the pieces of a detail, which share its type and index; values of later pieces override earlier ones. */
function joinDetails(known: readonly ThoughtDetail[] = [], pieces: readonly ThoughtDetail[]): ThoughtDetail[] {
  const joined = [...known];
  for (const piece of pieces) {
    const last = joined.at(-1);
    const continues =
      last !== undefined &&
      last.type === piece.type &&
      last["index"] === piece["index"] &&
      (piece.type === "reasoning.text" || piece.type === "reasoning.summary");
    if (!continues) {
      joined.push(piece);
      continue;
    }
    const given = Object.entries(piece).filter(([, value]) => value !== null && value !== undefined);
    joined[joined.length - 1] = {
      ...last,
      ...Object.fromEntries(given),
      ...joinText("text", last, piece),
      ...joinText("summary", last, piece),
    };
  }
  return joined;
}

function joinText(key: "text" | "summary", last: ThoughtDetail, piece: ThoughtDetail): ThoughtDetail {
  const text = `${last[key] ?? ""}${piece[key] ?? ""}`;
  return text === "" ? {} : { [key]: text };
}

/** Mistral nests the text parts of a thought inside a part. */
function partText(thinking: unknown): string {
  if (typeof thinking === "string") return thinking;
  if (!Array.isArray(thinking)) return "";
  return thinking.map((part: unknown) => (isText(part) ? part.text : "")).join("");
}

function isText(part: unknown): part is { text: string } {
  return typeof part === "object" && part !== null && "text" in part && typeof part.text === "string";
}
