import { describe, expect, test } from "bun:test";
import { fromHookMessage, toHookMessage } from "../../../src/model/messages/hook-messages.ts";
import { applyHookRewrite } from "../../../src/model/messages/hook-rewrite.ts";
import type { Message } from "../../../src/model/messages/message.ts";
import type { Message as HookMessage } from "../../../src/protocol/fields.ts";
import { expectLinear } from "../../helpers/growth.ts";

// A longer search: HOOKSH_FUZZ_ROUNDS=5000 HOOKSH_FUZZ_SEED=7.
import { assistant, call, hidden, image, seen, text, user } from "./hook-messages.ts";

describe("a huge or hostile rewrite", () => {
  const long = (count: number) =>
    Array.from({ length: count }, (_, n) => assistant(hidden(`h${n}`), text(`t${n}`), call(`c${n}`)));
  const changeEach = (messages: HookMessage[]) =>
    messages.map((message, n) => (n % 2 === 0 ? { ...message, content: "new" } : message));
  const alike = (count: number) =>
    Array.from({ length: count }, () => ({ role: "assistant" as const, blocks: [hidden("h"), text("same")] }));

  test.each<[string, (count: number) => Message[], (messages: HookMessage[]) => HookMessage[]]>([
    ["of many messages", long, changeEach],
    ["in another order", long, (messages) => changeEach(messages).toReversed()],
    [
      "without times",
      long,
      (messages) => changeEach(messages).map(({ created_at: _at, ...message }) => message as HookMessage),
    ],
    ["without any keys", long, (messages) => messages.map(() => ({ role: "assistant", content: "x" }))],
    ["of identical messages", alike, changeEach],
    [
      "with many calls in one",
      (count) => [assistant(...Array.from({ length: count }, (_, n) => call(`c${n}`)))],
      (messages) => messages.map((message) => ({ ...message, tool_calls: (message.tool_calls ?? []).toReversed() })),
    ],
    [
      "with many calls of one id",
      (count) => [assistant(...Array.from({ length: count }, (_, n) => call("c", `${n}`)))],
      (messages) =>
        messages.map((message) => ({ ...message, content: "new", tool_calls: (message.tool_calls ?? []).slice(1) })),
    ],
    [
      "with many media in one",
      (count) => [user(...Array.from({ length: count }, (_, n) => image(`${n}`)))],
      (messages) =>
        messages.map((message) => ({ ...message, multi_content: (message.multi_content ?? []).toReversed() })),
    ],
  ])("%s takes time in proportion", async (_name, make, change) => {
    await expectLinear(8_000, (count) => {
      const messages = make(count);
      const updated = change(seen(messages));
      return () => applyHookRewrite(messages, updated);
    });
  });

  test("of 100,000 messages is merged", () => {
    const messages = long(100_000);
    const merged = applyHookRewrite(messages, changeEach(seen(messages)));
    expect(merged).toHaveLength(messages.length);
    expect(merged[1]).toBe(messages[1] as Message);
    expect(merged[2]?.blocks).toEqual([hidden("h2"), text("new"), call("c2")]);
  });

  test("of any depth is merged", () => {
    const nested = () => JSON.parse(`${"[".repeat(300_000)}${"]".repeat(300_000)}`) as unknown;
    const deep = nested();
    const turn = assistant(hidden("h"), text("said"));
    const [shown] = seen([turn]);
    for (const update of [
      { deep },
      { content: "new", deep },
      { created_at: deep },
      { cache_control: deep },
      { usage: { deep } },
    ]) {
      const [merged] = applyHookRewrite([turn], [{ ...shown, ...update } as HookMessage]);
      expect(merged?.blocks.at(-1)).toEqual(text("content" in update ? "new" : "said"));
    }
    const kept = { ...turn, extra: { deep } };
    expect(applyHookRewrite([kept], [{ ...toHookMessage(kept), deep: nested() }])[0]?.blocks).toEqual(turn.blocks);
    expect(fromHookMessage({ role: "user", multi_content: [{ type: "file", file: deep }] }).blocks).toEqual([
      text("[file left out]"),
    ]);
  });
});
