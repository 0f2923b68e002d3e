import { describe, expect, test } from "bun:test";
import { defineHook, type HookDefinition } from "../../src/config/hooks/read-hooks.ts";
import { aggregate as combine, type HookOutcome } from "../../src/engine/aggregate.ts";
import type { Outcome } from "../../src/engine/handler.ts";
import { contractOf, type EventName } from "../../src/protocol/events.ts";
import type { HookOutput } from "../../src/protocol/output.ts";

function part(event: EventName, outcome: Outcome, hook: Partial<HookDefinition> = {}): HookOutcome {
  return { event, contract: contractOf(event), hook: defineHook({ type: "command", command: "x", ...hook }), outcome };
}

const aggregate = (outcomes: readonly HookOutcome[]) => combine(outcomes).result;
const answered = (output: HookOutput): Outcome => ({ kind: "answered", output });
const verdict = (decision: string, reason?: string): Outcome =>
  answered({
    hook_specific_output: { permission_decision: decision, ...(reason ? { permission_decision_reason: reason } : {}) },
  });
const failure: Outcome = { kind: "failed", reason: "failed", error: "exited with status 1", stderr: "oops\n" };
const exit2 = (message: string): Outcome => ({ kind: "blocked", message, systemMessage: "", stderr: message });

describe("verdicts", () => {
  test("deny beats ask, and ask beats allow, in any order", () => {
    const orders = [
      ["allow", "ask", "deny"],
      ["deny", "ask", "allow"],
      ["ask", "deny", "allow"],
    ];
    for (const order of orders) {
      expect(aggregate(order.map((decision) => part("pre_tool_use", verdict(decision))))).toMatchObject({
        allowed: false,
        decision: "deny",
      });
    }
    expect(aggregate([part("tool_guard", verdict("ask")), part("tool_guard", verdict("allow"))])).toEqual({
      allowed: true,
      decision: "ask",
    });
  });

  test("the reason is that of the first hook with the winning decision, and is absent if that hook gave none", () => {
    expect(aggregate([part("pre_tool_use", verdict("deny")), part("pre_tool_use", verdict("deny", "two"))])).toEqual({
      allowed: false,
      decision: "deny",
      message: "two",
    });
  });

  test("decision: block blocks without setting a decision", () => {
    expect(aggregate([part("pre_tool_use", answered({ decision: "block", reason: "no" }))])).toEqual({
      allowed: false,
      message: "no",
    });
  });

  test("an allow never lifts a block", () => {
    expect(
      aggregate([part("pre_tool_use", exit2("no")), part("pre_tool_use", verdict("allow", "fine"))]),
    ).toMatchObject({ allowed: false, decision: "allow", message: "no" });
  });
});

describe("messages", () => {
  test("one output can stop, block and deny, and every reason is kept in order", () => {
    const output = {
      continue: false,
      stop_reason: "a",
      decision: "block",
      reason: "b",
      hook_specific_output: { permission_decision: "deny", permission_decision_reason: "c" },
    };
    expect(aggregate([part("pre_tool_use", answered(output))]).message).toBe("a\nb\nc");
  });

  test("context and warnings of other hooks survive a block", () => {
    const result = aggregate([
      part("post_tool_use", { kind: "said", text: "context" }),
      part("post_tool_use", exit2("no")),
      part("post_tool_use", answered({ system_message: "careful" })),
    ]);
    expect(result).toEqual({
      allowed: false,
      message: "no",
      additional_context: "context",
      system_message: "careful",
      exit_code: 2,
      stderr: "no",
    });
  });

  test("the warnings of a hook are in order: unsupported block, its own message, unsupported decision", () => {
    const output = { decision: "block", system_message: "own", hook_specific_output: { permission_decision: "deny" } };
    expect(aggregate([part("turn_end", answered(output), { name: "h" })]).system_message?.split("\n")).toEqual([
      'turn_end hook "h" returned a block, but this event cannot block',
      "own",
      'turn_end hook "h" returned permission_decision, but this event does not support approval decisions',
    ]);
  });
});

