import { describe, expect, test } from "bun:test";
import { defineHook } from "../../../src/config/hooks/read-hooks.ts";
import { Executor } from "../../../src/engine/executor.ts";
import { newRegistry } from "../../../src/engine/registry.ts";
import { freezeJson } from "../../../src/lib/frozen.ts";
import { rememberSecret } from "../../../src/lib/secrets/known-secrets.ts";
import type { Builtin, BuiltinRow } from "../../../src/protocol/builtin.ts";
import type { Message } from "../../../src/protocol/fields.ts";
import { diceFrom, pick } from "../../helpers/dice.ts";

const TOKEN = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;

function executor(args: readonly string[] = [], row?: Partial<BuiltinRow> & { load: BuiltinRow["load"] }): Executor {
  const registry = newRegistry();
  if (row)
    registry.registerBuiltin("redact_secrets", {
      summary: "",
      events: "any",
      thread: "inline",
      rewrites: true,
      redaction: "does",
      perMessage: true,
      ...row,
    });
  const hook = defineHook({ type: "builtin", command: "redact_secrets", args: [...args] });
  const source = async () => "test";
  return new Executor([{ hook, event: "before_llm_call", matcher: "", lane: "default", path: [], source }], {
    registry,
  });
}

const said = (content: string): Message => freezeJson<Message>({ role: "user", content });

async function redact(hooks: Executor, messages: Message[]) {
  const { result, redacted } = await hooks.dispatch("before_llm_call", { messages }, { details: true });
  return { allowed: result.allowed, messages: result.updated_messages ?? messages, redacted };
}

describe("the redaction of a conversation", () => {
  test("finds in messages that cannot change what it finds in copies of them, in each request", async () => {
    const hooks = executor();
    const dice = diceFrom(7);
    const texts = [
      "hello",
      `token ${TOKEN}`,
      "export API_PASSWORD='Xk9vQ2mT7zLp4Rw8'",
      "x".repeat(200_000),
      "y".repeat(270_000),
    ];
    const conversation: Message[] = [];
    for (let turn = 0; turn < 25; turn++) {
      const secret = pick(dice, texts);
      const call = { id: `c${turn}`, type: "function", function: { name: "f", arguments: JSON.stringify({ secret }) } };
      conversation.push(said(`${turn} ${pick(dice, texts)}`), freezeJson({ role: "assistant", tool_calls: [call] }));
      if (dice(4) === 0) conversation.splice(dice(conversation.length), 2);
      const once = await redact(hooks, [...conversation]);
      expect(once).toEqual(await redact(hooks, structuredClone(conversation)));
      expect(JSON.stringify(once.messages)).not.toContain(TOKEN);
    }
  }, 60_000);

  test("searches a message again that was changed in place, or replaced by one that looks like it", async () => {
    const hooks = executor();
    const open: Message = { role: "user", content: "clean" };
    const parts: Message = Object.freeze({ role: "user", multi_content: [{ type: "text", text: "clean" }] });
    const list = [said("first"), open, parts];
    expect((await redact(hooks, list)).messages).toBe(list);
    open.content = TOKEN;
    expect((await redact(hooks, list)).messages.at(1)).toEqual({ role: "user", content: "[REDACTED]" });
    open.content = "clean";
    Object.assign(parts.multi_content?.[0] ?? {}, { text: TOKEN });
    expect(JSON.stringify((await redact(hooks, list)).messages)).not.toContain(TOKEN);
    expect(JSON.stringify((await redact(hooks, [said("first"), said(TOKEN)])).messages)).not.toContain(TOKEN);
  });

  test("searches everything again once another secret is known", async () => {
    const hooks = executor();
    const list = [said("it is violet-otter-runs-9481"), said("nothing")];
    expect((await redact(hooks, list)).messages).toBe(list);
    rememberSecret("violet-otter-runs-9481");
    expect((await redact(hooks, list)).messages).toEqual([
      { role: "user", content: "it is [REDACTED]" },
      said("nothing"),
    ]);
  });

  test("hooks with other arguments search for themselves", async () => {
    const list = [said("export API_PASSWORD='Xk9vQ2mT7zLp4Rw8'")];
    expect((await redact(executor(["generic=off"]), list)).redacted).toEqual({});
    expect((await redact(executor(["generic=on"]), list)).redacted).not.toEqual({});
    expect((await redact(executor(["generic=on", "label"]), list)).messages[0]?.content).toContain("[REDACTED:");
  });
});

