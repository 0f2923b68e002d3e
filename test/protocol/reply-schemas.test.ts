import { describe, expect, test } from "bun:test";
import { checkModelHook, type ShapeInput, ShapeRegistry } from "../../src/protocol/reply-schemas.ts";

const hook = { model: "openai/gpt-4o-mini", prompt: "{{ .ToolName }}", schema: "pre_tool_use_decision" };

function shaped(name: string, reply: string, event: ShapeInput["hook_event_name"]) {
  return new ShapeRegistry().shape(name)?.(reply, { hook_event_name: event });
}

describe("the shape without a name", () => {
  test("turns the trimmed reply into context", () => {
    expect(shaped("", " be careful \n", "turn_start")).toEqual({
      hook_specific_output: { hook_event_name: "turn_start", additional_context: "be careful" },
    });
  });

  test("ignores an empty reply", () => {
    expect(shaped("", " \n", "turn_start")).toBeUndefined();
  });

  test("drops the text on an event that takes no context", () => {
    expect(shaped("", "text", "pre_tool_use")).toBeUndefined();
  });
});

describe("the shape of a judge", () => {
  test("returns the verdict and announces it", () => {
    expect(shaped("pre_tool_use_decision", '{"decision":"DENY","reason":""}', "tool_guard")).toEqual({
      system_message: "🤖 model judge: deny — no reason provided",
      hook_specific_output: {
        hook_event_name: "tool_guard",
        permission_decision: "deny",
        permission_decision_reason: "no reason provided",
      },
    });
  });

  test("throws on a reply without a verdict", () => {
    expect(() => shaped("pre_tool_use_decision", "fine by me", "pre_tool_use")).toThrow("no JSON object in reply");
  });

  test("sends the model the exact schema of its reply", () => {
    expect(new ShapeRegistry().schema("pre_tool_use_decision")).toEqual({
      name: "pre_tool_use_decision",
      description: "Verdict for a single pre_tool_use call",
      strict: true,
      schema: {
        type: "object",
        properties: { decision: { type: "string", enum: ["allow", "ask", "deny"] }, reason: { type: "string" } },
        required: ["decision", "reason"],
        additionalProperties: false,
      },
    });
    expect(new ShapeRegistry().schema("")).toBeUndefined();
  });
});

describe("the shape that decides on a block", () => {
  test("blocks with the reason, and says nothing otherwise", () => {
    const reply = '{"decision":"Block","reason":"no tests"}';
    expect(shaped("block_decision", reply, "stop_guard")).toEqual({ decision: "block", reason: "no tests" });
    expect(shaped("block_decision", '{"decision":"allow","reason":"fine"}', "stop_guard")).toBeUndefined();
  });

  test("throws on any other reply", () => {
    expect(() => shaped("block_decision", '{"decision":"deny","reason":"x"}', "stop_guard")).toThrow(
      "want allow|block",
    );
    expect(() => shaped("block_decision", "no", "stop_guard")).toThrow("no JSON object in reply");
  });

  test("sends the model the exact schema of its reply", () => {
    expect(new ShapeRegistry().schema("block_decision")).toEqual({
      name: "block_decision",
      description: "Whether the agent may continue as it intends, or is blocked",
      strict: true,
      schema: {
        type: "object",
        properties: { decision: { type: "string", enum: ["allow", "block"] }, reason: { type: "string" } },
        required: ["decision", "reason"],
        additionalProperties: false,
      },
    });
  });
});

