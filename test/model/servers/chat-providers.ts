import {
  type ChatProvider,
  callingMessages,
  isFilled,
  type Refusal,
  type Rule,
  type Said,
  thinkingIn,
  type WireMessage,
  type WireRequest,
} from "./chat.ts";
import { SCHEMA_RULES, type SchemaRule } from "./schema-rules.ts";

/** The error body of OpenAI and of compatible providers. */
function refuse(
  message: string,
  more: { status?: number; type?: string; param?: string; code?: string | number } = {},
): Refusal {
  const { status = 400, type = "invalid_request_error", param = null, code = null } = more;
  return { status, body: { error: { message, type, param, code } } };
}

/** Checks every message; the first refusal counts. */
function eachMessage(judge: (message: WireMessage, index: number, all: WireMessage[]) => Refusal | undefined): Rule {
  return ({ messages }) =>
    messages.map((message, index) => judge(message, index, messages)).find((found) => found !== undefined);
}

/** Returns the ids of the calls that the consecutive tool messages from `start` on answer. */
function answered(messages: readonly WireMessage[], start: number): string[] {
  const end = messages.findIndex((message, index) => index >= start && message.role !== "tool");
  return messages.slice(start, end < 0 ? undefined : end).map(({ tool_call_id: id }) => id ?? "");
}

/** Splits the messages into turns, which start at the user's messages. */
function turnsOf(messages: readonly WireMessage[]): { message: WireMessage; index: number }[][] {
  const turns: { message: WireMessage; index: number }[][] = [[]];
  messages.forEach((message, index) => {
    if (message.role === "user") turns.push([]);
    turns.at(-1)?.push({ message, index });
  });
  return turns;
}

/** Every call has its result directly after it, and every result its call. Public reference: OpenAI API, "Function calling". */
const callsArePaired: readonly Rule[] = [
  eachMessage(({ tool_calls: calls }, index, messages) => {
    const missing = (calls ?? []).filter(({ id }) => !answered(messages, index + 1).includes(id));
    return missing.length === 0
      ? undefined
      : refuse(
          "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
            `The following tool_call_ids did not have response messages: ${missing.map(({ id }) => id).join(", ")}`,
          { param: `messages.[${index + 1}].role` },
        );
  }),
  eachMessage(({ role, tool_call_id: id }, index, messages) => {
    const caller = messages.slice(0, index).findLast((message) => message.role !== "tool");
    return role !== "tool" || caller?.tool_calls?.some((call) => call.id === id)
      ? undefined
      : refuse(
          "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
          { param: `messages.[${index}].role` },
        );
  }),
];

/** Refuses message fields other than these, in the words of `say`. */
function onlyFields(fields: readonly string[], say: (field: string, index: number) => Refusal): Rule {
  return eachMessage((message, index) => {
    const unknown = Object.keys(message).find((field) => !fields.includes(field));
    return unknown === undefined ? undefined : say(unknown, index);
  });
}

const STANDARD_FIELDS = ["role", "content", "name", "tool_calls", "tool_call_id", "refusal"];

const isOpenAIReasoning = ({ model }: WireRequest) => /^(o\d|gpt-5(?!-chat))/.test(model);

/** A parameter that some models refuse, in the words of OpenAI. */
function unsupported(parameter: string, when: (request: WireRequest) => boolean, hint = ""): Rule {
  return (request) =>
    request[parameter] === undefined || !when(request)
      ? undefined
      : refuse(`Unsupported parameter: '${parameter}' is not supported with this model.${hint}`, {
          param: parameter,
          code: "unsupported_parameter",
        });
}

/**
 * OpenAI, and Azure OpenAI with it. Public references: OpenAI API reference, "Create chat completion"; Azure OpenAI,
 * "Reasoning models", whose table of unsupported parameters names temperature, top_p, presence_penalty,
 * frequency_penalty, max_tokens and, for the o-series, parallel_tool_calls.
 */