describe("a redaction that reads each message by itself", () => {
  /** Replaces `secret`, and notes the texts that it reads. */
  function scrubber() {
    const read: string[][] = [];
    const run: Builtin = ({ messages = [] }, _args, { redacted }) => {
      read.push(messages.map(({ content = "" }) => content));
      if (messages.some(({ content }) => content === "fails")) throw new Error("out of order");
      if (!messages.some(({ content }) => content === "secret")) return undefined;
      redacted?.({ word: messages.filter(({ content }) => content === "secret").length });
      const updated_messages = messages.map((each) => (each.content === "secret" ? { ...each, content: "[]" } : each));
      return { hook_specific_output: { updated_messages } };
    };
    return { read, run, load: async () => ({ run }) };
  }

  test("reads each of them once, and counts what it replaced in every request", async () => {
    const { read, load } = scrubber();
    const hooks = executor([], { load, inlineBelow: 10_000 });
    const list = [said("a"), said("secret"), said("secret"), said("b")];
    for (const more of [undefined, "c", "secret"]) {
      if (more) list.push(said(more));
      const { messages, redacted } = await redact(hooks, [...list]);
      expect(messages.map(({ content }) => content)).toEqual(
        list.map(({ content }) => (content === "secret" ? "[]" : content)),
      );
      expect(redacted).toEqual({ word: list.filter(({ content }) => content === "secret").length });
    }
    expect(read).toEqual([["a", "secret", "secret", "b"], ["a"], ["secret"], ["secret"], ["b"], ["c"], ["secret"]]);
  });

  test("a long conversation is read in parts, between which a deadline can end it", async () => {
    const { read, load } = scrubber();
    const list = Array.from({ length: 20 }, (_, n) => said(String(n).padEnd(100)));
    const stop = new AbortController();
    setTimeout(() => stop.abort());
    const hooks = executor([], {
      inlineBelow: 1000,
      load: async () => {
        const { run } = await load();
        return { run: async (...input) => (await Bun.sleep(2), run(...input)) };
      },
    });
    const result = await hooks.dispatch("before_llm_call", { messages: list }, { signal: stop.signal });
    expect(result.allowed).toBe(false);
    await Bun.sleep(20);
    expect(read.flat().length).toBeLessThan(20);
    expect((await redact(hooks, list)).allowed).toBe(true);
    expect(new Set(read.flat()).size).toBe(20);
    expect(Math.max(...read.map(({ length }) => length))).toBe(4);
  });

  test("a failure is not remembered", async () => {
    const { read, load } = scrubber();
    const hooks = executor([], { load, inlineBelow: 10_000 });
    const list = [said("a"), said("fails")];
    for (const _request of [1, 2]) expect((await redact(hooks, list)).allowed).toBe(false);
    expect(read).toEqual([
      ["a", "fails"],
      ["a", "fails"],
    ]);
  });

  test("another redaction under the same name shares nothing with it", async () => {
    const list = [said("secret")];
    const [first, second] = [scrubber(), scrubber()];
    await redact(executor([], { load: first.load }), list);
    await redact(executor([], { load: second.load }), list);
    expect([first.read, second.read]).toEqual([[["secret"]], [["secret"]]]);
  });

  test("one that may look across messages reads all of them each time", async () => {
    const { read, run } = scrubber();
    const registry = newRegistry().registerBuiltin("redact_secrets", {
      summary: "",
      events: "any",
      thread: "inline",
      rewrites: true,
      redaction: "does",
      load: async () => ({ run }),
    });
    const hook = defineHook({ type: "builtin", command: "redact_secrets" });
    const entry = { hook, event: "before_llm_call", matcher: "", lane: "default", path: [] } as const;
    const hooks = new Executor([{ ...entry, source: async () => "test" }], { registry });
    const list = [said("a"), said("b")];
    for (const _request of [1, 2]) await redact(hooks, list);
    expect(read).toEqual([
      ["a", "b"],
      ["a", "b"],
    ]);
  });
});
