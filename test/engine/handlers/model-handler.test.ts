import { describe, expect, test } from "bun:test";
import { defineHook, type HookDefinition, type HookEntry } from "../../../src/config/hooks/read-hooks.ts";
import { Executor } from "../../../src/engine/executor.ts";
import type { HandlerEnvironment } from "../../../src/engine/handler.ts";
import { type ModelClient, modelHandler, SYSTEM_PROMPT } from "../../../src/engine/handlers/model-handler.ts";
import { newRegistry } from "../../../src/engine/registry.ts";
import type { EventName } from "../../../src/protocol/events.ts";
import { ShapeRegistry } from "../../../src/protocol/reply-schemas.ts";

/** A client that replies from its script, in order, and records the questions. */
function scripted(...replies: (string | Error)[]) {
  const asked: Parameters<ModelClient["ask"]>[] = [];
  const client: ModelClient = {
    async ask(...question) {
      asked.push(question);
      const reply = replies.shift();
      if (reply === undefined) throw new Error("asked once too often");
      if (reply instanceof Error) throw reply;
      return reply;
    },
  };
  return { client, asked };
}

const judge = {
  model: "openai/gpt-4o-mini",
  prompt: "{{ .ToolName }} {{ .ToolInput | toJSON }}",
  schema: "pre_tool_use_decision",
};

function executor(
  event: EventName,
  keys: Partial<HookDefinition>,
  client: ModelClient | undefined,
  shapes?: ShapeRegistry,
): Executor {
  const hook = defineHook({ type: "model", ...keys });
  const entry: HookEntry = { event, matcher: "", lane: "default", path: [], source: async () => "test", hook };
  return new Executor([entry], { registry: newRegistry().register("model", modelHandler(client, shapes)) });
}

const call = { tool_name: "shell", tool_input: { cmd: "ls" } };

test("a reply without a schema causes a warning on an event that takes no context", async () => {
  const warnings: string[] = [];
  const warned = async (event: "pre_tool_use" | "post_tool_use") => {
    const { client } = scripted("looks dangerous");
    return executor(event, { ...judge, schema: "" }, client).dispatch(event, call, {
      warn: (message) => warnings.push(message),
    });
  };
  expect(await warned("post_tool_use")).toEqual({ allowed: true, additional_context: "looks dangerous" });
  expect(warnings).toEqual([]);
  expect(await warned("pre_tool_use")).toEqual({ allowed: true });
  expect(warnings).toEqual([
    'pre_tool_use hook "model": its reply has no effect: pre_tool_use takes no context; a schema makes it a verdict',
  ]);
});

describe("a judge", () => {
  test("whose reply decides nothing fails with a cure", async () => {
    const handler = modelHandler(scripted("perhaps").client)(defineHook({ type: "model", ...judge }), {
      event: "pre_tool_use",
    } as HandlerEnvironment);
    const result = await handler.run({ value: call, json: () => "" }, new AbortController().signal);
    expect(result).toMatchObject({ kind: "failed", help: { cure: expect.stringContaining("take a stronger model") } });
  });

  test("is asked with the rendered prompt and the schema, and its verdict is announced", async () => {
    const { client, asked } = scripted('{"decision":"allow","reason":"harmless"}');
    const result = await executor("pre_tool_use", judge, client).dispatch("pre_tool_use", call);
    expect(result).toMatchObject({
      allowed: true,
      decision: "allow",
      decision_reason: "harmless",
      system_message: "🤖 model judge: allow — harmless",
    });
    const [spec, system, user, schema] = asked[0] ?? [];
    expect([spec, system, user]).toEqual(["openai/gpt-4o-mini", SYSTEM_PROMPT, 'shell {"cmd":"ls"}']);
    expect(schema?.name).toBe("pre_tool_use_decision");
    expect(asked).toHaveLength(1);
  });

  test("is asked with its own system prompt, as it is written", async () => {
    const { client, asked } = scripted('{"decision":"allow","reason":"harmless"}');
    const own = { ...judge, system_prompt: "Be strict with {{ .ToolName }}." };
    await executor("pre_tool_use", own, client).dispatch("pre_tool_use", call);
    expect(asked[0]?.[1]).toBe("Be strict with {{ .ToolName }}.");
  });

  test("denies in upper or lower case", async () => {
    const { client } = scripted('{"decision":"DENY","reason":""}');
    expect(await executor("pre_tool_use", judge, client).dispatch("pre_tool_use", call)).toMatchObject({
      allowed: false,
      decision: "deny",
      message: "no reason provided",
    });
  });

  test("can answer a permission request; ask leaves it open", async () => {
    const { client } = scripted('{"decision":"allow","reason":"ok"}', '{"decision":"ask","reason":"hm"}');
    const hooks = executor("permission_request", judge, client);
    expect(await hooks.dispatch("permission_request", call)).toMatchObject({ allowed: true, permission_allowed: true });
    expect((await hooks.dispatch("permission_request", call)).permission_allowed).toBeUndefined();
  });

  test.each([
    ["an empty reply", "", "interpret reply: empty model reply"],
    ["prose", "sure, go on", "interpret reply: no JSON object in reply"],
    ["an unknown decision", '{"decision":"yes"}', 'interpret reply: invalid decision "yes" (want allow|ask|deny)'],
    ["two verdicts", '{"decision":"allow"} {"decision":"deny"}', "interpret reply: parse decision json: "],
    ["an error of the client", new Error("503"), "model openai/gpt-4o-mini: 503"],
  ])("that comes back with %s blocks the call, also with on_error ignore", async (_name, reply, message) => {
    const { client } = scripted(reply);
    const hooks = executor("pre_tool_use", { ...judge, on_error: "ignore" }, client);
    const result = await hooks.dispatch("pre_tool_use", call);
    expect(result.allowed).toBe(false);
    expect(result.message).toContain(message);
    expect(result.decision).toBeUndefined();
  });

  test("that does not reply in time blocks the call, even with on_error ignore, and its signal aborts", async () => {
    const stopped = Promise.withResolvers<void>();
    const client: ModelClient = {
      ask: (_spec, _system, _user, _schema, signal) => {
        signal.addEventListener("abort", () => stopped.resolve());
        return new Promise(() => {});
      },
    };
    const hooks = executor("pre_tool_use", { ...judge, timeout: 1, on_error: "ignore" }, client);
    const result = await hooks.dispatch("pre_tool_use", call);
    expect(result.allowed).toBe(false);
    expect(result.message).toContain("timed out after 1s");
    await stopped.promise;
  });
});