const openai: ChatProvider = {
  thinking: () => [],
  thought: () => ({}),
  callId: (n) => `call_${"a".repeat(20)}${String(n).padStart(4, "0")}`,
  rules: [
    onlyFields([...STANDARD_FIELDS, "audio"], (field, index) =>
      refuse(`Unknown parameter: 'messages[${index}].${field}'.`, {
        param: `messages[${index}].${field}`,
        code: "unknown_parameter",
      }),
    ),
    ...callsArePaired,
    eachMessage(({ tool_calls: calls }, index) => {
      const long = calls?.findIndex(({ id }) => id.length > 40) ?? -1;
      return long < 0
        ? undefined
        : refuse(
            `Invalid 'messages[${index}].tool_calls[${long}].id': string too long. Expected a string with maximum length 40.`,
            { param: `messages[${index}].tool_calls[${long}].id`, code: "string_above_max_length" },
          );
    }),
    unsupported("parallel_tool_calls", ({ model }) => /^o\d/.test(model)),
    unsupported("max_tokens", isOpenAIReasoning, " Use 'max_completion_tokens' instead."),
    unsupported("reasoning_effort", (request) => !isOpenAIReasoning(request)),
    ...["top_p", "presence_penalty", "frequency_penalty"].map((name) =>
      unsupported(name, (request) => isOpenAIReasoning(request) && request["reasoning_effort"] !== "none"),
    ),
    (request) => {
      const { temperature } = request;
      const fixed = isOpenAIReasoning(request) && request["reasoning_effort"] !== "none";
      return temperature === undefined || temperature === 1 || !fixed
        ? undefined
        : refuse(
            `Unsupported value: 'temperature' does not support ${temperature} with this model. Only the default (1) value is supported.`,
            { param: "temperature", code: "unsupported_value" },
          );
    },
  ],
};

/**
 * DeepSeek with thinking on. Public reference: "Thinking Mode" at https://api-docs.deepseek.com/guides/thinking_mode:
 * the reasoning of a turn with tool calls is required in every later request, empty or not. The guide to the earlier
 * `deepseek-reasoner` (https://api-docs.deepseek.com/guides/reasoning_model) adds that the reasoning of other turns must
 * not be sent.
 */
const deepseek: ChatProvider = {
  ...thinkingIn("reasoning_content"),
  callId: (n) => `call_${String(n).padStart(2, "0")}_Xq7`,
  rules: [
    ...callsArePaired,
    ({ messages }) =>
      turnsOf(messages).flatMap((turn) => {
        const spoken = turn.filter(({ message }) => message.role === "assistant");
        const withTools = spoken.some(({ message }) => message.tool_calls?.length);
        const wrong = spoken.find(({ message }) => (typeof message["reasoning_content"] === "string") !== withTools);
        if (!wrong) return [];
        return [
          refuse(
            withTools
              ? "The reasoning_content in the thinking mode must be passed back to the API."
              : `Unexpected reasoning_content in the assistant message at message index ${wrong.index}`,
            { code: "invalid_request_error" },
          ),
        ];
      })[0],
  ],
};

/**
 * Moonshot with thinking on. Public reference: "Using thinking models" at
 * https://platform.moonshot.ai/docs/guide/use-kimi-k2-thinking-model; the server accepts an empty text for a missing one.
 */
const moonshot: ChatProvider = {
  ...thinkingIn("reasoning_content"),
  callId: (n) => `run:${n}`,
  rules: [
    ...callsArePaired,
    (request) =>
      callingMessages(request).flatMap(({ message, index }) =>
        isFilled(message["reasoning_content"])
          ? []
          : [
              refuse(
                `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${index}`,
              ),
            ],
      )[0],
    eachMessage(({ role, content, tool_calls: calls }, index) =>
      role !== "assistant" || isFilled(content) || calls?.length
        ? undefined
        : refuse(`Invalid request: the message at position ${index} with role 'assistant' must not be empty`),
    ),
    ({ model, temperature }) =>
      temperature === undefined || temperature === 1 || !/^kimi-k2\.[5-9]/.test(model)
        ? undefined
        : refuse("invalid temperature: only 1 is allowed for this model"),
  ],
};

const MISTRAL_ORDER: Readonly<Record<string, readonly string[]>> = {
  system: ["user", "assistant", "system"],
  user: ["assistant", "system", "user"],
  assistant: ["assistant", "user", "tool"],
  tool: ["assistant", "tool"],
};

function mistralError(message: string, type: string, code: string | null = null): Refusal {
  return { status: 400, body: { object: "error", message, type, param: null, code } };
}

