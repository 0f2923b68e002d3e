import { expect, test } from "bun:test";
import {
  type Block,
  type Message,
  resultOf,
  textMessage,
  textOf,
  toolCallsOf,
  toolResult,
} from "../../../src/model/messages/message.ts";
import { NO_LIMITS } from "../../../src/runtime/agent/agent.ts";
import { type CompactionCause, compact } from "../../../src/runtime/compaction/compaction.ts";
import { cleanConversation } from "../../../src/runtime/prompt/clean-up.ts";
import { conversationOf, SUMMARY_PREFIX } from "../../../src/runtime/prompt/conversation.ts";
import { estimateAll } from "../../../src/runtime/prompt/estimate-tokens.ts";
import type { Session, SessionItem } from "../../../src/runtime/session/session.ts";
import { createStream } from "../../../src/runtime/turns/run-stream.ts";
import { randomFrom } from "../../helpers/dice.ts";
import { begin, script } from "../harness.ts";

const ROUNDS = 300;
const LIMIT = 4000;

/** Returns a random conversation of a few turns. */
function conversation(next: () => number): SessionItem[] {
  const items: SessionItem[] = [];
  const upTo = (most: number) => Math.floor(next() * (most + 1));
  const text = () => `${"word ".repeat(next() < 0.1 ? upTo(3000) : upTo(60))}${upTo(999_999)}`;
  const add = (message: Message, flags: { implicit?: true; withheld?: true } = {}) => {
    items.push({ kind: "message", agent: "root", message: { ...message, createdAt: `t${items.length}` }, ...flags });
  };
  const turns = 1 + upTo(4);
  for (let turn = 0; turn < turns; turn++) {
    if (next() < 0.1) add(textMessage("system", "a rule of the task"));
    add(textMessage("user", text()), next() < 0.1 ? { withheld: true } : {});
    for (let step = upTo(6); step > 0; step--) {
      const ids = Array.from({ length: 1 + upTo(2) }, (_, index) => `call_${items.length}_${index}`);
      const calls = ids.map(
        (id): Block => ({ type: "tool_call", id, name: "look", arguments: JSON.stringify({ at: text() }) }),
      );
      add({ role: "assistant", blocks: [{ type: "thinking", text: "hm" }, ...calls] });
      for (const id of ids) {
        const image = { type: "image", source: { kind: "url", url: "https://example.com/a.png" } } as const;
        if (next() < 0.97)
          add(toolResult(id, [{ type: "text", text: text() }, ...(next() < 0.05 ? [image] : [])], next() < 0.1));
      }
      if (next() < 0.1) add(textMessage("user", text()), next() < 0.3 ? { implicit: true } : {});
      if (next() < 0.05) items.push({ kind: "error", agent: "root", text: "failed" });
    }
    if (turn < turns - 1 || next() < 0.3) add(textMessage("assistant", text()));
  }
  return items;
}

/** Returns the messages of the user that wait for an answer. */
function openQuestions(items: readonly SessionItem[]): string[] {
  const messages = items.flatMap((item) => (item.kind === "message" && !item.withheld ? [item.message] : []));
  const answer = messages.findLastIndex((message) => message.role === "assistant" && toolCallsOf(message).length === 0);
  return messages
    .slice(answer + 1)
    .filter(({ role }) => role === "user")
    .map(textOf);
}

/** Returns every call of a conversation with the text of its result, if it has both. */
function pairsOf(messages: readonly Message[]): string[] {
  return messages.flatMap((message, index) =>
    toolCallsOf(message).map((call, at) => {
      const result = messages[index + 1 + at];
      const answered = result && resultOf(result);
      return answered?.callId === call.id ? call.id : `${call.id} without a result`;
    }),
  );
}

async function check(seed: number): Promise<string> {
  const next = randomFrom(seed);
  const model = script([], { contextLimit: LIMIT });
  model.stream = async ({ maxTokens = 0, messages, tools }) => {
    expect(tools).toEqual([]);
    expect(estimateAll(messages) + maxTokens).toBeLessThanOrEqual(LIMIT + 50);
    expect(messages.every((message) => message.role !== "tool" && toolCallsOf(message).length === 0)).toBeTrue();
    const length = Math.floor(next() * maxTokens * 1.2);
    const ended = length > maxTokens ? "length" : "stop";
    return { blocks: [{ type: "text", text: "so ".repeat(Math.min(length, maxTokens)) }], finishReason: ended };
  };
  const run = await begin({ model });
  const { session, runtime } = run;
  session.items.push(...conversation(next));
  const stream = createStream(runtime, session, new AbortController().signal);
  const agent = runtime.team.agents.get("root");
  if (!agent) throw new Error("the team has no agent root");
  const outcomes: string[] = [];
  for (let again = 0; again < 2; again++) {
    const refused = estimateAll(conversationOf(session));
    const cause: CompactionCause =
      next() < 0.5 ? { source: "manual", reason: "manual" } : { source: "overflow", reason: "overflow", refused };
    const before = structuredClone(session);
    const outcome = await compact({ stream, agent, model }, cause);
    outcomes.push(outcome);
    if (outcome !== "applied") {
      expect(session.items).toEqual(before.items);
      continue;
    }
    checkApplied(session, before, cause);
    if (next() < 0.5) session.items.push(...conversation(next));
  }
  return outcomes.join();
}

function checkApplied(session: Session, before: Session, cause: CompactionCause): void {
  const sent = conversationOf(session);
  const clean = cleanConversation(sent, NO_LIMITS);
  expect(pairsOf(clean).filter((pair) => pair.endsWith("without a result"))).toEqual([]);
  // The record loses nothing, and everything that is sent comes from it.
  const plain = (items: readonly SessionItem[]) =>
    items.map((item) => (item.kind === "message" ? { ...item, cutTo: undefined } : item));
  expect(plain(session.items).slice(0, before.items.length)).toEqual(plain(before.items));
  const known = new Set(before.items.flatMap((item) => (item.kind === "message" ? [item.message.createdAt] : [])));
  expect(
    sent.every((message) => known.has(message.createdAt) || textOf(message).startsWith(SUMMARY_PREFIX)),
  ).toBeTrue();
  // A step is kept with all its results, or not at all.
  const calls = new Set(sent.flatMap((message) => toolCallsOf(message).map(({ id }) => id)));
  const results = new Set(sent.flatMap((message) => resultOf(message)?.callId ?? []));
  for (const id of results) expect(calls.has(id)).toBeTrue();
  for (const message of conversationOf(before).filter((each) => resultOf(each))) {
    const id = resultOf(message)?.callId ?? "";
    expect(results.has(id)).toBe(calls.has(id));
  }
  const newest = openQuestions(before.items).at(-1);
  if (newest !== undefined) expect(sent.map(textOf)).toContain(newest);
  const instructions = (messages: readonly Message[]) => messages.filter(({ role }) => role === "system").length;
  expect(instructions(sent)).toBe(instructions(conversationOf(before)));
  if (cause.refused !== undefined && cause.refused >= 512)
    expect(estimateAll(sent)).toBeLessThan(Math.min(LIMIT, cause.refused));
}

test("a compacted conversation is whole: its question, its calls with their results, its record, its size", async () => {
  const outcomes = new Map<string, number>();
  for (let seed = 1; seed <= ROUNDS; seed++) {
    try {
      for (const outcome of (await check(seed)).split(",")) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    } catch (error) {
      throw new Error(`seed ${seed}`, { cause: error });
    }
  }
  // The random conversations cover several kinds.
  for (const outcome of ["applied", "skipped", "failed"]) expect(outcomes.get(outcome)).toBeGreaterThan(5);
});
