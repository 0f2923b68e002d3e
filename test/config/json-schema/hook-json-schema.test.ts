import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { defineHook, readHooks } from "../../../src/config/hooks/read-hooks.ts";
import { agentFileJsonSchema, hooksJsonSchema } from "../../../src/config/json-schema/agent-json-schema.ts";
import { hookInputJsonSchema, hookOutputJsonSchema } from "../../../src/config/json-schema/hook-json-schema.ts";
import { interpret } from "../../../src/engine/interpret.ts";
import { contractOf, EVENT_NAMES, type EventName } from "../../../src/protocol/events.ts";
import { buildInput, parseInput } from "../../../src/protocol/input.ts";

// A validator of others, so that what is generated is held against the standard and not against our reading of it.
// It compiles each definition once, where it is, because inlined ones take seconds.
const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, inlineRefs: false });
const accepts = {
  agent: ajv.compile(agentFileJsonSchema()),
  hooks: ajv.compile(hooksJsonSchema()),
  input: ajv.compile(hookInputJsonSchema()),
  output: ajv.compile(hookOutputJsonSchema()),
};

const COMMAND = { type: "command", command: "x" };

describe("a hooks block", () => {
  test.each(EVENT_NAMES.map((event) => [event] as const))(
    "of %s is accepted in its shape and refused in the other",
    (event: EventName) => {
      const group = { matcher: "shell", hooks: [COMMAND] };
      const [right, wrong] = contractOf(event).matcher ? [group, COMMAND] : [COMMAND, group];
      for (const block of [{ [event]: right }, { [event]: [right, right] }, { [event]: [] }, { [event]: null }])
        expect(accepts.hooks(block)).toBe(true);
      for (const block of [{ [event]: wrong }, { [event]: [right, wrong] }, { [event]: "x" }])
        expect(accepts.hooks(block)).toBe(false);
    },
  );

  test.each<[string, unknown]>([
    [
      "every key of a hook",
      {
        stop: {
          ...COMMAND,
          name: "n",
          args: ["a"],
          timeout: 5,
          env: { A: "b" },
          working_dir: "~",
          on_error: "ignore",
          strict_output: true,
        },
      },
    ],
    ["a rewriter", { pre_tool_use: { hooks: { ...COMMAND, rewrite: true } } }],
    ["a model's key on a command", { stop: { ...COMMAND, prompt: "p" } }],
    ["arguments on a model", { turn_start: { type: "model", model: "a/b", prompt: "p", args: ["a"] } }],
    [
      "empty keys of other types",
      {
        turn_start: { ...COMMAND, model: "", prompt: null },
        stop: { type: "model", model: "a/b", prompt: "p", args: [] },
      },
    ],
    [
      "an environment on a model",
      { turn_start: { type: "model", model: "a/b", prompt: "p", env: { A: "b" }, working_dir: "~" } },
    ],
    ["a model hook", { turn_start: { type: "model", model: "a/b", prompt: "p", schema: "" } }],
    ["the preempt lane", { pre_tool_use: { preempt_yolo: true, hooks: [COMMAND] } }],
    ["an own hook", { pre_tool_use: [{ hooks: { type: "builtin", command: "./guard.ts" } }] }],
    ["nothing", {}],
    ["an unknown event", { noon: COMMAND }],
    ["an unknown key", { stop: { ...COMMAND, comand: "x" } }],
    ["an unknown type", { stop: { type: "webhook", command: "x" } }],
    ["no type", { stop: { command: "x" } }],
    ["an unknown policy", { stop: { ...COMMAND, on_error: "maybe" } }],
    ["a negative timeout", { stop: { ...COMMAND, timeout: -1 } }],
    ["a timeout that is not a whole number", { stop: { ...COMMAND, timeout: 1.5 } }],
    ["variables that are not texts", { stop: { ...COMMAND, env: { A: 1 } } }],
    ["a list of events", [{ stop: COMMAND }]],
  ])("with %s is judged as loading it does", (_name, block) => {
    expect(accepts.hooks(block)).toBe(readHooks(block, []).problems.length === 0);
  });
});

describe("the example files", () => {
  const root = join(import.meta.dir, "../../../examples");
  const files = readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => /(^|\/)(agent|hooks)\.yaml$/.test(name))
    .sort();

  test("are found", () => {
    expect(files.length).toBeGreaterThanOrEqual(3);
  });

  test.each(files.map((file) => [file]))("%s is accepted", async (file) => {
    const value: unknown = Bun.YAML.parse(await Bun.file(join(root, file)).text());
    const check = file.endsWith("agent.yaml") ? accepts.agent : accepts.hooks;
    expect([check(value), check.errors]).toEqual([true, null]);
  });
});