/**
 * Mistral. Public references: https://docs.mistral.ai/capabilities/reasoning/ and the request validator that Mistral
 * publishes, https://mistralai.github.io/mistral-common/.
 */
const mistral: ChatProvider = {
  thinking: (pieces) => pieces.map((text) => ({ content: [{ type: "thinking", thinking: [{ type: "text", text }] }] })),
  thought: (pieces) => ({
    content: [{ type: "thinking", thinking: [{ type: "text", text: pieces.join("") }], closed: true }],
  }),
  callId: (n) => `Call${String(n).padStart(5, "0")}`,
  rules: [
    onlyFields([...STANDARD_FIELDS, "prefix"], (field, index) =>
      mistralError(
        `body.messages.${index}.assistant.${field}: Extra inputs are not permitted`,
        "invalid_request_error",
      ),
    ),
    eachMessage(({ role }, index, messages) => {
      const previous = messages[index - 1]?.role;
      return previous === undefined || MISTRAL_ORDER[previous]?.includes(role)
        ? undefined
        : mistralError(`Unexpected role '${role}' after role '${previous}'`, "invalid_request_message_order", "3230");
    }),
    ({ messages }) => {
      const last = messages.at(-1)?.role ?? "";
      return last === "user" || last === "tool"
        ? undefined
        : mistralError(
            `Expected last role User or Tool (or Assistant with prefix True) for serving but got ${last}`,
            "invalid_request_message_order",
            "3230",
          );
    },
    eachMessage(({ tool_calls: calls, tool_call_id: answers }) => {
      const id = [...(calls ?? []).map((call) => call.id), ...(answers === undefined ? [] : [answers])].find(
        (candidate) => !/^[a-zA-Z0-9]{9}$/.test(candidate),
      );
      return id === undefined
        ? undefined
        : mistralError(
            `Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9.`,
            "invalid_function_call",
            "3280",
          );
    }),
    eachMessage(({ tool_calls: calls }, index, messages) =>
      calls === undefined || calls.length === answered(messages, index + 1).length
        ? undefined
        : mistralError("Not the same number of function calls and responses", "invalid_request_message_order", "3230"),
    ),
    eachMessage(({ role, content, tool_calls: calls }) =>
      role !== "assistant" || isFilled(content) || calls?.length
        ? undefined
        : mistralError(
            "Assistant message must have either content or tool_calls, but not none.",
            "invalid_request_assistant_message",
            "3240",
          ),
    ),
  ],
};

/** Groq names every field that it does not know. Public reference: https://console.groq.com/docs/api-reference#chat-create */
const groq: ChatProvider = {
  ...thinkingIn("reasoning"),
  callId: (n) => `fc_${n}-4b1d`,
  rules: [
    onlyFields(STANDARD_FIELDS, (field, index) => ({
      status: 400,
      body: {
        error: {
          message:
            `'messages.${index}' : for 'role:assistant' the following must be satisfied` +
            `[('messages.${index}' : property '${field}' is unsupported)]`,
          type: "invalid_request_error",
        },
      },
    })),
    ...callsArePaired,
  ],
};

/** Cerebras, likewise. Public reference: https://inference-docs.cerebras.ai/capabilities/reasoning */
const cerebras: ChatProvider = {
  ...thinkingIn("reasoning"),
  callId: (n) => `${n}f3c1a7d9`,
  rules: [
    onlyFields(STANDARD_FIELDS, (field, index) => {
      const place = `messages.${index}.assistant.${field}`;
      return {
        status: 400,
        body: {
          message: `${place}: property '${place}' is unsupported`,
          type: "invalid_request_error",
          param: "validation_error",
          code: "wrong_api_format",
        },
      };
    }),
    ...callsArePaired,
  ],
};

/** xAI. Public reference: https://docs.x.ai/docs/guides/reasoning, "not supported by reasoning models". */
const xai: ChatProvider = {
  ...thinkingIn("reasoning_content"),
  callId: (n) => `call_${n}12345678`,
  rules: [
    ...callsArePaired,
    (request) =>
      Object.entries({
        presence_penalty: "presencePenalty",
        frequency_penalty: "frequencyPenalty",
        reasoning_effort: "reasoningEffort",
      }).flatMap(([field, name]) =>
        request[field] === undefined
          ? []
          : [
              {
                status: 400,
                body: {
                  code: "Client specified an invalid argument",
                  error: `Argument not supported on this model: ${name}`,
                },
              },
            ],
      )[0],
  ],
};

