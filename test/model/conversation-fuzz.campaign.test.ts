/** Conversations that switch between models of Anthropic and Google while hooks rewrite them: no server refuses any. */
import { expect, test } from "bun:test";
import type { ModelSpec } from "../../src/model/catalog/spec.ts";
import { createModel } from "../../src/model/create-model.ts";
import { toHookMessage } from "../../src/model/messages/hook-messages.ts";
import { applyHookRewrite } from "../../src/model/messages/hook-rewrite.ts";
import { type Message, textMessage, toolCallsOf, toolResult } from "../../src/model/messages/message.ts";
import type { Model } from "../../src/model/model.ts";
import type { Message as HookMessage } from "../../src/protocol/fields.ts";
import { cleanConversation } from "../../src/runtime/prompt/clean-up.ts";
import { type Dice, diceFrom, pick } from "../helpers/dice.ts";
import { anthropicServer, type Scripted as Claude } from "./servers/anthropic.ts";
import { type Scripted as Gemini, googleServer } from "./servers/google.ts";
import { PIXEL_PNG } from "./servers/image-bytes.ts";

const MODELS: readonly ModelSpec[] = [
  { provider: "anthropic", model: "claude-sonnet-4-5", thinking_budget: 2048 },
  { provider: "anthropic", model: "claude-sonnet-4-5", temperature: 0.5 },
  { provider: "anthropic", model: "claude-opus-4-6", thinking_budget: "high" },
  { provider: "anthropic", model: "claude-sonnet-5", thinking_budget: "none" },
  { provider: "anthropic", model: "claude-opus-5-5", provider_opts: { thinking_display: "summarized" } },
  { provider: "google", model: "gemini-2.5-flash" },
  { provider: "google", model: "gemini-3-flash", thinking_budget: "low" },
];

const NO_LIMITS = {
  maxIterations: 0,
  maxConsecutiveToolCalls: 0,
  maxGuardRetries: 0,
  historyItems: 0,
  oldToolCallTokens: 0,
  toolResultTokens: 0,
};
const tools = [{ name: "list", description: "Lists", parameters: { type: "object" } }];
const STEPS = 9;

function claudeReply(dice: Dice): Claude[] {
  const thoughts = pick<Claude[]>(dice, [
    [],
    [{ thinking: "Hm." }],
    [{ thinking: "One." }, { redacted: true }, { thinking: "Two." }],
  ]);
  const text: Claude[] = pick(dice, [[], [{ text: "Well. " }], [{ text: "Well. " }, { text: "So. " }]]);
  const calls: Claude[] = pick(dice, [
    [],
    [{ call: "list", input: { path: "." } }],
    [{ call: "list" }, { call: "list" }],
  ]);
  const mixed =
    dice(2) === 0
      ? [...thoughts, ...text]
      : [...thoughts.slice(0, 1), ...text.slice(0, 1), ...thoughts.slice(1), ...text.slice(1)];
  return [...mixed, ...(text.length + calls.length === 0 ? [{ text: "Done." }] : calls)];
}

function geminiReply(dice: Dice): Gemini[] {
  const text: Gemini[] = pick(dice, [[], [{ text: "Well" }, { text: ", now. " }]]);
  const calls: Gemini[] = pick(dice, [
    [{ text: "" }],
    [{ call: "list" }],
    [{ call: "list", args: { path: "/" } }, { call: "list" }],
  ]);
  return [...(dice(2) === 0 ? [{ thought: "Hm." }] : []), ...text, ...calls];
}

/** A hook's change of an assistant message. */
const REWRITES: readonly ((message: HookMessage) => Partial<HookMessage>)[] = [
  () => ({}),
  () => ({ reasoning_content: "[redacted]" }),
  () => ({ reasoning_content: undefined, thinking_signature: undefined }) as Partial<HookMessage>,
  () => ({ content: "Rewritten." }),
  () => ({ content: "" }),
  ({ content = "" }) => ({ content: content.replace("So.", "[redacted].") }),
  ({ content = "" }) => ({ content: content.replace("Well", "[redacted]") }),
  ({ tool_calls = [] }) => ({
    tool_calls: tool_calls.map((call) => ({
      ...call,
      function: { ...call.function, arguments: '{"path":"[redacted]"}' },
    })),
  }),
];

/** The changes between two calls: rewrites by hooks, user messages, or a process killed before all results arrived. */
function disturb(messages: Message[], dice: Dice): Message[] {
  const rewrite = dice(3) === 0 ? pick(dice, REWRITES) : undefined;
  const at = dice(messages.length);
  const rewritten =
    rewrite === undefined
      ? messages
      : applyHookRewrite(
          messages,
          messages
            .map(toHookMessage)
            .map((message, index) =>
              index === at && message.role === "assistant" ? { ...message, ...rewrite(message) } : message,
            ),
        );
  const kept = dice(8) === 0 ? rewritten.slice(0, -1) : rewritten;
  const speaks = kept.at(-1)?.role !== "tool" || dice(5) === 0;
  return speaks ? [...kept, textMessage("user", "and then?")] : kept;
}

function resultsOf(message: Message, dice: Dice): Message[] {
  return toolCallsOf(message).map(({ id }) => {
    const image = { type: "image", source: { kind: "data", mimeType: "image/png", data: PIXEL_PNG } } as const;
    const isError = dice(4) === 0;
    return toolResult(
      id,
      pick(dice, [[{ type: "text", text: "ok" }], [], [image], [{ type: "text", text: "see" }, image]]),
      isError,
    );
  });
}

test.each(Array.from({ length: 40 }, (_, seed) => seed + 1))("conversation %d", async (seed) => {
  const dice = diceFrom(seed);
  await using anthropic = anthropicServer(...Array.from({ length: STEPS }, () => claudeReply(dice)));
  await using google = googleServer(...Array.from({ length: STEPS }, () => geminiReply(dice)));
  const models = MODELS.map((spec): [Model, ModelSpec] => {
    const base_url = spec.provider === "google" ? google.url : anthropic.url;
    return [createModel({ ...spec, base_url }, { env: () => "key", log: () => {} }), spec];
  });
  let messages: Message[] = [textMessage("user", "hi")];
  let [model] = pick(dice, models);
  for (let step = 0; step < STEPS; step++) {
    if (dice(3) === 0) [model] = pick(dice, models);
    const context = textMessage("system", `turn ${step}`);
    const request = {
      messages: [context, ...cleanConversation(messages, NO_LIMITS)],
      tools,
      signal: new AbortController().signal,
    };
    const { blocks } = await model.stream(request, () => {});
    const reply: Message = { role: "assistant", blocks, model: model.id };
    messages = disturb([...messages, reply, ...resultsOf(reply, dice)], dice);
  }
  expect([anthropic.refusals, google.refusals]).toEqual([[], []]);
});
