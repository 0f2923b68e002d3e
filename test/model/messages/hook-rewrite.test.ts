import { describe, expect, test } from "bun:test";
import { toHookMessage } from "../../../src/model/messages/hook-messages.ts";
import { applyHookRewrite } from "../../../src/model/messages/hook-rewrite.ts";
import {
  type Block,
  type ContentBlock,
  flatBlocks,
  type MediaBlock,
  type Message,
  mediaOf,
  type TextBlock,
  type ThinkingBlock,
  type ToolCallBlock,
  textMessage,
  thinkingOf,
  toolCallsOf,
  toolResult,
} from "../../../src/model/messages/message.ts";
import type { Message as HookMessage } from "../../../src/protocol/fields.ts";
import { type Dice, diceFrom, pick } from "../../helpers/dice.ts";
import { assistant, at, bare, call, hidden, image, seen, signed, text, user } from "./hook-messages.ts";

// A longer search: HOOKSH_FUZZ_ROUNDS=5000 HOOKSH_FUZZ_SEED=7.
const ROUNDS = Number(Bun.env["HOOKSH_FUZZ_ROUNDS"] ?? 300);
const SEED = Number(Bun.env["HOOKSH_FUZZ_SEED"] ?? 1);

/** Returns the merged blocks of one message that a hook changed. */
function rewritten(message: Message, change: (seen: HookMessage) => HookMessage): readonly Block[] {
  const [merged] = applyHookRewrite([message], seen([message]).map(change));
  return merged?.blocks ?? [];
}