/** Returns the remembered assistant messages of the running tool loop, each with its original reply. */
function openLoop({ messages }: WireRequest, said: Said): { message: WireMessage; original: WireMessage }[] {
  return (turnsOf(messages).at(-1) ?? []).flatMap(({ message }) => {
    const original = said.get(message.tool_calls?.[0]?.id ?? "");
    return original ? [{ message, original }] : [];
  });
}

/**
 * OpenRouter before a Claude model that thinks. Public reference: "Preserving reasoning" at
 * https://openrouter.ai/docs/use-cases/reasoning-tokens: the sequence of `reasoning_details` is sent back unchanged, or
 * the text alone as `reasoning`.
 */
const openrouter: ChatProvider = {
  thinking: (pieces) => [
    ...pieces.map((text) => ({
      reasoning: text,
      reasoning_details: [{ type: "reasoning.text", text, format: "anthropic-claude-v1", index: 0 }],
    })),
    { reasoning_details: [{ type: "reasoning.text", signature: "c2lnbmVk", format: "anthropic-claude-v1", index: 0 }] },
    {
      reasoning_details: [
        { type: "reasoning.encrypted", data: "b3BhcXVl", id: "rs_1", format: "anthropic-claude-v1", index: 1 },
      ],
    },
  ],
  thought: (pieces) => ({
    reasoning: pieces.join(""),
    reasoning_details: [
      { type: "reasoning.text", text: pieces.join(""), signature: "c2lnbmVk", format: "anthropic-claude-v1", index: 0 },
      { type: "reasoning.encrypted", data: "b3BhcXVl", id: "rs_1", format: "anthropic-claude-v1", index: 1 },
    ],
  }),
  callId: (n) => `toolu_0${n}`,
  rules: [
    ...callsArePaired,
    (request, said) =>
      openLoop(request, said).flatMap(({ message, original }) => {
        const [sent, made] = [message["reasoning_details"], original["reasoning_details"]];
        if (Bun.deepEquals(sent, made) || (sent === undefined && isFilled(message["reasoning"]))) return [];
        const raw = JSON.stringify({
          type: "error",
          error: {
            type: "invalid_request_error",
            message: "messages.1.content.0: Invalid `signature` in `thinking` block",
          },
        });
        return [
          {
            status: 400,
            body: {
              error: { message: "Provider returned error", code: 400, metadata: { raw, provider_name: "Anthropic" } },
            },
          },
        ];
      })[0],
  ],
};

/** GitHub Copilot before a Gemini model, which needs its opaque reasoning back. */
const copilot: ChatProvider = {
  thinking: (pieces) => [...pieces.map((piece) => ({ reasoning_text: piece })), { reasoning_opaque: "b3BhcXVl" }],
  thought: (pieces) => ({ reasoning_text: pieces.join(""), reasoning_opaque: "b3BhcXVl" }),
  callId: (n) => `call_${n}`,
  rules: [
    ...callsArePaired,
    (request, said) =>
      openLoop(request, said).flatMap(({ message, original }) =>
        message["reasoning_opaque"] === original["reasoning_opaque"]
          ? []
          : [refuse("", { code: "invalid_request_body" })],
      )[0],
  ],
};

/**
 * Gemini 3 behind an OpenAI-compatible API. Public reference: https://ai.google.dev/gemini-api/docs/thought-signatures:
 * the signature in `extra_content` of a call is sent back with it, and the first call of a step must have one.
 */
const gemini: ChatProvider = {
  ...thinkingIn("reasoning_content"),
  callId: (n) => `function-call-${n}`,
  rules: [
    ...callsArePaired,
    (request, said) =>
      (turnsOf(request.messages).at(-1) ?? []).flatMap(({ message }) => {
        const [first] = (message.tool_calls ?? []) as { id: string; extra_content?: unknown }[];
        if (!first) return [];
        const original = said.get(first.id);
        const expected = original ? original.tool_calls?.[0] : { ...first, extra_content: FOREIGN_CALL };
        if (Bun.deepEquals(first, expected)) return [];
        const missing = "Function call is missing a thought_signature in functionCall parts.";
        return [{ status: 400, body: [{ error: { code: 400, message: missing, status: "INVALID_ARGUMENT" } }] }];
      })[0],
  ],
};