describe("a model hook without a schema", () => {
  test("adds the trimmed reply as context and sends no schema", async () => {
    const { client, asked } = scripted("  mind the tests \n");
    const hooks = executor("turn_start", { model: "m/x", prompt: "Hints?" }, client);
    expect((await hooks.dispatch("turn_start", {})).additional_context).toBe("mind the tests");
    expect(asked[0]?.[3]).toBeUndefined();
  });

  test("has no effect with an empty reply", async () => {
    const { client } = scripted(" ");
    const hooks = executor("turn_start", { model: "m/x", prompt: "Hints?" }, client);
    expect(await hooks.dispatch("turn_start", {})).toEqual({ allowed: true });
  });

  test("has no effect on an event that takes no context, even with strict_output", async () => {
    const { client } = scripted("text");
    const hooks = executor("pre_tool_use", { model: "m/x", prompt: "Hints?", strict_output: true }, client);
    expect(await hooks.dispatch("pre_tool_use", call)).toEqual({ allowed: true });
  });
});

describe("an invalid model hook fails", () => {
  test.each([
    ["an unknown field in the prompt", { prompt: "{{ .Foo }}" }, "render prompt: line 1: unknown field .Foo"],
    ["a template that does not parse", { prompt: "{{ .Foo" }, "parse prompt template: line 1: unclosed action"],
    ["an unknown schema", { schema: "nope" }, 'model hook: unknown schema "nope"'],
    ["no model", { model: "" }, "model hook requires a non-empty model"],
  ])("%s", async (_name, change, message) => {
    const { client, asked } = scripted('{"decision":"allow"}');
    const result = await executor("pre_tool_use", { ...judge, ...change }, client).dispatch("pre_tool_use", call);
    expect(result.allowed).toBe(false);
    expect(result.message).toContain(message);
    expect(asked).toHaveLength(0);
  });

  test("no client", async () => {
    const result = await executor("pre_tool_use", judge, undefined).dispatch("pre_tool_use", call);
    expect(result.allowed).toBe(false);
    expect(result.message).toContain("model hook: no ModelClient configured (runtime did not register one)");
  });
});

test("an embedder's shape reads the reply and sees the input", async () => {
  const { client, asked } = scripted("7");
  const shapes = new ShapeRegistry()
    .register("score", (reply, input) => ({ system_message: `${String(input["tool_name"])}: ${reply}` }))
    .registerSchema("score", { name: "score", schema: { type: "number" } });
  const hooks = executor("pre_tool_use", { ...judge, schema: "score" }, client, shapes);
  expect((await hooks.dispatch("pre_tool_use", call)).system_message).toBe("shell: 7");
  expect(asked[0]?.[3]?.schema).toEqual({ type: "number" });
});
