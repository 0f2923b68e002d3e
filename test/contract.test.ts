import { describe, expect, test } from "bun:test";
import { BUILTINS } from "../builtins/index.ts";
import { defineHook, readHooks } from "../src/config/hooks/read-hooks.ts";
import { aggregate } from "../src/engine/aggregate.ts";
import { contractOf, EVENT_NAMES, type EventName, isEventName, laneContract } from "../src/protocol/events.ts";
import { FIELDS } from "../src/protocol/fields.ts";
import { parseInput } from "../src/protocol/input.ts";
import type { HookOutput, SpecificOutput } from "../src/protocol/output.ts";

const SPECIFIC: SpecificOutput = {
  permission_decision: "allow",
  permission_decision_reason: "r",
  additional_context: "context",
  summary: "summary",
  metadata: { k: "v" },
};

test("there are 34 events", () => {
  expect(EVENT_NAMES.length).toBe(34);
});

describe.each(EVENT_NAMES.map((event) => [event] as const))("%s", (event: EventName) => {
  const contract = contractOf(event);

  test("has a summary of one sentence", () => {
    expect(contract.summary).toMatch(/^[A-Z].*\.$/);
  });

  test("has only defined fields", () => {
    expect(contract.fields.filter((field) => !Object.hasOwn(FIELDS, field))).toEqual([]);
  });

  test("fails closed only where it can block", () => {
    if (contract.failClosed) expect(contract.canBlock).toBe(true);
  });

  test("runs hooks one after the other if and only if they can rewrite", () => {
    expect(contract.mode !== "concurrent").toBe(contract.rewrites !== undefined);
  });

  test("accepts context if and only if it uses context", () => {
    expect(contract.accepts.includes("additional_context")).toBe(contract.context !== undefined);
  });

  test("drops answers that it does not accept, and keeps the others", () => {
    const output: HookOutput = { hook_specific_output: SPECIFIC };
    const { result } = aggregate([
      { event, contract, hook: defineHook({ type: "command" }), outcome: { kind: "answered", output } },
    ]);
    expect(result.additional_context).toBe(contract.context ? "context" : undefined);
    expect(result.summary).toBe(contract.accepts.includes("summary") ? "summary" : undefined);
    expect(result.metadata).toEqual(contract.accepts.includes("metadata") ? { k: "v" } : undefined);
    expect(result.decision).toBe(contract.verdict === "decision" ? "allow" : undefined);
    expect(result.permission_allowed).toBe(contract.verdict === "permission" ? true : undefined);
  });

  test("takes matcher groups if and only if it is about tool calls", () => {
    const hook = { type: "command", command: "true" };
    const right = contract.matcher ? [{ matcher: "shell", hooks: [hook] }] : [hook];
    expect(readHooks({ [event]: right }, []).problems).toEqual([]);
    const wrong = contract.matcher ? [hook] : [{ matcher: "shell", hooks: [hook] }];
    expect(readHooks({ [event]: wrong }, []).problems).not.toEqual([]);
  });

  test("parses its input without a change", () => {
    const input = {
      hook_event_name: event,
      session_id: "s",
      cwd: "/",
      ...(contract.matcher ? { tool_name: "shell" } : {}),
      extra: [1],
    };
    expect(parseInput(input)).toEqual(input);
  });
});

test("the preempt lane of pre_tool_use applies no rewrites", () => {
  expect(laneContract("pre_tool_use", "preempt")).toMatchObject({ mode: "concurrent", failClosed: true });
  expect(laneContract("pre_tool_use", "preempt").accepts).not.toContain("updated_input");
  expect(laneContract("pre_tool_use", "preempt").rewrites).toBeUndefined();
});

describe.each(Object.entries(BUILTINS))("builtin %s", (_name, row) => {
  test("has a summary of one sentence, and only existing events", () => {
    expect(row.summary).toMatch(/^[A-Z].*\.$/);
    if (row.events !== "any")
      expect((row.events as readonly string[]).filter((event) => !isEventName(event))).toEqual([]);
  });

  test("can be loaded", async () => {
    expect(typeof (await row.load()).run).toBe("function");
  });
});
