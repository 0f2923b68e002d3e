import { expect, test } from "bun:test";
import { defineHook, type HookEntry } from "../../src/config/hooks/read-hooks.ts";
import { Executor } from "../../src/engine/executor.ts";
import type { EventName } from "../../src/protocol/events.ts";

const TOKEN = ["ghp", "AbCdEfGhIjKlMnOpQrStUvWxYz0123456789"].join("_");
const LARGE = "nothing to see here\n".repeat(20_000);

function redaction(event: EventName): Executor {
  const hook = defineHook({ type: "builtin", command: "redact_secrets" });
  const entry: HookEntry = { hook, event, matcher: "", lane: "default", path: [], source: async () => "test" };
  return new Executor([entry]);
}

test.each([
  ["small", "x"],
  ["large", LARGE],
])("a %s input is redacted, with any values next to its texts", async (_size, padding) => {
  const tool_input = { text: `${TOKEN} ${padding}`, n: 1, nothing: undefined, list: [null, { deep: TOKEN }] };
  const { modified_input } = await redaction("pre_tool_use").dispatch("pre_tool_use", {
    tool_name: "shell",
    tool_input,
  });
  expect(modified_input).toEqual({ text: `[REDACTED] ${padding}`, n: 1, list: [null, { deep: "[REDACTED]" }] });
  expect(tool_input.text).toStartWith(TOKEN);
});

test.each([
  ["small", "x"],
  ["large", LARGE],
])("a %s input that holds itself blocks the call, with the reason", async (_size, padding) => {
  const tool_input: Record<string, unknown> = { text: `${TOKEN} ${padding}` };
  tool_input["self"] = { tool_input };
  const result = await redaction("pre_tool_use").dispatch("pre_tool_use", { tool_name: "shell", tool_input });
  expect(result).toMatchObject({ allowed: false, message: expect.stringContaining("failed to serialize hook input") });
});

test("an input whose values define their own JSON is redacted in its JSON form", async () => {
  const tool_input = { when: new Date(0), text: TOKEN, not: NaN };
  const { modified_input } = await redaction("pre_tool_use").dispatch("pre_tool_use", {
    tool_name: "shell",
    tool_input,
  });
  expect(modified_input).toMatchObject({ text: "[REDACTED]" });
});

test("messages of several megabytes are returned complete, with only the secrets replaced", async () => {
  const messages = Array.from({ length: 300 }, (_, n) => ({
    role: "user" as const,
    content: `${LARGE.slice(0, 10_000)}${n % 100 === 0 ? TOKEN : ""}`,
    custom: { n, 漢: `€${n}` },
  }));
  const { updated_messages } = await redaction("before_llm_call").dispatch("before_llm_call", { messages });
  expect(updated_messages).toEqual(
    messages.map((message) => ({ ...message, content: message.content.replace(TOKEN, "[REDACTED]") })),
  );
});