describe("in a message that a hook changed", () => {
  const turn = assistant(signed("one"), text("said"), hidden("two"), call("a"), signed("three"), call("b"));
  const [one, said, two, a, three, b] = turn.blocks as [Block, Block, Block, ToolCallBlock, Block, ToolCallBlock];
  const withCalls = (
    seen: HookMessage,
    change: (calls: NonNullable<HookMessage["tool_calls"]>) => NonNullable<HookMessage["tool_calls"]>,
  ) => ({ ...seen, tool_calls: change(seen.tool_calls ?? []) });
  const otherInput = (id: string) => (calls: NonNullable<HookMessage["tool_calls"]>) =>
    calls.map((given) => (given.id === id ? { ...given, function: { ...given.function, arguments: "new" } } : given));
  const added = { id: "c", type: "function", function: { name: "f", arguments: "{}" } };
  const plain: ToolCallBlock = { type: "tool_call", id: "c", name: "f", arguments: "{}" };
  const unsigned = (block: Block): Block =>
    block.type === "thinking" && block.origin ? { ...block, origin: { provider: "claude", api: "anthropic" } } : block;
  const thought: ThinkingBlock = { type: "thinking", text: "new", origin: { provider: "claude", api: "anthropic" } };

  test.each<[string, (seen: HookMessage) => HookMessage, Block[]]>([
    [
      "a new text takes the place of the old one",
      (seen) => ({ ...seen, content: "new" }),
      [one, text("new"), two, a, three, b],
    ],
    [
      "a removed text is dropped together with its signature",
      (seen) => ({ ...seen, content: "" }),
      [one, two, a, three, b].map(unsigned),
    ],
    [
      "an undefined content is not a text",
      ({ content: _text, ...seen }) => seen,
      [one, two, a, three, b].map(unsigned),
    ],
    [
      "new thoughts are unsigned, and hidden ones go with the old",
      (seen) => ({ ...seen, reasoning_content: "new" }),
      [thought, said, a, b],
    ],
    ["removed thoughts are dropped", ({ reasoning_content: _text, ...seen }) => seen, [said, a, b]],
    [
      "a call with other arguments stays where it was, without data",
      (seen) => withCalls(seen, otherInput("a")),
      [one, said, two, { ...bare(a), arguments: "new" }, three, b],
    ],
    [
      "a removed call is dropped",
      (seen) => withCalls(seen, (calls) => calls.slice(1)),
      [one, said, two, three, b].map(unsigned),
    ],
    ["all calls can be removed", ({ tool_calls: _calls, ...seen }) => seen, [one, said, two, three].map(unsigned)],
    [
      "a new call is behind the one before it",
      (seen) => withCalls(seen, ([first, second]) => [first, added, second].flatMap((one) => one ?? [])),
      [one, said, two, a, three, plain, b].map(unsigned),
    ],
    [
      "a new call at the end is at the end",
      (seen) => withCalls(seen, (calls) => [...calls, added]),
      [...turn.blocks, plain].map(unsigned),
    ],
    [
      "calls in another order are where the first was",
      (seen) => withCalls(seen, (calls) => calls.toReversed()),
      [one, said, two, b, a, three].map(unsigned),
    ],
    [
      "a call with another id is another call",
      (seen) => withCalls(seen, (calls) => calls.map((given) => (given.id === "a" ? { ...given, id: "c" } : given))),
      [one, said, two, three, plain, b].map(unsigned),
    ],
  ])("%s", (_name, change, blocks) => {
    const merged = rewritten(turn, change);
    expect(merged).toEqual(blocks);
    for (const block of merged) if ("origin" in block && block.origin?.data) expect(turn.blocks).toContain(block);
  });

  describe("if its text is in several pieces", () => {
    const pieces = assistant(signed("one"), text("A. "), hidden("two"), text("B. "), call("a"), text("C."));
    const [one, , two, , a] = pieces.blocks as Block[];

    test.each<[string, string, Block[]]>([
      ["one piece", "A. new C.", [one, text("A. "), two, text("new "), a, text("C.")] as Block[]],
      ["the first", "new B. C.", [one, text("new "), two, text("B. "), a, text("C.")] as Block[]],
      ["the last", "A. B. new", [one, text("A. "), two, text("B. "), a, text("new")] as Block[]],
      ["text appended", "A. B. C. new", [one, text("A. "), two, text("B. "), a, text("C. new")] as Block[]],
      ["text inserted", "A. B. new C.", [one, text("A. "), two, text("B. new "), a, text("C.")] as Block[]],
      ["text prepended", "new A. B. C.", [one, text("new A. "), two, text("B. "), a, text("C.")] as Block[]],
      ["two pieces", "new C.", [one, text("new "), two, a, text("C.")].map((block) => unsigned(block as Block))],
      ["a piece removed", "A. C.", [one, text("A. "), two, a, text("C.")].map((block) => unsigned(block as Block))],
    ])("only the changed piece differs: %s", (_name, content, blocks) => {
      expect(rewritten(pieces, (seen) => ({ ...seen, content }))).toEqual(blocks);
    });
  });

  test("a signature that a hook changed or removed is not sent", () => {
    const alone = assistant(signed("one"), text("said"));
    expect(rewritten(alone, (seen) => ({ ...seen, thinking_signature: "forged" }))).toEqual([
      unsigned(one),
      text("said"),
    ]);
    expect(rewritten(alone, ({ thinking_signature: _signed, ...seen }) => seen)).toEqual([unsigned(one), text("said")]);
  });

  test("a refusal stays a refusal", () => {
    const refused = assistant({ type: "refusal", text: "No: it is 7." });
    expect(rewritten(refused, (seen) => ({ ...seen, content: "No." }))).toEqual([{ type: "refusal", text: "No." }]);
  });

  test("a tool result keeps its unchanged blocks", () => {
    const shot = at(toolResult("c1", [{ type: "text", text: "shot" }, image("a")]));
    const [block] = rewritten(shot, (seen) => ({ ...seen, is_error: true }));
    expect(block).toEqual({ type: "tool_result", callId: "c1", isError: true, blocks: [text("shot"), image("a")] });
    const [other = shot] = applyHookRewrite(
      [shot],
      seen([shot]).map((seen) => ({ ...seen, content: "[REDACTED]" })),
    );
    expect(flatBlocks(other)).toEqual([text("[REDACTED]"), image("a")]);
    expect(mediaOf(shot)).toContain(mediaOf(other)[0] as MediaBlock);
  });
});

