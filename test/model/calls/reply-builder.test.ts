import { heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import { startReply } from "../../../src/model/calls/reply-builder.ts";

const DELTAS = 50_000;

/** Strings that are alive. */
function countStrings(): number {
  Bun.gc(true);
  return heapStats().objectTypeCounts["string"] ?? 0;
}

/** A token as it is parsed from a stream: a string of its own. */
function token(number: number): string {
  return JSON.parse(JSON.stringify(` ${number.toString(36)}`)) as string;
}

test("a reply that arrives in many deltas is kept as a few strings", () => {
  const reply = startReply(() => {}, { provider: "test", api: "chat" });
  const before = countStrings();
  for (let at = 0; at < DELTAS; at++) {
    reply.reasoning(token(at), { key: "thought" });
    reply.text(token(at), { key: "answer" });
    reply.toolCall({ key: "call", name: "shell", arguments: token(at) });
  }
  expect(countStrings() - before).toBeLessThan(DELTAS / 10);
  reply.finish("stop");
  const whole = Array.from({ length: DELTAS }, (_, at) => token(at)).join("");
  expect(reply.argumentsOf("call")).toBe(whole);
  expect(reply.build()?.blocks).toMatchObject([
    { type: "thinking", text: whole },
    { type: "text", text: whole },
    { type: "tool_call", arguments: whole },
  ]);
});