describe("an input", () => {
  test.each(EVENT_NAMES.map((event) => [event] as const))(
    "of %s is accepted as it is built, with every field at once",
    (event: EventName) => {
      const values: Record<string, unknown> = {
        tool_input: { a: 1 },
        tool_read_only: true,
        tool_error: true,
        tool_response: { any: "thing" },
        iteration: 2,
        messages: [{ role: "user", content: "hi", extra: 1 }],
        steering_messages: ["a"],
        notification_level: "error",
        from_agent_models: [{ provider: "p" }],
        previous_max_iterations: 1,
        new_max_iterations: 11,
        approval_decision: "allow",
        approval_hooks: [
          { event: "tool_guard", name: "n", type: "command", source: "s", outcome: "blocked", duration_ms: 1.5 },
        ],
        usage: { input_tokens: 1 },
        cost: 0.5,
        input_tokens: 1,
        output_tokens: 2,
        context_limit: 3,
        compaction_reason: "manual",
        stop_hook_active: true,
        has_tool_calls: true,
        guard_retries: 1,
        max_guard_retries: 8,
        conversation: [{ role: "user", content: "hi" }],
        skill: { name: "s", source: "local", content: "text" },
        prompt_file: { content: "text" },
        ...(event === "prompt_file_guard" ? { source: "loaded" } : {}),
      };
      const fields = contractOf(event).fields.map((field) => [field, values[field] ?? "text"] as const);
      const input = buildInput(event, { ...Object.fromEntries(fields), field_of_tomorrow: 1 }, "/");
      expect([accepts.input(input), accepts.input.errors]).toEqual([true, null]);
      expect(typeof parseInput(input)).toBe("object");
      const bare = buildInput(event, contractOf(event).matcher ? { tool_name: "shell" } : {}, "/");
      expect(accepts.input(bare)).toBe(true);
      expect(accepts.input({ ...bare, hook_event_name: "noon" })).toBe(false);
      expect(accepts.input({ ...bare, session_id: undefined })).toBe(false);
    },
  );

  test.each<[string, Record<string, unknown>]>([
    ["arguments that are not an object", { hook_event_name: "pre_tool_use", tool_name: "shell", tool_input: "rm" }],
    ["a tool event without a tool", { hook_event_name: "pre_tool_use" }],
    ["messages that are not a list", { hook_event_name: "before_llm_call", messages: "hi" }],
    ["an iteration that is not a whole number", { hook_event_name: "before_llm_call", iteration: 1.5 }],
    ["an unknown level", { hook_event_name: "notification", notification_level: "info" }],
  ])("with %s is refused, as dispatch refuses it", (_name, fields) => {
    const input = { session_id: "", cwd: "", ...fields };
    expect(accepts.input(input)).toBe(false);
    expect(typeof parseInput(input)).toBe("string");
  });
});

describe("an output", () => {
  const specific = (fields: object) => ({ hook_specific_output: fields });

  test.each<[string, unknown]>([
    ["nothing", {}],
    ["a block", { decision: "block", reason: "r" }],
    ["a stop", { continue: false, stop_reason: "r", system_message: "m", suppress_output: true }],
    ["an allow", { decision: "allow" }],
    [
      "a verdict",
      specific({ hook_event_name: "pre_tool_use", permission_decision: "ask", permission_decision_reason: "r" }),
    ],
    [
      "rewrites",
      specific({
        updated_input: { a: 1 },
        updated_tool_response: "",
        updated_messages: [{ role: "user", content: "x" }],
      }),
    ],
    [
      "context, summary and metadata",
      specific({
        additional_context: "c",
        summary: "s",
        metadata: { k: "v" },
        instruction_context: [{ key: "k", content: "c" }],
      }),
    ],
    ["nulls", { continue: null, decision: null, reason: null, hook_specific_output: null }],
    ["nulls further in", specific({ permission_decision: null, updated_input: null })],
    [
      "nulls inside messages",
      specific({
        updated_messages: [
          null,
          { role: "user", content: null, tool_calls: null, multi_content: [null, { type: "text", text: null }] },
        ],
      }),
    ],
    ["a null for the role of a message", specific({ updated_messages: [{ role: null, content: "x" }] })],
    [
      "nulls inside metadata and instructions",
      specific({ metadata: { k: null }, instruction_context: [null, { content: null }] }),
    ],
    ["nulls inside arguments", specific({ updated_input: { a: null } })],
    ["unknown keys next to known ones", { tomorrow: 1, ...specific({ tomorrow: 1, metadata: {} }) }],
    ["a continue that is not a boolean", { continue: "no" }],
    ["an unknown decision", { decision: "deny" }],
    ["an unknown verdict", specific({ permission_decision: "maybe" })],
    ["arguments that are a list", specific({ updated_input: [] })],
    ["a response that is not a text", specific({ updated_tool_response: { a: 1 } })],
    ["messages without a role", specific({ updated_messages: [{ content: "x" }] })],
    ["metadata that is not a text", specific({ metadata: { k: 1 } })],
    ["a specific part that is not an object", { hook_specific_output: "x" }],
    ["a list", []],
    ["a text", "allow"],
  ])("with %s is judged as a hook that gives it is", (_name, output) => {
    const asked = {
      event: "pre_tool_use",
      contract: contractOf("pre_tool_use"),
      hook: defineHook({ type: "command" }),
    } as const;
    const stdout = JSON.stringify(output);
    // What is no object at all is plain text to a command, and no output.
    const outcome = interpret(asked, { kind: "exited", exitCode: 0, stdout, stderr: "" });
    expect(accepts.output(output)).toBe(outcome.kind !== "failed" && outcome.kind !== "said");
  });

  test("may name every event", () => {
    for (const event of EVENT_NAMES) expect(accepts.output(specific({ hook_event_name: event }))).toBe(true);
  });
});
