import { describe, expect, test } from "bun:test";
import { type Message, textMessage, textOf, toolResult } from "../../../src/model/messages/message.ts";
import { fitTranscript, transcriptOf } from "../../../src/runtime/compaction/transcript.ts";
import { estimateAll } from "../../../src/runtime/prompt/estimate-tokens.ts";

const image = { type: "image", source: { kind: "url", url: "https://example.com/a.png" } } as const;

describe("a transcript", () => {
  test("describes calls and results, and holds nothing specific to their model", () => {
    const calls: Message = {
      role: "assistant",
      blocks: [
        { type: "thinking", text: "hm", origin: { provider: "anthropic", api: "anthropic", data: { signature: "s" } } },
        { type: "text", text: "Let me look." },
        { type: "tool_call", id: "1", name: "look", arguments: '{"at":"a"}' },
        { type: "tool_call", id: "2", name: "read", arguments: "{}" },
      ],
    };
    const messages = [
      textMessage("system", "rules"),
      { role: "user", blocks: [{ type: "text", text: "What is this?" }, image] } as const,
      calls,
      toolResult("1", [{ type: "text", text: "seen" }, image]),
      toolResult("2", [{ type: "text", text: "no" }], true),
      textMessage("assistant", "A cat."),
    ];
    expect(transcriptOf(messages)).toEqual([
      textMessage("user", "What is this?\n[image]"),
      textMessage("assistant", 'Let me look.\n[called look with {"at":"a"}]\n[called read with {}]'),
      textMessage("user", "[result of look]\nseen\n[image]\n\n[error of read]\nno"),
      textMessage("assistant", "A cat."),
    ]);
  });

  test("that is too long loses the middle of its longest texts, then its oldest messages, an earlier summary last", () => {
    const summary = textMessage("user", `Session Summary: ${"s".repeat(350)}`);
    const short = textMessage("user", "short");
    const long = textMessage("assistant", "long ".repeat(2000));
    const fitted = fitTranscript([summary, short, long, short], 1500);
    expect(fitted).toHaveLength(4);
    expect([fitted[0], fitted[1], fitted[3]]).toEqual([summary, short, short]);
    expect(fitted.map(textOf)[2]).toMatch(/^long [^]*characters cut[^]*long $/);
    const many = Array.from({ length: 100 }, (_, index) => textMessage("user", `${index} `.repeat(200)));
    const few = fitTranscript([summary, ...many], 1500);
    expect(few[0]).toEqual(summary);
    expect(few.map(textOf)[1]).toMatch(/^\[\d\d earlier messages left out\]$/);
    expect(few.map(textOf).at(-1)).toStartWith("99 ");
    expect(estimateAll(few)).toBeLessThanOrEqual(1500);
  });

  test("never cuts a character in two", () => {
    const [cut] = fitTranscript([textMessage("user", "😀".repeat(5000))], 200);
    expect(cut && textOf(cut).isWellFormed()).toBeTrue();
  });
});