describe("content and multi_content, if a hook changed", () => {
  const shown = user(text("a"), image("1"), text("b"));
  const part = (text: string) => ({ type: "text", text });
  const picture = (name: string) => ({ type: "image_url", image_url: { url: `https://x.example/${name}` } });

  test.each<[string, Partial<HookMessage>, Block[]]>([
    ["content alone, it is the text", { content: "new" }, [text("new"), image("1")]],
    ["content alone to nothing, the text is removed", { content: "" }, [image("1")]],
    ["multi_content alone, it counts", { multi_content: [part("a"), picture("2")] }, [text("a"), image("2")]],
    ["multi_content alone, a removed text is not restored", { multi_content: [picture("1")] }, [image("1")]],
    ["multi_content to nothing, the text stays", { multi_content: [] }, [text("a\nb")]],
    [
      "both, the parts count",
      { content: "n\nm", multi_content: [part("n"), picture("2"), part("m")] },
      [text("n"), image("2"), text("m")],
    ],
    ["both, and moved the text", { content: "", multi_content: [part("n"), picture("1")] }, [text("n"), image("1")]],
    [
      "both, and they disagree, content is the text",
      { content: "new", multi_content: [part("a"), part("x"), picture("1")] },
      [text("new"), image("1")],
    ],
    [
      "content, and took an image out, content is the text",
      { content: "new", multi_content: [part("a"), part("b")] },
      [text("new")],
    ],
    ["only the media", { multi_content: [part("a"), part("b")] }, [text("a"), text("b")]],
  ])("%s", (_name, change, blocks) => {
    const merged = rewritten(shown, (seen) => ({ ...seen, ...change }));
    expect(merged).toEqual(blocks);
    for (const block of merged)
      if (block.type === "image" && "url" in block.source && block.source.url.endsWith("1")) {
        expect(shown.blocks).toContain(block);
      }
  });

  test("an image added to a text keeps the text", () => {
    expect(rewritten(user(text("look")), (seen) => ({ ...seen, multi_content: [picture("1")] }))).toEqual([
      text("look"),
      image("1"),
    ]);
    expect(rewritten(user(text("look")), (seen) => ({ ...seen, multi_content: [part("see"), picture("1")] }))).toEqual([
      text("see"),
      image("1"),
    ]);
  });
});

describe("the original of a hook's message", () => {
  const first = assistant(hidden("h1"), text("same"));
  const second = assistant(hidden("h2"), text("same"));

  test("is found by identity, by its time, by its calls, or by its text", () => {
    const turn = assistant(hidden("h3"), text("other"), call("c1"));
    expect(applyHookRewrite([first, second], [toHookMessage(second)])).toEqual([second]);
    for (const keys of [["created_at"], ["model"], ["created_at", "model"]]) {
      const less = seen([turn]).map((message) =>
        Object.fromEntries(Object.entries(message).filter(([key]) => !keys.includes(key))),
      );
      const [merged] = applyHookRewrite([first, turn, second], less as HookMessage[]);
      expect(merged?.blocks[0]).toBe(turn.blocks[0] as Block);
    }
    for (const keys of [["tool_calls"], ["content"], ["content", "tool_calls"], ["created_at", "tool_calls"]]) {
      const less = seen([turn]).map((message) =>
        Object.fromEntries(Object.entries(message).filter(([key]) => !keys.includes(key))),
      );
      const [merged] = applyHookRewrite([first, turn, second], less as HookMessage[]);
      expect(merged?.blocks[0]).toMatchObject({ type: "thinking", origin: { provider: "claude" } });
    }
  });

  test("stays unknown if two are possible: neither gets the hidden thoughts", () => {
    const less = seen([first, second]).map(({ created_at: _at, ...message }) => message as HookMessage);
    const changed = less.map((message) => ({ ...message, content: "new" }));
    for (const rewrite of [less, less.slice(1), changed, changed.slice(1)]) {
      const merged = applyHookRewrite([first, second], rewrite);
      expect(merged.map(({ blocks }) => blocks)).toEqual(rewrite.map(({ content = "" }) => [text(content)]));
    }
  });

  test("is not found by call ids that providers reuse", () => {
    const turns = [1, 2, 3].map((n) => assistant(hidden(`h${n}`), text(`${n}`), call("call_0", `{"n":${n}}`)));
    const [, , last] = turns;
    const less = seen(turns)
      .slice(2)
      .map(({ created_at: _at, ...message }) => ({ ...message, content: "new" }));
    expect(applyHookRewrite(turns, less)[0]?.blocks).toEqual([text("new"), bare(last?.blocks[2] as ToolCallBlock)]);
    const edited = seen(turns)
      .map((message) => ({ ...message, content: "new" }))
      .toReversed();
    expect(applyHookRewrite(turns, edited).map(({ blocks }) => blocks[0])).toEqual([
      hidden("h3"),
      hidden("h2"),
      hidden("h1"),
    ]);
  });

  test("a message that a hook repeats keeps its data once", () => {
    const [one = first, two] = applyHookRewrite([first], [...seen([first]), ...seen([first])]);
    expect(one).toBe(first);
    expect(two?.blocks).toEqual([text("same")]);
  });

  test("messages that look alike but hold different hidden data all lose it if one of them is dropped", () => {
    const twins = ["h1", "h2"].map((data): Message => ({ role: "assistant", blocks: [hidden(data), text("same")] }));
    expect(applyHookRewrite(twins, seen(twins))).toEqual(twins);
    expect(applyHookRewrite(twins, seen(twins).slice(1)).map(({ blocks }) => blocks)).toEqual([[text("same")]]);
  });

  test("messages that look alike and hold no hidden data may be dropped one by one", () => {
    const rules = [1, 2, 3].map(() => textMessage("system", "rule"));
    const merged = applyHookRewrite(rules, seen(rules).slice(1));
    expect(merged).toEqual(rules.slice(1));
    for (const message of merged) expect(rules).toContain(message);
  });
});