describe("failures", () => {
  test.each([
    ["pre_tool_use", "ignore", { allowed: false, exit_code: -1 }],
    ["tool_guard", "warn", { allowed: false, exit_code: -1 }],
    ["permission_request", "block", { allowed: false, exit_code: -1 }],
    [
      "permission_request",
      "warn",
      { allowed: true, system_message: 'permission_request hook failed to execute: hook "x": exited with status 1' },
    ],
    ["turn_end", "ignore", { allowed: true }],
  ] as const)("on %s with on_error %s", (event, on_error, expected) => {
    expect(aggregate([part(event, failure, { on_error })])).toMatchObject(expected);
  });

  test("a blocking failure outweighs exit 2, in either order", () => {
    for (const outcomes of [
      [failure, exit2("no")],
      [exit2("no"), failure],
    ]) {
      expect(aggregate(outcomes.map((outcome) => part("pre_tool_use", outcome))).exit_code).toBe(-1);
    }
  });

  test("text that is not JSON is context in addition to the warning, unless the failure blocks", () => {
    const outcome: Outcome = { ...failure, text: "{ almost" } as Outcome;
    expect(aggregate([part("stop", outcome)]).additional_context).toBe("{ almost");
    expect(aggregate([part("post_tool_use", outcome, { on_error: "block" })]).additional_context).toBeUndefined();
  });

  test("standard error is that of the last hook that blocked and wrote to it", () => {
    const silent: Outcome = { ...failure, stderr: "" } as Outcome;
    expect(
      aggregate([part("pre_tool_use", exit2("first")), part("pre_tool_use", failure), part("pre_tool_use", silent)])
        .stderr,
    ).toBe("oops");
  });
});

test("a failure on an event on which all must approve says that the text is rejected, and equal lines once", () => {
  const rejected = 'skill content rejected by policy (hook "x": exited with status 1)';
  const failed = part("skill_content_guard", failure);
  expect(aggregate([failed, failed])).toMatchObject({ allowed: false, message: rejected });
  const text = 'turn_start hook failed to execute: hook "x": exited with status 1';
  const warned = part("turn_start", failure);
  expect(aggregate([warned, warned]).system_message).toBe(`${text}\n${text}`);
  const blocked = part("user_prompt_submit", exit2("no"));
  expect(aggregate([blocked, blocked]).message).toBe("no\nno");
});

test("without outcomes the result is only allowed", () => {
  expect(aggregate([])).toEqual({ allowed: true });
  expect(aggregate([part("pre_tool_use", { kind: "silent" })])).toEqual({ allowed: true });
});

