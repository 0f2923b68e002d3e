import { describe, expect, test } from "bun:test";
import { defineHook } from "../../src/config/hooks/read-hooks.ts";
import type { Outcome } from "../../src/engine/handler.ts";
import { stageOf } from "../../src/engine/hook-policy.ts";
import { compileHooks } from "../../src/engine/match.ts";
import { runHooks } from "../../src/engine/modes.ts";
import { contractOf, type EventName } from "../../src/protocol/events.ts";
import type { SpecificOutput } from "../../src/protocol/output.ts";
import type { Payload } from "../../src/protocol/rewrite.ts";

interface Written {
  name: string;
  redaction?: "does" | "follows";
  declared?: boolean;
  /** The outcomes of its runs, in order; silent without any more. */
  outcomes?: Outcome[];
}

const answered = (specific: SpecificOutput, redacted?: Record<string, number>): Outcome => ({
  kind: "answered",
  output: { hook_specific_output: specific },
  ...(redacted ? { redacted } : {}),
});
const responds = (text: string, redacted?: Record<string, number>) =>
  answered({ updated_tool_response: text }, redacted);
const failure: Outcome = { kind: "failed", reason: "failed", error: "broken", stderr: "" };
const silent: Outcome = { kind: "silent" };

/** Runs hooks whose outcomes are given, and returns which of them ran on which payload. */
async function run(event: EventName, payload: Payload, ...written: Written[]) {
  const hooks = compileHooks(
    written.map(({ name }) => ({
      event,
      matcher: "",
      lane: "default" as const,
      hook: defineHook({ type: "command", command: name }),
      path: [],
      source: async () => "test",
    })),
  );
  const of = (hook: (typeof hooks)[number]) => written[hooks.indexOf(hook)] as Written;
  const left = new Map(written.map(({ name, outcomes = [] }) => [name, [...outcomes]]));
  const ran: string[] = [];
  const seen: Payload[] = [];
  const staged = await runHooks({
    contract: contractOf(event),
    hooks,
    payload,
    stage: (hook) => stageOf(contractOf(event), "default", of(hook).declared ?? true),
    redaction: (hook) => of(hook).redaction,
    run: async (hook, current) => {
      ran.push(of(hook).name);
      seen.push(current);
      return left.get(of(hook).name)?.shift() ?? silent;
    },
  });
  const outcomes = staged.outcomes.map(({ hook: _, ...outcome }) => outcome);
  return { ...staged, outcomes, ran, seen };
}

const TRANSFORM = "tool_response_transform";
const original = { tool_response: "original" };

describe("rewriters run in order", () => {
  test("but those that keep text wait for the last redaction", async () => {
    const { ran } = await run(
      TRANSFORM,
      original,
      { name: "keeps", redaction: "follows" },
      { name: "first" },
      { name: "redacts", redaction: "does" },
      { name: "second" },
      { name: "keeps too", redaction: "follows" },
    );
    expect(ran).toEqual(["first", "redacts", "keeps", "second", "keeps too"]);
  });

  test("as configured if none redacts", async () => {
    const { ran } = await run(TRANSFORM, original, { name: "keeps", redaction: "follows" }, { name: "other" });
    expect(ran).toEqual(["keeps", "other"]);
  });

  test("and each sees the rewrite before it", async () => {
    const { seen, payload, rewritten, outcomes } = await run(
      TRANSFORM,
      original,
      { name: "one", outcomes: [responds("1")] },
      { name: "two", outcomes: [responds("2")] },
      { name: "last", declared: false },
    );
    expect(seen).toEqual([original, { tool_response: "1" }, { tool_response: "2" }]);
    expect({ payload, rewritten }).toEqual({ payload: { tool_response: "2" }, rewritten: true });
    expect(outcomes.map(({ rewriteDropped }) => rewriteDropped)).toEqual([false, false, false]);
  });
});