/** The part of a message that a text token or datum belongs to. */
type Aspect = "content" | "thinking" | "calls";

/** Returns a random conversation in which every text and every datum is unique. */
function conversation(dice: Dice): Message[] {
  let serial = 0;
  const word = () => `w${serial++}q`;
  const from = (text: string, data = dice(3) > 0) =>
    data ? { origin: { provider: "p", api: "x", data: { opaque: `d${serial++}q`, repeats: text } } } : {};
  const media = (): MediaBlock =>
    pick<MediaBlock>(dice, [
      image(word()),
      { type: "image", source: { kind: "data", mimeType: "image/png", data: word() } },
      { type: "document", name: word(), source: { kind: "data", mimeType: "application/pdf", data: word() } },
      { type: "audio", source: { kind: "data", mimeType: "audio/wav", data: word() } },
    ]);
  const said = (origins: boolean): TextBlock => {
    const written = word();
    return { type: "text", text: written, ...(origins ? from(written) : {}) };
  };
  const reply = (): Block[] =>
    Array.from({ length: 1 + dice(5) }, (): Block => {
      const written = word();
      switch (dice(6)) {
        case 0:
          return { type: "thinking", text: written, ...from(written) };
        case 1:
          return { type: "thinking", text: "", ...from("", true) };
        case 2:
          return { type: "tool_call", id: word(), name: "f", arguments: written, ...from(written) };
        case 3:
          return dice(4) === 0 ? { type: "refusal", text: written } : said(true);
        default:
          return said(true);
      }
    });
  const messages: Message[] = [];
  for (let n = 1 + dice(6); n > 0; n--) {
    if (dice(4) === 0) messages.push(textMessage("system", word()));
    if (dice(2) === 0)
      messages.push(user(...Array.from({ length: 1 + dice(3) }, () => (dice(3) === 0 ? media() : said(false)))));
    const turn = assistant(...reply());
    messages.push(turn);
    for (const { id } of toolCallsOf(turn)) {
      const blocks: ContentBlock[] = dice(4) === 0 ? [said(false), media()] : [said(false)];
      messages.push(at(toolResult(id, blocks, dice(3) === 0)));
    }
  }
  return messages;
}

/** A message of a rewrite: its original, and the changes by the hook. */
interface Rewritten {
  message: HookMessage;
  source?: Message;
  changed: Set<Aspect>;
  /** True if anything in the message changed. */
  touched: boolean;
}

