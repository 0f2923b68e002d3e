import type { ModelDelta, Reply, ToolCall, Usage } from "./model.ts";

/** A part of a tool call as it arrived. */
export interface ToolCallPart {
  /** Tells the calls of one reply apart. */
  key: string | number;
  id?: string | null | undefined;
  name?: string | null | undefined;
  arguments?: string | null | undefined;
}

/** Puts a reply together from the parts of a stream. */
export interface ReplyBuilder {
  text(part: string): void;
  reasoning(part: string): void;
  toolCall(part: ToolCallPart): void;
  /** The arguments of a call as far as they are known. */
  argumentsOf(key: string | number): string | undefined;
  readonly hasReasoning: boolean;
  finish(reason: Reply["finishReason"]): void;
  usage(usage: Usage): void;
  extra(name: string, value: unknown): void;
  /** The reply; undefined as long as no finish reason arrived. */
  build(): Reply | undefined;
}

/**
 * Starts a reply whose parts are passed on as they arrive. A refusal drops the tool calls; whether a whole reply ended
 * for `stop` or for `tool_calls` is decided by the calls in it, since providers do not agree.
 *
 * Source: runtime 13.5.
 */
export function startReply(onDelta: (delta: ModelDelta) => void): ReplyBuilder {
  const texts: string[] = [];
  const reasonings: string[] = [];
  const calls = new Map<string | number, ToolCall & { index: number }>();
  const extras: Record<string, unknown> = {};
  let finishReason: Reply["finishReason"] | undefined;
  let usage: Usage | undefined;
  return {
    get hasReasoning() {
      return reasonings.length > 0;
    },
    text(part) {
      if (part === "") return;
      texts.push(part);
      onDelta({ kind: "text", text: part });
    },
    reasoning(part) {
      if (part === "") return;
      reasonings.push(part);
      onDelta({ kind: "reasoning", text: part });
    },
    toolCall(part) {
      const known = calls.get(part.key);
      const call = known ?? {
        index: calls.size,
        id: part.id || `call_${crypto.randomUUID().replaceAll("-", "")}`,
        name: "",
        arguments: "",
      };
      calls.set(part.key, call);
      const name = call.name === "" ? (part.name ?? "") : "";
      call.name += name;
      call.arguments += part.arguments ?? "";
      onDelta({
        kind: "tool_call",
        index: call.index,
        ...(known ? {} : { id: call.id }),
        ...(name ? { name } : {}),
        ...(part.arguments ? { arguments: part.arguments } : {}),
      });
    },
    argumentsOf: (key) => calls.get(key)?.arguments,
    finish(reason) {
      finishReason = reason;
    },
    usage(value) {
      usage = value;
    },
    extra(name, value) {
      extras[name] = value;
    },
    build() {
      if (!finishReason) return undefined;
      const toolCalls = finishReason === "refusal" ? [] : [...calls.values()].map(({ id, name, arguments: input }) => ({ id, name, arguments: input }));
      const settled = finishReason === "stop" || finishReason === "tool_calls";
      return {
        text: texts.join(""),
        reasoning: reasonings.join(""),
        toolCalls,
        finishReason: settled ? (toolCalls.length > 0 ? "tool_calls" : "stop") : finishReason,
        ...(usage ? { usage } : {}),
        ...(Object.keys(extras).length > 0 ? { extras } : {}),
      };
    },
  };
}
