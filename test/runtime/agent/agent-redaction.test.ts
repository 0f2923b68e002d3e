import { describe, expect, test } from "bun:test";
import { Executor } from "../../../src/engine/executor.ts";
import { newRegistry } from "../../../src/engine/registry.ts";
import { type Block, type Message, textMessage, toolResult } from "../../../src/model/messages/message.ts";
import type { BuiltinInput } from "../../../src/protocol/builtin.ts";
import { compactSession } from "../../../src/runtime/conversation/session-lifecycle.ts";
import type { RunEvent } from "../../../src/runtime/events/run-events.ts";
import type { ScriptedCall } from "../../helpers/scripted-model.ts";
import { begin, entry, fakeShell } from "../harness.ts";

const secret = ["ghp", "a1B2".repeat(9)].join("_");

/** Returns the inputs of the hooks after the redaction, and the run events, for calls that all hold the secret. */
async function runCalls(...calls: ScriptedCall[]): Promise<{ seen: BuiltinInput[]; reports: RunEvent[] }> {
  const seen: BuiltinInput[] = [];
  const registry = newRegistry().registerBuiltin("look", (input) => void seen.push(input));
  const watched = ["tool_response_transform", "on_tool_approval_decision"] as const;
  const hooks = new Executor(
    [entry("pre_tool_use", "default", "redact_secrets"), ...watched.map((event) => entry(event, "default", "look"))],
    { registry },
  );
  const permissions = { allow: [], ask: [], deny: ["shell:cmd=rm*"] };
  const run = await begin({ steps: [{ calls }, "ok"], tools: [fakeShell()], agent: { hooks }, permissions });
  await run.say("go");
  return { seen, reports: run.reports };
}

test("the arguments of a call that never reaches the redacting hook are redacted too", async () => {
  const { seen, reports } = await runCalls(
    { name: "shell", arguments: { cmd: `rm ${secret}` } },
    { name: "nothing", arguments: { path: secret } },
    { name: "shell", arguments: `{"cmd": "${secret}"` },
  );
  expect(seen.map(({ hook_event_name, tool_input }) => [hook_event_name, tool_input])).toEqual([
    ["on_tool_approval_decision", { cmd: "rm [REDACTED]" }],
    ["tool_response_transform", { cmd: "rm [REDACTED]" }],
    ["tool_response_transform", { path: "[REDACTED]" }],
    ["tool_response_transform", undefined],
  ]);
  const shown = reports.filter((event) => event.type === "tool_call_response");
  expect(shown.map(({ tool_call }) => tool_call?.function.arguments)).toEqual([
    '{"cmd":"rm [REDACTED]"}',
    expect.not.stringContaining(secret),
    expect.not.stringContaining(secret),
  ]);
});

describe("a secret in any block of the conversation is not sent", () => {
  const base64 = Buffer.from(`the key: ${secret}`).toString("base64");
  const origin = { provider: "openai", api: "x", data: { signature: "opaque", repeats: `why ${secret}` } };
  const clean = { provider: "openai", api: "x", data: { signature: "kept" } };
  const call = (text: string, from = origin): Block => ({
    type: "tool_call",
    id: "c1",
    name: "look",
    arguments: JSON.stringify({ text }),
    origin: from,
  });
  const conversation: Message[] = [
    textMessage("user", `use ${secret}`),
    {
      role: "user",
      blocks: [
        { type: "text", text: "see" },
        { type: "image", source: { kind: "url", url: `https://x.example/${secret}.png` } },
        { type: "audio", source: { kind: "url", url: `https://x.example/${secret}.wav` } },
        { type: "document", name: `${secret}.txt`, source: { kind: "data", mimeType: "text/plain", data: base64 } },
      ],
    },
    {
      role: "assistant",
      blocks: [
        { type: "thinking", text: `why ${secret}`, origin },
        { type: "text", text: `so ${secret}`, origin },
        { type: "thinking", text: "", origin: clean },
        call(secret),
      ],
    },
    toolResult("c1", [
      { type: "text", text: `found ${secret}` },
      { type: "document", name: "a.txt", source: { kind: "data", mimeType: "text/plain", data: base64 } },
    ]),
    { role: "assistant", blocks: [{ type: "refusal", text: `not ${secret}` }] },
    {
      role: "assistant",
      blocks: [
        { type: "thinking", text: "", origin: clean },
        { type: "text", text: "done" },
      ],
    },
  ];

  async function talked(...steps: string[]) {
    const hooks = new Executor([entry("before_llm_call", "default", "redact_secrets")], { registry: newRegistry() });
    const run = await begin({ steps, agent: { hooks } });
    for (const message of conversation) run.session.items.push({ kind: "message", agent: "root", message });
    await run.say(`again ${secret}`);
    return run;
  }

  function expectClean(messages: readonly Message[] | undefined): void {
    const sent = JSON.stringify(messages);
    expect(sent).not.toContain(secret);
    expect(sent).not.toContain(base64);
    expect(sent).not.toContain("opaque");
    expect(sent.match(/REDACTED/g)?.length).toBeGreaterThan(6);
    expect(sent).toContain("the key: [REDACTED]");
  }

  test("by a model call", async () => {
    const { model } = await talked("fine");
    expectClean(model.calls[0]?.messages);
    // An argument without a secret stays as it is.
    expect(model.calls[0]?.messages).toContain(conversation.at(-1) as Message);
  });

  test("by a compaction, whichever hook of the agent finds it", async () => {
    const hook = entry("before_llm_call", "default", "redact_secrets");
    const lenient = { ...hook, hook: { ...hook.hook, args: ["generic=off"] } };
    const run = await begin({
      steps: ["fine", "the summary"],
      agent: { hooks: new Executor([lenient, hook], { registry: newRegistry() }) },
    });
    const bearer = ["Zk3vQ9xT2m", "Lw8RbY5nJc", "P7dHs4GfA1"].join("");
    await run.say(`curl -H "Authorization: Bearer ${bearer}" https://api.example`);
    await compactSession(run.runtime, run.session, "", new AbortController().signal);
    expect(run.model.calls).toHaveLength(2);
    expect(JSON.stringify(run.model.calls)).not.toContain(bearer);
  });

  test("by a compaction", async () => {
    const { model, runtime, session } = await talked("fine", "the summary");
    await compactSession(runtime, session, "", new AbortController().signal);
    expectClean(model.calls[1]?.messages);
  });
});