describe("the texts of hooks", () => {
  test("exit 2 on an event that cannot block warns, and the hook's own message follows", () => {
    const outcome: Outcome = { kind: "blocked", message: "no", systemMessage: "own", stderr: "no" };
    expect(aggregate([part("session_end", outcome, { name: "h" })])).toEqual({
      allowed: true,
      system_message: 'session_end hook "h" returned exit 2, but this event cannot block\nown',
    });
  });

  test("a problem of an answer is a warning, and its other fields count", () => {
    const outcome: Outcome = { ...answered({ system_message: "said" }), problem: "odd" } as Outcome;
    expect(aggregate([part("turn_start", outcome, { name: "h" })])).toEqual({
      allowed: true,
      system_message: 'said\nturn_start hook "h": odd',
    });
  });

  test("a stop without a block gives the stop's reason alone, a block without a stop its own", () => {
    const both = { stop_reason: "stopped", reason: "blocked" };
    const message = (output: HookOutput) => aggregate([part("pre_tool_use", answered(output))]).message;
    expect(message({ ...both, continue: false })).toBe("stopped");
    expect(message({ ...both, decision: "block" })).toBe("blocked");
  });

  test("context and instruction fragments of all hooks are joined, one to a line", () => {
    const fragments = [{ content: " one " }, {}, { content: "two" }];
    const hook = answered({
      hook_specific_output: { additional_context: " first\n", instruction_context: fragments },
    } as HookOutput);
    expect(aggregate([part("session_start", hook), part("session_start", { kind: "said", text: "last" })])).toEqual({
      allowed: true,
      additional_context: "first\none\ntwo\nlast",
    });
    expect(aggregate([part("post_tool_use", hook)])).toEqual({ allowed: true, additional_context: "first" });
    expect(aggregate([part("session_end", hook)])).toEqual({ allowed: true });
  });

  test("a permission is granted with the first reason that an allow gives", () => {
    const granted = (...outcomes: Outcome[]) =>
      aggregate(outcomes.map((outcome) => part("permission_request", outcome)));
    expect(granted(verdict("allow"), verdict("allow", "safe"), verdict("allow", "later"))).toEqual({
      allowed: true,
      permission_allowed: true,
      decision_reason: "safe",
    });
    expect(granted(verdict("allow"))).toEqual({ allowed: true, permission_allowed: true });
    expect(granted(verdict("ask", "why"))).toEqual({ allowed: true });
  });

  test("an input that could not be written blocks where an event can block, whatever on_error says", () => {
    const unreadable: Outcome = { kind: "failed", reason: "unreadable", error: "cycle", stderr: "" };
    expect(aggregate([part("post_tool_use", unreadable, { on_error: "ignore" })])).toMatchObject({ allowed: false });
    expect(aggregate([part("session_end", unreadable, { on_error: "ignore" })])).toMatchObject({ allowed: true });
    expect(aggregate([part("session_end", failure, { on_error: "ignore" })])).toEqual({ allowed: true });
  });

  test("standard error that is only white space counts as empty", () => {
    const outcome: Outcome = { kind: "blocked", message: "no", systemMessage: "", stderr: " \n" };
    expect(aggregate([part("pre_tool_use", outcome)])).toEqual({ allowed: false, message: "no", exit_code: 2 });
  });
});

test("a dropped rewrite is a warning that says how to keep it", () => {
  const outcome = { ...part("before_llm_call", { kind: "silent" }, { name: "h" }), rewriteDropped: true };
  expect(aggregate([outcome])).toEqual({
    allowed: true,
    system_message:
      'before_llm_call hook "h": rewrite dropped, an earlier hook already rewrote this; set rewrite: true to chain them',
  });
});

describe("the verdict", () => {
  test("has the reason of the first hook that decided as strongly as any", () => {
    const reasons = (...outcomes: Outcome[]) => aggregate(outcomes.map((outcome) => part("tool_guard", outcome)));
    expect(reasons(verdict("allow", "a"), verdict("ask", "b"), verdict("ask", "c"))).toStrictEqual({
      allowed: true,
      decision: "ask",
      decision_reason: "b",
    });
    expect(reasons(verdict("ask"), verdict("ask", "c"))).toStrictEqual({ allowed: true, decision: "ask" });
    expect(reasons({ kind: "silent" })).toStrictEqual({ allowed: true });
  });

  test("of a permission has no reason if no hook gave one", () => {
    expect(aggregate([part("permission_request", verdict("allow"))])).toStrictEqual({
      allowed: true,
      permission_allowed: true,
    });
  });
});

describe("a summary and metadata", () => {
  const output = (summary: string | undefined, metadata: Record<string, string>) =>
    answered({ hook_specific_output: { ...(summary === undefined ? {} : { summary }), metadata } });
  const all = [output(undefined, {}), output("one", { a: "1", b: "1" }), output("two", { b: "2" })];

  test("are the first summary, and all metadata with the last value of each key", () => {
    expect(aggregate(all.map((outcome) => part("before_compaction", outcome)))).toStrictEqual({
      allowed: true,
      summary: "one",
    });
    expect(aggregate(all.map((outcome) => part("tool_guard", outcome)))).toStrictEqual({
      allowed: true,
      metadata: { a: "1", b: "2" },
    });
  });

  test("are absent if no hook gave any, or the event takes none", () => {
    expect(aggregate([part("before_compaction", output(undefined, {}))])).toStrictEqual({ allowed: true });
    expect(aggregate([part("tool_guard", output(undefined, {}))])).toStrictEqual({ allowed: true });
    expect(aggregate([part("tool_guard", output(undefined, { a: "1" }))])).toHaveProperty("metadata", { a: "1" });
    expect(aggregate(all.map((outcome) => part("session_end", outcome)))).toStrictEqual({ allowed: true });
  });
});

