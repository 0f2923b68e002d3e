import { describe, expect, test } from "bun:test";
import { defineHook, type HookEntry } from "../../src/config/hooks/read-hooks.ts";
import { Executor } from "../../src/engine/executor.ts";
import { newRegistry } from "../../src/engine/registry.ts";
import type { Builtin } from "../../src/protocol/builtin.ts";
import type { EventName } from "../../src/protocol/events.ts";

/** The same hooks, with a test redaction in place of the real one. */
function withRedaction(event: EventName, redaction: Builtin, ...others: Builtin[]): Executor {
  return withHooks(event, redaction, others, []);
}

/** Declared rewriters, then hooks that only observe, after the redaction. */
function withHooks(event: EventName, redaction: Builtin, others: Builtin[], declared: number[]): Executor {
  const registry = newRegistry().registerBuiltin("redact_secrets", {
    summary: "",
    events: "any",
    thread: "inline",
    rewrites: true,
    load: async () => ({ run: redaction }),
  });
  others.forEach((run, index) => registry.registerBuiltin(`other_${index}`, run));
  const names = ["redact_secrets", ...others.map((_run, index) => `other_${index}`)];
  const entries = names.map(
    (command, index): HookEntry => ({
      hook: defineHook({ type: "builtin", command, on_error: "ignore", rewrite: declared.includes(index - 1) }),
      event,
      matcher: "",
      lane: "default",
      path: [],
      source: async () => "test",
    }),
  );
  return new Executor(entries, { registry });
}

const fails: Builtin = () => {
  throw new Error("out of order");
};
const scrubs: Builtin = (input) => ({
  hook_specific_output: { updated_tool_response: String(input.tool_response).replaceAll("secret", "[REDACTED]") },
});

describe("a redaction that fails", () => {
  test("replaces the whole tool response and warns, with any on_error", async () => {
    const result = await withRedaction("tool_response_transform", fails).dispatch("tool_response_transform", {
      tool_name: "shell",
      tool_response: "a secret",
    });
    expect(result.updated_tool_response).toBe("[REDACTED]");
    expect(result.system_message).toContain("out of order");
  });

  test("blocks the model call", async () => {
    const result = await withRedaction("before_llm_call", fails).dispatch("before_llm_call", {
      messages: [{ role: "user", content: "a secret" }],
    });
    expect(result).toMatchObject({ allowed: false, message: expect.stringContaining("out of order") });
  });

  test("blocks the tool call", async () => {
    const result = await withRedaction("pre_tool_use", fails).dispatch("pre_tool_use", {
      tool_name: "shell",
      tool_input: { cmd: "ls" },
    });
    expect(result.allowed).toBe(false);
  });

  test("the second time keeps the response that it redacted the first time", async () => {
    let calls = 0;
    const once: Builtin = (input, args, context) =>
      calls++ === 0 ? scrubs(input, args, context) : fails(input, args, context);
    const undo: Builtin = () => ({ hook_specific_output: { updated_tool_response: "a secret again" } });
    const result = await withRedaction("tool_response_transform", once, undo).dispatch("tool_response_transform", {
      tool_name: "shell",
      tool_response: "a secret",
    });
    expect(result.updated_tool_response).toBe("a [REDACTED]");
  });
});

test("a redacted response that another hook rewrites is redacted again", async () => {
  const undo: Builtin = () => ({ hook_specific_output: { updated_tool_response: "a secret again" } });
  const result = await withRedaction("tool_response_transform", scrubs, undo).dispatch("tool_response_transform", {
    tool_name: "shell",
    tool_response: "x",
  });
  expect(result.updated_tool_response).toBe("a [REDACTED] again");
});

describe("a rewrite of a redacted payload", () => {
  const undo: Builtin = () => ({ hook_specific_output: { updated_tool_response: "a secret again" } });

  test("is redacted before the next rewriter and the observers see it", async () => {
    const seen: unknown[] = [];
    const look: Builtin = ({ tool_response }) => void seen.push(tool_response);
    const result = await withHooks("tool_response_transform", scrubs, [undo, look, look], [0, 1]).dispatch(
      "tool_response_transform",
      { tool_name: "shell", tool_response: "a secret" },
    );
    expect(seen).toEqual(["a [REDACTED] again", "a [REDACTED] again"]);
    expect(result.updated_tool_response).toBe("a [REDACTED] again");
  });

  test("is dropped if it cannot be redacted", async () => {
    let calls = 0;
    const once: Builtin = (input, args, context) => (calls++ === 0 ? scrubs : fails)(input, args, context);
    const result = await withHooks("tool_response_transform", once, [undo], [0]).dispatch("tool_response_transform", {
      tool_name: "shell",
      tool_response: "a secret",
    });
    expect(result.updated_tool_response).toBe("a [REDACTED]");
    expect(result.system_message).toContain("out of order");
  });

  test("is redacted on a sequential event too", async () => {
    const clean: Builtin = ({ tool_input }) => ({
      hook_specific_output: { updated_input: { cmd: String(tool_input?.["cmd"]).replace("secret", "[REDACTED]") } },
    });
    const leak: Builtin = () => ({ hook_specific_output: { updated_input: { cmd: "echo secret" } } });
    const result = await withHooks("tool_input_transform", clean, [leak], []).dispatch("tool_input_transform", {
      tool_name: "shell",
      tool_input: { cmd: "ls" },
    });
    expect(result.modified_input).toEqual({ cmd: "echo [REDACTED]" });
  });
});