/** The documented placeholder signature for a call of another model. */
const FOREIGN_CALL = { google: { thought_signature: "skip_thought_signature_validator" } };

function templateError(message: string): Refusal {
  return { status: 400, body: { error: { message, type: "BadRequestError", param: null, code: 400 } } };
}

/**
 * vLLM or llama.cpp with the strictest chat templates: Qwen's, which accepts one system message at the beginning
 * (https://huggingface.co/Qwen/Qwen3.5-27B/blob/main/chat_template.jinja), and Mistral's, in which users and answers
 * without tool calls alternate (https://huggingface.co/mistralai/Mistral-Small-Instruct-2409).
 */
const template: ChatProvider = {
  ...thinkingIn("reasoning_content"),
  callId: (n) => `chatcmpl-tool-${n}`,
  rules: [
    ...callsArePaired,
    eachMessage(({ role }, index) =>
      index > 0 && role === "system" ? templateError("System message must be at the beginning.") : undefined,
    ),
    ({ messages }) => {
      const spoken = messages.filter(
        ({ role, tool_calls: calls }) => role === "user" || (role === "assistant" && !calls?.length),
      );
      return spoken.every(({ role }, index) => (role === "user") === (index % 2 === 0))
        ? undefined
        : templateError("Conversation roles must alternate user/assistant/user/assistant/...");
    },
  ],
};

/**
 * vLLM with a model that thinks between tool calls, known only by its address. Public reference:
 * https://docs.vllm.ai/en/latest/features/interleaved_thinking/. Without the reasoning of the running
 * loop, the real server gives worse answers; this one refuses.
 */
const vllm: ChatProvider = {
  ...thinkingIn("reasoning_content"),
  callId: (n) => `chatcmpl-tool-${n}`,
  rules: [
    ...callsArePaired,
    (request, said) =>
      openLoop(request, said).flatMap(({ message, original }) =>
        original["reasoning_content"] === undefined || isFilled(message["reasoning_content"])
          ? []
          : [templateError("reasoning is missing")],
      )[0],
  ],
};

/** The provider with its rule for the parameters of tools and for the schema of an answer. */
function takes(provider: ChatProvider, rule: SchemaRule): ChatProvider {
  const schemas: Rule = ({ tools, response_format: format }) => {
    const declared = (Array.isArray(tools) ? tools : []) as { function: { name: string; parameters: unknown } }[];
    const answer = (format as { json_schema?: { schema?: unknown } } | undefined)?.json_schema?.schema;
    const [bad] = [
      ...declared.flatMap(
        ({ function: { name, parameters } }) =>
          rule(parameters)?.replace(/^/, `Invalid schema for function '${name}': `) ?? [],
      ),
      ...(answer === undefined ? [] : (rule(answer)?.replace(/^/, "Invalid schema for response_format: ") ?? [])),
    ];
    return bad === undefined ? undefined : refuse(bad, { param: "tools", code: "invalid_function_parameters" });
  };
  return { ...provider, rules: [...provider.rules, schemas] };
}

/** The providers with Chat Completions, each as strict as its documentation and its error messages. */
export const CHAT_PROVIDERS = {
  openai: takes(openai, SCHEMA_RULES.openai),
  deepseek: takes(deepseek, SCHEMA_RULES.openai),
  moonshot: takes(moonshot, SCHEMA_RULES.moonshot),
  mistral: takes(mistral, SCHEMA_RULES.mistral),
  groq: takes(groq, SCHEMA_RULES.groq),
  cerebras: takes(cerebras, SCHEMA_RULES.common),
  xai: takes(xai, SCHEMA_RULES.xai),
  openrouter: takes(openrouter, SCHEMA_RULES.anthropic),
  "github-copilot": takes(copilot, SCHEMA_RULES.gemini),
  gemini: takes(gemini, SCHEMA_RULES.gemini),
  template: takes(template, SCHEMA_RULES.common),
  vllm: takes(vllm, SCHEMA_RULES.common),
} as const satisfies Record<string, ChatProvider>;