const parts = (message: HookMessage, change: (text: string) => string) =>
  message.multi_content
    ? {
        multi_content: message.multi_content.map((part) =>
          part.text === undefined ? part : { ...part, text: change(part.text) },
        ),
      }
    : {};

/** The changes that hooks can make to one message. */
const CHANGES: ((dice: Dice, rewrite: Rewritten) => void)[] = [
  () => {},
  () => {},
  (_dice, rewrite) => {
    const fresh = (text: string) => text.replaceAll(/w\d+q/g, "new");
    const { message } = rewrite;
    if (!message.content) return;
    rewrite.message = { ...message, content: fresh(message.content), ...parts(message, fresh) };
    rewrite.changed.add("content");
  },
  (dice, rewrite) => {
    if (!rewrite.message.content) return;
    rewrite.message = { ...rewrite.message, content: pick(dice, ["", "new"]) };
    rewrite.changed.add("content");
  },
  (_dice, rewrite) => {
    if (!rewrite.message.multi_content?.some(({ type }) => type === "text")) return;
    rewrite.message = { ...rewrite.message, ...parts(rewrite.message, () => "new") };
    rewrite.changed.add("content");
  },
  (dice, rewrite) => {
    if (rewrite.message.reasoning_content === undefined) return;
    rewrite.message = { ...rewrite.message, reasoning_content: pick(dice, ["", "new"]) };
    rewrite.changed.add("thinking");
  },
  (dice, rewrite) => {
    const calls = rewrite.message.tool_calls ?? [];
    if (calls.length === 0) return;
    const chosen = dice(calls.length);
    rewrite.message = {
      ...rewrite.message,
      tool_calls:
        dice(2) === 0
          ? calls.filter((_, at) => at !== chosen)
          : calls.map((given, at) =>
              at === chosen ? { ...given, function: { ...given.function, arguments: "new" } } : given,
            ),
    };
    rewrite.changed.add("calls");
  },
  (dice, rewrite) => {
    const key = pick(dice, ["created_at", "model", "usage"]);
    if (!(key in rewrite.message)) return;
    const { [key]: _gone, ...rest } = rewrite.message;
    rewrite.message = rest as HookMessage;
    rewrite.touched = true;
  },
  (_dice, rewrite) => {
    rewrite.message = { ...rewrite.message, mark: "m" };
    rewrite.touched = true;
  },
];

/** Returns a random rewrite of a conversation: some messages are changed, dropped, moved or added. */
function rewriteOf(
  dice: Dice,
  messages: readonly Message[],
  write: (messages: readonly Message[]) => HookMessage[],
): Rewritten[] {
  const all = write(messages).map(
    (message, index): Rewritten => ({
      message,
      source: messages[index] as Message,
      changed: new Set(),
      touched: false,
    }),
  );
  const kept = all.filter(() => dice(8) > 0);
  for (const rewrite of kept) {
    pick(dice, CHANGES)(dice, rewrite);
    if (rewrite.changed.size > 0) rewrite.touched = true;
  }
  if (dice(3) === 0) kept.sort(() => dice(3) - 1);
  if (dice(3) === 0) {
    const message: HookMessage = {
      role: "assistant",
      content: "added",
      reasoning_content: "added",
      thinking_signature: "forged",
    };
    kept.splice(dice(kept.length + 1), 0, { message, changed: new Set(), touched: true });
  }
  return kept;
}

const aspectOf = ({ type }: Block): Aspect =>
  type === "thinking" ? "thinking" : type === "tool_call" ? "calls" : "content";
const tokensIn = (value: unknown): string[] => JSON.stringify(value).match(/[wd]\d+q/g) ?? [];
const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed);
  return typeof value === "object" && value !== null
    ? Object.fromEntries(
        Object.entries(value)
          .toReversed()
          .map(([key, inner]) => [key, reversed(inner)]),
      )
    : value;
};