describe("hooks that run at once", () => {
  test("see the same payload, and the first replacement wins", async () => {
    const { seen, payload, outcomes } = await run(
      TRANSFORM,
      original,
      { name: "one", declared: false },
      { name: "two", declared: false, outcomes: [responds("2")] },
      { name: "three", declared: false, outcomes: [responds("3")] },
    );
    expect(seen).toEqual([original, original, original]);
    expect(payload).toEqual({ tool_response: "2" });
    expect(outcomes).toEqual([
      { outcome: silent, rewriteDropped: false },
      { outcome: responds("2"), rewriteDropped: false },
      { outcome: responds("3"), rewriteDropped: true },
    ]);
  });

  test("merge their patches of arguments", async () => {
    const { payload, outcomes } = await run(
      "pre_tool_use",
      { tool_input: { a: 1 } },
      { name: "one", declared: false, outcomes: [answered({ updated_input: { b: 2 } })] },
      { name: "two", declared: false, outcomes: [answered({ updated_input: { c: 3 } })] },
    );
    expect(payload).toEqual({ tool_input: { a: 1, b: 2, c: 3 } });
    expect(outcomes.map(({ rewriteDropped }) => rewriteDropped)).toEqual([false, false]);
  });
});

describe("a redaction", () => {
  const redacts = (...outcomes: Outcome[]): Written => ({ name: "redacts", redaction: "does", outcomes });

  test("that fails replaces a tool response, and nothing else", async () => {
    expect((await run(TRANSFORM, original, redacts(failure))).payload["tool_response"]).toBeString();
    expect((await run(TRANSFORM, original, redacts(failure))).payload).not.toEqual(original);
    for (const [event, payload] of [
      ["pre_tool_use", { tool_input: { a: 1 } }],
      ["before_llm_call", { messages: [] }],
    ] as const)
      expect(await run(event, payload, redacts(failure))).toMatchObject({ payload, rewritten: false });
  });

  test("runs once if nothing is rewritten after it", async () => {
    const { ran } = await run(TRANSFORM, original, redacts(responds("clean")), { name: "b" }, { name: "c" });
    expect(ran).toEqual(["redacts", "b", "c"]);
  });

  test("runs again after each rewrite, and is reported once with the sum of its counts", async () => {
    const { ran, payload, outcomes } = await run(
      TRANSFORM,
      original,
      redacts(responds("clean", { key: 1 }), responds("cleaner", { key: 1, token: 2 }), responds("cleanest")),
      { name: "b", outcomes: [responds("b")] },
      { name: "c", outcomes: [responds("c")] },
    );
    expect(ran).toEqual(["redacts", "b", "redacts", "c", "redacts"]);
    expect(payload).toEqual({ tool_response: "cleanest" });
    expect(outcomes[0]).toEqual({ outcome: responds("clean", { key: 2, token: 2 }), rewriteDropped: false });
  });

  test("runs again after a rewrite of a hook that is no declared rewriter", async () => {
    const { ran, payload } = await run(TRANSFORM, original, redacts(responds("clean"), responds("cleaner")), {
      name: "b",
      declared: false,
      outcomes: [responds("b")],
    });
    expect(ran).toEqual(["redacts", "b", "redacts"]);
    expect(payload).toEqual({ tool_response: "cleaner" });
  });

  test.each([
    ["silent", silent, responds("clean", { key: 1 })],
    ["an answer without counts", responds("as it was"), responds("as it was", { key: 1 })],
    ["a failure", failure, failure],
  ])("after %s is reported with what it found later", async (_name, first, reported) => {
    const { outcomes } = await run(TRANSFORM, original, redacts(first, responds("clean", { key: 1 })), {
      name: "b",
      outcomes: [responds("b")],
    });
    expect(outcomes[0]).toEqual({ outcome: reported, rewriteDropped: false });
  });

  test("that finds nothing the second time leaves the rewrite and its first outcome", async () => {
    for (const second of [silent, answered({})]) {
      const { payload, outcomes } = await run(TRANSFORM, original, redacts(responds("clean"), second), {
        name: "b",
        outcomes: [responds("b")],
      });
      expect(payload).toEqual({ tool_response: "b" });
      expect(outcomes[0]).toEqual({ outcome: responds("clean"), rewriteDropped: false });
    }
  });

  test("that fails the second time drops the rewrite, and no other redaction runs again", async () => {
    const other: Written = { name: "other", redaction: "does" };
    const { ran, payload, outcomes } = await run(TRANSFORM, original, redacts(responds("clean"), failure), other, {
      name: "b",
      outcomes: [responds("b")],
    });
    expect(ran).toEqual(["redacts", "other", "b", "redacts"]);
    expect(payload).toEqual({ tool_response: "clean" });
    expect(outcomes[0]).toEqual({ outcome: failure, rewriteDropped: false });
  });
});