describe("the shape of a guard", () => {
  const shape = (reply: string) => shaped("guard_decision", reply, "user_prompt_submit");

  test("approves or blocks with the reason; white space around the object may be there", () => {
    expect(shape(' {"decision":"allow","reason":"fine"}\n')).toEqual({ continue: true });
    expect(shape('{"reason":"off topic","decision":"deny"}')).toEqual({ decision: "block", reason: "off topic" });
  });

  test.each([
    ["text", "allow"],
    ["nothing", ""],
    ["a fence", '```json\n{"decision":"allow","reason":"r"}\n```'],
    ["prose before it", 'Sure: {"decision":"allow","reason":"r"}'],
    ["prose behind it", '{"decision":"allow","reason":"r"} ok'],
    ["a list", '[{"decision":"allow","reason":"r"}]'],
    ["null", "null"],
    ["no reason", '{"decision":"allow"}'],
    ["no decision", '{"reason":"r"}'],
    ["a null reason", '{"decision":"allow","reason":null}'],
    ["a decision that is no text", '{"decision":true,"reason":"r"}'],
    ["another case of a key", '{"Decision":"allow","reason":"r"}'],
    ["a third key", '{"decision":"allow","reason":"r","confidence":1}'],
    ["an inherited key", '{"decision":"allow","reason":"r","__proto__":1}'],
    ["a decision twice", '{"decision":"deny","decision":"allow","reason":"r"}'],
    ["a reason twice, the second escaped", '{"decision":"allow","reason":"r","reas\\u006fn":"r"}'],
  ])("refuses %s without quoting it", (_name, reply) => {
    expect(() => shape(reply)).toThrow(/^invalid guard verdict$/);
  });

  test.each(["ask", "Allow", " allow", "block", ""])("refuses the decision %j", (decision) => {
    expect(() => shape(JSON.stringify({ decision, reason: "r" }))).toThrow(/^guard verdict must be allow or deny$/);
  });

  test("sends the model the exact schema of its reply", () => {
    expect(new ShapeRegistry().schema("guard_decision")).toEqual({
      name: "guard_decision",
      description: "Allow or deny the operation",
      strict: true,
      schema: {
        type: "object",
        properties: { decision: { type: "string", enum: ["allow", "deny"] }, reason: { type: "string" } },
        required: ["decision", "reason"],
        additionalProperties: false,
      },
    });
  });
});

describe("a registry of shapes", () => {
  test("adds shapes and replaces known ones, without affecting other registries", () => {
    const shapes = new ShapeRegistry();
    shapes.register("score", () => ({ system_message: "scored" }));
    shapes.registerSchema("score", { name: "score", schema: {} });
    shapes.register("pre_tool_use_decision", () => undefined);
    const input = { hook_event_name: "stop" } as const;
    expect(shapes.shape("score")?.("7", input)).toEqual({ system_message: "scored" });
    expect(shapes.schema("score")).toEqual({ name: "score", schema: {} });
    expect(shapes.shape("pre_tool_use_decision")?.("x", input)).toBeUndefined();
    expect(shapes.names()).toEqual(["block_decision", "guard_decision", "pre_tool_use_decision", "score"]);
    expect(new ShapeRegistry().names()).toEqual(["block_decision", "guard_decision", "pre_tool_use_decision"]);
  });

  test("reserves the empty name for free text", () => {
    expect(() => new ShapeRegistry().register("", () => undefined)).toThrow("response shape name must not be empty");
    expect(() => new ShapeRegistry().registerSchema("", { name: "x", schema: {} })).toThrow("must not be empty");
  });

  test("refuses a missing shape", () => {
    const missing = undefined as unknown as () => undefined;
    expect(() => new ShapeRegistry().register("x", missing)).toThrow("response shape is required");
    expect(() => new ShapeRegistry().registerSchema("x", missing as never)).toThrow("response schema is required");
  });
});

describe("the check before a run", () => {
  test("accepts a valid hook, with and without a schema", () => {
    expect(checkModelHook(hook)).toBeUndefined();
    expect(checkModelHook({ ...hook, schema: "" })).toBeUndefined();
  });

  test.each([
    [
      { schema: "nope" },
      'model hook: unknown schema "nope" (supported: block_decision, guard_decision, pre_tool_use_decision)',
    ],
    [
      { schema: "toString" },
      'model hook: unknown schema "toString" (supported: block_decision, guard_decision, pre_tool_use_decision)',
    ],
    [{ prompt: "a\n{{ .ToolName" }, "model hook: parse prompt template: line 2: unclosed action"],
    [{ prompt: "{{ nope }}" }, 'model hook: parse prompt template: line 1: function "nope" not defined'],
    [{ prompt: " " }, "model hook requires a non-empty prompt"],
    [{ model: "" }, "model hook requires a non-empty model"],
  ])("refuses %j", (change, message) => {
    expect(checkModelHook({ ...hook, ...change })).toBe(message);
  });

  test("knows the shapes that an embedder registered", () => {
    const shapes = new ShapeRegistry().register("score", () => undefined);
    expect(checkModelHook({ ...hook, schema: "score" }, shapes)).toBeUndefined();
  });
});