describe("any change of a conversation by hooks", () => {
  const throughChild = (messages: readonly Message[]): HookMessage[] =>
    JSON.parse(
      Bun.spawnSync(["cat"], { stdin: Buffer.from(JSON.stringify(messages.map(toHookMessage))) }).stdout.toString(),
    );

  test.each<[string, number, (messages: readonly Message[]) => HookMessage[]]>([
    ["in this process", ROUNDS, (messages) => messages.map(toHookMessage)],
    ["in another, which writes JSON", ROUNDS, seen],
    [
      "in another, which writes its keys in another order",
      ROUNDS,
      (messages) => reversed(seen(messages)) as HookMessage[],
    ],
    ["in a child process", 20, throughChild],
  ])("%s", (_name, rounds, write) => {
    for (let round = 0; round < rounds; round++) {
      const dice = diceFrom(SEED * 100_003 + round);
      const messages = conversation(dice);
      const rewrite = rewriteOf(dice, messages, write);
      const merged = applyHookRewrite(
        messages,
        rewrite.map(({ message }) => message),
      );
      const where = `seed ${SEED}, round ${round}`;
      expect(merged.length, where).toBe(rewrite.length);
      for (const [index, { message, source, changed, touched }] of rewrite.entries()) {
        const result = merged[index] as Message;
        if (!touched) expect(result, where).toBe(source as Message);
        checkData(result, source, changed, where);
        if (source && isKnown(message)) checkKept(result, source, changed, where);
        checkWords(result, message, source, changed, where);
      }
    }
  });

  /** Data stays on the block it was made for, in its original order. */
  function checkData(result: Message, source: Message | undefined, changed: Set<Aspect>, where: string): void {
    const carriers = result.blocks.filter((block) => "origin" in block && block.origin?.data !== undefined);
    const places = carriers.map((block) => source?.blocks.indexOf(block) ?? -1);
    expect(places, where).toEqual(places.toSorted((a, b) => a - b));
    expect(places, where).not.toContain(-1);
    const signs = carriers.some(({ type }) => type === "thinking");
    if (source && signs) expect(outlineOf(result), where).toBe(outlineOf(source));
    for (const block of carriers)
      if (aspectOf(block) !== "calls") expect(changed.has(aspectOf(block)), where).toBe(false);
  }

  /** A message without a time, calls or text could have any original. */
  function isKnown({ created_at, content, tool_calls = [], tool_call_id }: HookMessage): boolean {
    return Boolean(created_at ?? tool_call_id) || content !== "" || tool_calls.length > 0;
  }

  /** The order of texts, thoughts and calls. */
  function outlineOf({ blocks }: Message): string {
    return blocks.map((block) => (block.type === "tool_call" ? block.id : block.type)).join();
  }

  function checkKept(result: Message, source: Message, changed: Set<Aspect>, where: string): void {
    const hasOtherOutline = outlineOf(result) !== outlineOf(source);
    for (const block of flatBlocks(source)) {
      if (changed.has(aspectOf(block)) || (block.type === "thinking" && hasOtherOutline)) continue;
      expect(flatBlocks(result), where).toContain(block);
    }
    if (changed.size === 0) expect(result.blocks, where).toEqual(source.blocks);
  }

  /** Models see what the hook wrote: nothing it removed is left in any block, nothing it kept is missing. */
  function checkWords(
    result: Message,
    message: HookMessage,
    source: Message | undefined,
    changed: Set<Aspect>,
    where: string,
  ): void {
    expect(thinkingOf(result), where).toBe(message.reasoning_content ?? "");
    expect(
      toolCallsOf(result).map(({ id, arguments: input }) => [id, input]),
      where,
    ).toEqual((message.tool_calls ?? []).map(({ id, function: { arguments: input } }) => [id, input]));
    if (!source) return;
    const shownBefore = toHookMessage(source);
    const sameContent = message.content === shownBefore.content;
    const allowed = new Set([
      ...tokensIn({ ...message, ...(sameContent && changed.has("content") ? { content: "" } : {}) }),
      ...tokensIn(source.blocks.filter((block) => !changed.has(aspectOf(block)))),
      ...toolCallsOf(source).flatMap((block) => (toolCallsOf(result).includes(block) ? tokensIn(block) : [])),
    ]);
    for (const token of tokensIn(result)) expect(allowed.has(token), `${where}: ${token}`).toBe(true);
  }
});