describe("routes", () => {
  const route = (agent: string, output: HookOutput = {}): Outcome =>
    answered({ ...output, hook_specific_output: { transition: { action: "route", agent } } });

  test("a route is in the result, once", () => {
    const outcomes = [part("before_agent_run", route("quick")), part("before_agent_run", route("quick"))];
    expect(aggregate(outcomes)).toEqual({ allowed: true, transition: { action: "route", agent: "quick" } });
  });

  test("a block beats a route, in the same answer and in another", () => {
    expect(aggregate([part("after_agent_complete", route("quick", { decision: "block", reason: "no" }))])).toEqual({
      allowed: false,
      message: "no",
    });
    expect(aggregate([part("before_agent_run", route("quick")), part("before_agent_run", exit2("no"))])).toMatchObject({
      allowed: false,
      message: "no",
    });
    expect(
      aggregate([part("before_agent_run", exit2("no")), part("before_agent_run", route("quick"))]),
    ).not.toHaveProperty("transition");
  });

  test("an event that takes no route has none, and an answer needs no route", () => {
    expect(aggregate([part("turn_start", route("quick"))])).toEqual({ allowed: true });
    expect(aggregate([part("before_agent_run", answered({}))])).toEqual({ allowed: true });
  });

  test("two different routes block", () => {
    expect(aggregate([part("before_agent_run", route("quick")), part("before_agent_run", route("slow"))])).toEqual({
      allowed: false,
      message: "before_agent_run hooks returned conflicting route transitions",
      exit_code: -1,
    });
  });

  test("a hook that only observes does not route, and says where it would have", () => {
    const observed = { ...part("before_agent_run", { kind: "silent" }), observed: route("quick") };
    expect(aggregate([observed])).toEqual({
      allowed: true,
      system_message: 'before_agent_run hook "x" only observes: it would have routed to quick',
    });
  });
});

describe("a hook that only observes", () => {
  const said = (event: EventName, observed: Outcome) =>
    aggregate([{ ...part(event, { kind: "silent" }), observed }]).system_message;

  test("says what it would have done, with its reason if it has one", () => {
    const start = (event: EventName) => `${event} hook "x" only observes: it would have`;
    expect(said("pre_tool_use", verdict("ask", "look"))).toBe(`${start("pre_tool_use")} asked: look`);
    expect(said("pre_tool_use", verdict("deny"))).toBe(`${start("pre_tool_use")} denied`);
    expect(said("user_prompt_submit", exit2("no"))).toBe(`${start("user_prompt_submit")} blocked: no`);
  });

  test("says nothing if it would have done nothing", () => {
    expect(said("pre_tool_use", verdict("allow", "fine"))).toBeUndefined();
    expect(said("pre_tool_use", { kind: "silent" })).toBeUndefined();
  });
});

test("what each hook decided by itself is known too, and what one that only observes would have decided", () => {
  const outcomes = [
    part("pre_tool_use", verdict("allow")),
    part("pre_tool_use", verdict("deny")),
    part("pre_tool_use", exit2("no")),
    part("pre_tool_use", { kind: "said", text: "hello" }),
    { ...part("pre_tool_use", { kind: "silent" }), observed: verdict("ask") },
  ];
  const { decisions } = combine(outcomes);
  expect(outcomes.map((outcome) => decisions.get(outcome))).toEqual(["allow", "deny", "deny", "none", "ask"]);
  const requests = ["ask", "allow", "deny"].map((decision) => part("permission_request", verdict(decision)));
  expect(requests.map((request) => combine([request]).decisions.get(request))).toEqual(["none", "allow", "deny"]);
  const asked = part("pre_tool_use", verdict("ask"));
  expect(combine([asked]).decisions.get(asked)).toBe("ask");
  const block = part("user_prompt_submit", answered({ decision: "block", reason: "no" }));
  expect(combine([block]).decisions.get(block)).toBe("block");
});
