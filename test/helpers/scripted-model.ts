import { toHookMessage } from "../../src/model/messages/hook-messages.ts";
import { toolCallsOf, type Usage } from "../../src/model/messages/message.ts";
import { type Model, type ModelDelta, type ModelRequest, type Reply, replyText } from "../../src/model/model.ts";
import type { Message } from "../../src/protocol/fields.ts";

/** A tool call as a script writes it; without an id it is `call_<n>`, counted over the whole script. */
export interface ScriptedCall {
  name: string;
  arguments?: Record<string, unknown> | string;
  id?: string;
}

/** An answer of a script: a text, or a reply. */
export type ScriptedReply =
  | string
  | { thought?: string; text?: string; calls?: ScriptedCall[]; usage?: Usage; finishReason?: Reply["finishReason"] };

/** The result of one call: an answer, an error, or what a function returns for the request. */
export type Step = ScriptedReply | Error | ((request: ModelRequest) => Promise<ScriptedReply> | ScriptedReply);

/** A model that plays a script. A call beyond its end throws; `assertFinished` tells when steps are left over. */
export class ScriptedModel implements Model {
  readonly id: string;
  readonly provider = "openai";
  readonly contextLimit: number;
  /** The message lists of all calls so far, as hooks see them. */
  readonly requests: Message[][] = [];
  /** The calls themselves. */
  readonly calls: ModelRequest[] = [];
  readonly #steps: Step[];
  #toolCalls = 0;

  constructor(steps: Step[], { id = "openai/fake", contextLimit = 0 } = {}) {
    this.id = id;
    this.contextLimit = contextLimit;
    this.#steps = [...steps];
  }

  async stream(request: ModelRequest, onDelta: (delta: ModelDelta) => void): Promise<Reply> {
    this.calls.push(request);
    this.requests.push(structuredClone(request.messages.map(toHookMessage)));
    const step = this.#steps.shift();
    if (step === undefined)
      throw new Error(`the model was called ${this.calls.length} times, more than its script has steps`);
    if (step instanceof Error) throw step;
    const played = typeof step === "function" ? await step(request) : step;
    const reply = this.#replyOf(typeof played === "string" ? { text: played } : played);
    const [thought] = reply.blocks;
    if (thought?.type === "thinking") onDelta({ kind: "reasoning", text: thought.text });
    const text = replyText(reply);
    if (text) onDelta({ kind: "text", text });
    toolCallsOf(reply).forEach(({ type: _type, ...call }, index) => onDelta({ kind: "tool_call", index, ...call }));
    return reply;
  }

  /** Throws when the script was not played to its end. */
  assertFinished(): void {
    if (this.#steps.length > 0)
      throw new Error(`${this.#steps.length} steps of the model's script were never asked for`);
  }

  #replyOf({ thought, text = "", calls = [], usage, finishReason }: Exclude<ScriptedReply, string>): Reply {
    const toolCalls = calls.map(({ name, arguments: given = {}, id }) => {
      this.#toolCalls++;
      return {
        type: "tool_call" as const,
        id: id ?? `call_${this.#toolCalls}`,
        name,
        arguments: typeof given === "string" ? given : JSON.stringify(given),
      };
    });
    return {
      blocks: [
        ...(thought === undefined ? [] : [{ type: "thinking" as const, text: thought }]),
        ...(text ? [{ type: "text" as const, text }] : []),
        ...toolCalls,
      ],
      finishReason: finishReason ?? (toolCalls.length > 0 ? "tool_calls" : "stop"),
      ...(usage ? { usage } : {}),
    };
  }
}
