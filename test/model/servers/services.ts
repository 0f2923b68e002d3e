/** The strict servers with one common form of script, for tests that apply to every provider. */
import { anthropicServer } from "./anthropic.ts";
import { strictChat } from "./chat.ts";
import { CHAT_PROVIDERS } from "./chat-providers.ts";
import { googleServer } from "./google.ts";
import { responsesServer } from "./responses.ts";

/** A raw response of a server. */
export type Answer = () => Response | Promise<Response>;

/** A reply of any provider, or another behavior of its server. */
export type Turn = { think?: string; say?: string; calls?: { name: string; input: object }[] } | Answer;

/** A provider's strict server. */
export interface Served {
  url: string;
  refused: string[];
  requests: readonly unknown[];
  left: () => number;
  stop: () => unknown;
}

/** A provider: its entry under `models`, its server, and the beginning of a stream with the text "Half". */
export interface Service {
  model: object;
  serve: (script: readonly Turn[]) => Served;
  half: string;
}

const thoughtOf = <T>(think: string | undefined, make: (text: string) => T): T[] =>
  think === undefined ? [] : [make(think)];
const textOf = (say: string | undefined) => (say === undefined ? [] : [{ text: say }]);
const event = (data: object, name?: string) => `${name ? `event: ${name}\n` : ""}data: ${JSON.stringify(data)}\n\n`;

const ANTHROPIC: Service = {
  model: { provider: "anthropic", model: "claude-sonnet-4-5", thinking_budget: 2048 },
  serve: (script) => {
    const server = anthropicServer(
      ...script.map((turn) =>
        typeof turn === "function"
          ? turn
          : [
              ...thoughtOf(turn.think, (thinking) => ({ thinking })),
              ...textOf(turn.say),
              ...(turn.calls ?? []).map(({ name, input }) => ({ call: name, input })),
            ],
      ),
    );
    return { ...server, refused: server.refusals, stop: () => server[Symbol.asyncDispose]() };
  },
  half: [
    {
      type: "message_start",
      message: {
        id: "m",
        type: "message",
        role: "assistant",
        content: [],
        usage: { input_tokens: 1, output_tokens: 1 },
      },
    },
    { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "Never signed." } },
    { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "Half" } },
  ]
    .map((data) => event(data, data.type))
    .join(""),
};

const GOOGLE: Service = {
  model: { provider: "google", model: "gemini-3-flash" },
  serve: (script) => {
    const server = googleServer(
      ...script.map((turn) =>
        typeof turn === "function"
          ? turn
          : [
              ...thoughtOf(turn.think, (thought) => ({ thought })),
              ...textOf(turn.say),
              ...(turn.calls ?? []).map(({ name, input }) => ({ call: name, args: input })),
            ],
      ),
    );
    return { ...server, refused: server.refusals, stop: () => server[Symbol.asyncDispose]() };
  },
  half: event({ candidates: [{ content: { role: "model", parts: [{ text: "Half" }] } }] }),
};

const RESPONSES: Service = {
  model: { provider: "openai", model: "gpt-5", provider_opts: { api_type: "openai_responses" } },
  serve: (script) => {
    const server = responsesServer(
      {},
      ...script.map((turn) =>
        typeof turn === "function"
          ? turn
          : [
              ...thoughtOf(turn.think, (reasoning) => ({ reasoning })),
              ...textOf(turn.say),
              ...(turn.calls ?? []).map(({ name, input }) => ({ call: name, input })),
            ],
      ),
    );
    return { ...server, refused: server.refusals, stop: () => server[Symbol.asyncDispose]() };
  },
  half: event({
    type: "response.output_text.delta",
    item_id: "msg_half",
    output_index: 0,
    content_index: 0,
    delta: "Half",
  }),
};

function chat(id: keyof typeof CHAT_PROVIDERS, model: string): Service {
  return {
    model: { provider: id, model },
    serve: (script) => {
      const server = strictChat(
        CHAT_PROVIDERS[id],
        script.map((turn) =>
          typeof turn === "function"
            ? turn
            : {
                ...(turn.think === undefined ? {} : { thinking: [turn.think] }),
                ...(turn.say === undefined ? {} : { text: turn.say }),
                ...(turn.calls
                  ? { calls: turn.calls.map(({ name, input }) => ({ name, arguments: { ...input } })) }
                  : {}),
              },
        ),
      );
      return server;
    },
    half: event({
      id: "c",
      object: "chat.completion.chunk",
      created: 1,
      model,
      choices: [{ index: 0, delta: { role: "assistant", content: "Half" }, finish_reason: null }],
    }),
  };
}

/** Providers of every kind of API, by name. */
export const SERVICES: Readonly<Record<string, Service>> = {
  Anthropic: ANTHROPIC,
  Gemini: GOOGLE,
  Responses: RESPONSES,
  "OpenAI's Chat Completions": chat("openai", "o3"),
  DeepSeek: chat("deepseek", "deepseek-reasoner"),
  Mistral: chat("mistral", "magistral-medium-latest"),
  Moonshot: chat("moonshot", "kimi-k2.5"),
  OpenRouter: chat("openrouter", "anthropic/claude-sonnet-4.5"),
};

/** Keys for all of them, as environment variables. */
export const KEYS = Object.fromEntries(
  ["ANTHROPIC", "GOOGLE", "OPENAI", "DEEPSEEK", "MISTRAL", "MOONSHOT", "OPENROUTER"].map((name) => [
    `${name}_API_KEY`,
    "key",
  ]),
);
