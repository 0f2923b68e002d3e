import { describe, expect, test } from "bun:test";
import { defineHook, type HookDefinition } from "../../src/config/hooks/read-hooks.ts";
import { aggregate } from "../../src/engine/aggregate.ts";
import { blocksEvent, unusedText } from "../../src/engine/answer.ts";
import { PROGRAM_OF_A_HOOK_FAILED } from "../../src/engine/handler.ts";
import { interpret } from "../../src/engine/interpret.ts";
import { omitEmpty } from "../../src/lib/json.ts";
import { contractOf, EVENT_NAMES, type EventName } from "../../src/protocol/events.ts";
import { parseInput } from "../../src/protocol/input.ts";
import type { HookOutput } from "../../src/protocol/output.ts";

function asked(event: EventName, hook: Partial<HookDefinition> = {}) {
  return { event, contract: contractOf(event), hook: defineHook({ type: "command", command: "x", ...hook }) };
}

function read(event: EventName, stdout: string, hook: Partial<HookDefinition> = {}) {
  return interpret(asked(event, hook), { kind: "exited", exitCode: 0, stdout, stderr: "" });
}

describe("standard output", () => {
  test.each([
    ["", "silent"],
    ["  \n", "silent"],
    ["{}", "silent"],
    ["text", "said"],
    ["[1]", "said"],
    ['"text"', "said"],
    ["7", "said"],
    ['{"system_message":"x"}', "answered"],
    ['{"decision":null}', "silent"],
  ])("%j is %s", (stdout, kind) => {
    expect(read("turn_start", stdout).kind).toBe(kind as never);
  });

  test.each([
    ["{} {}", "single JSON object"],
    ['{"a":1}x', "single JSON object"],
    ['{"a":', "invalid hook output"],
    ['{"a":}', "invalid hook output"],
    ['{"continue":"no"}', 'continue: expected boolean but received "no"'],
    ['{"hook_specific_output":[]}', "hook_specific_output"],
    ['{"hook_specific_output":{"updated_input":"rm"}}', "updated_input"],
    ['{"hook_specific_output":{"updated_tool_response":5}}', "updated_tool_response"],
    ['{"hook_specific_output":{"metadata":{"a":1}}}', "metadata"],
    [
      '{"hook_specific_output":{"permission_decision":"maybe"}}',
      'invalid permission_decision "maybe": expected allow, ask, or deny',
    ],
    ['{"decision":"approve"}', 'invalid decision "approve": expected block'],
  ])("%s fails", (stdout, message) => {
    expect(read("pre_tool_use", stdout)).toMatchObject({ kind: "failed", error: expect.stringContaining(message) });
  });

  test.each<[string, string, boolean?]>([
    ["the answer of another agent", '{"permission":"deny"}'],
    ["the answer of Claude Code", '{"hookSpecificOutput":{"permissionDecision":"deny"}}'],
    ["a verdict that the event does not take", '{"hook_specific_output":{"permission_decision":"deny"}}'],
    ["an ask", '{"hook_specific_output":{"permission_decision":"ask"}}'],
    ["bytes that are not UTF-8", '{"decision":"block"}', false],
    ["a NUL before the answer", '\0{"decision":"block"}'],
    ["UTF-16", Buffer.from('{"decision":"block"}', "utf16le").toString("latin1")],
    ["an answer behind text", 'checked: {"decision":"block"}'],
  ])("%s fails with on_error: block", (_name, stdout, isUtf8 = true) => {
    const context = asked("tool_input_transform", { on_error: "block" });
    const outcome = interpret(context, { kind: "exited", exitCode: 0, stdout, stderr: "", isUtf8 });
    expect(outcome).toMatchObject({ kind: "failed", reason: "failed" });
  });

  test("a trailing object inside a string is not a second object", () => {
    expect(read("pre_tool_use", '{"reason":"} {}"}').kind).toBe("answered");
  });

  test("text that only looks like JSON is context on the six original context events only", () => {
    const kept = (
      ["session_start", "user_prompt_submit", "turn_start", "post_tool_use", "pre_compact", "stop"] as const
    ).map((event) => read(event, "{ x"));
    for (const outcome of kept) expect(outcome).toMatchObject({ kind: "failed", text: "{ x" });
    for (const event of ["user_followup_submit", "pre_tool_use", "turn_end"] as const)
      expect(read(event, "{ x")).not.toHaveProperty("text");
    expect(read("turn_start", "{ x", { strict_output: true })).not.toHaveProperty("text");
  });

  test("values inside a rewrite keep their nulls", () => {
    const outcome = read("pre_tool_use", '{"hook_specific_output":{"updated_input":{"a":null}}}');
    expect(outcome).toMatchObject({ output: { hook_specific_output: { updated_input: { a: null } } } });
  });
});

describe("an answer that blocks, with a field of the wrong type", () => {
  test.each([
    ["user_prompt_submit", { decision: "block", reason: ["a"] }, "reason: expected string but received Array"],
    ["user_prompt_submit", { continue: false, stop_reason: 7 }, "stop_reason: expected string but received 7"],
    [
      "post_tool_use",
      { decision: "block", reason: "r", hook_specific_output: "x" },
      "hook_specific_output: expected an object",
    ],
    [
      "before_llm_call",
      { decision: "block", hook_specific_output: { updated_messages: [{ role: "no" }] } },
      "hook_specific_output.updated_messages.0.role",
    ],
    ["user_prompt_submit", { continue: false, decision: "deny" }, 'invalid decision "deny"'],
    [
      "permission_request",
      { hook_specific_output: { permission_decision: "deny", permission_decision_reason: 5 } },
      "permission_decision_reason",
    ],
    [
      "permission_request",
      { suppress_output: "yes", hook_specific_output: { permission_decision: "deny" } },
      "suppress_output",
    ],
    ["pre_tool_use", { hook_specific_output: { permission_decision: "deny", updated_input: [] } }, "updated_input"],
    [
      "tool_guard",
      { decision: "block", hook_specific_output: { permission_decision: "maybe" } },
      'invalid permission_decision "maybe"',
    ],
  ] as const)("on %s blocks: %j", (event, answer, problem) => {
    const outcome = read(event, JSON.stringify(answer));
    expect(outcome).toMatchObject({ kind: "answered", problem: expect.stringContaining(problem) });
  });

  test("blocks with any value in any other field", () => {
    const WRONG = [null, "x", "", 7, -0.5, true, false, [], [1], [null], {}, { a: null }, { a: { b: [] } }];
    const top = [
      "stop_reason",
      "reason",
      "system_message",
      "suppress_output",
      "hook_specific_output",
      "decision",
      "Decision",
      "permission",
      "tomorrow",
    ];
    const specific = [
      "hook_event_name",
      "permission_decision_reason",
      "updated_input",
      "updated_messages",
      "updated_tool_response",
      "additional_context",
      "summary",
      "metadata",
      "instruction_context",
      "permissionDecision",
      "tomorrow",
    ];
    const canBlock = EVENT_NAMES.filter((event) => contractOf(event).canBlock);
    const allowed = ({ event, ...rest }: ReturnType<typeof asked>, answer: object) =>
      aggregate([
        { event, ...rest, outcome: interpret({ event, ...rest }, { kind: "returned", output: answer as never }) },
      ]).result.allowed;
    for (const event of canBlock)
      for (const strict_output of [false, true])
        for (const wrong of WRONG) {
          const on = asked(event, { strict_output });
          for (const key of top) expect(allowed(on, { [key]: wrong, continue: false })).toBe(false);
          for (const key of top)
            if (key !== "decision") expect(allowed(on, { [key]: wrong, decision: "block" })).toBe(false);
          for (const key of specific)
            expect(allowed(on, { decision: "block", hook_specific_output: { [key]: wrong } })).toBe(false);
          if (contractOf(event).verdict === undefined) continue;
          for (const key of specific)
            expect(allowed(on, { hook_specific_output: { [key]: wrong, permission_decision: "deny" } })).toBe(false);
          for (const key of ["continue", ...top]) {
            if (key !== "hook_specific_output")
              expect(allowed(on, { [key]: wrong, hook_specific_output: { permission_decision: "deny" } })).toBe(false);
          }
        }
  });

  test("keeps its other fields and drops the wrong one", () => {
    expect(read("user_prompt_submit", '{"decision":"block","reason":["a"],"system_message":"s"}')).toMatchObject({
      output: { decision: "block", system_message: "s" },
    });
    expect(read("user_prompt_submit", '{"decision":"block","reason":["a"]}')).not.toHaveProperty("output.reason");
  });

  test("blocks under strict_output too, with any refused field", () => {
    for (const extra of [
      '"colour":1',
      '"reason":1',
      '"reason":"a","reason":"b"',
      '"suppress_output":true',
      '"hook_specific_output":{"summary":"s"}',
    ]) {
      expect(read("user_prompt_submit", `{"decision":"block",${extra}}`, { strict_output: true })).toMatchObject({
        kind: "answered",
        problem: expect.anything(),
      });
    }
  });

  test("is a failure on an event that cannot block", () => {
    expect(read("turn_start", '{"decision":"block","reason":["a"]}').kind).toBe("failed");
    expect(read("post_tool_use", '{"hook_specific_output":{"permission_decision":"deny","metadata":5}}').kind).toBe(
      "failed",
    );
  });
});

describe("null inside messages counts as absent", () => {
  const messages = [
    { role: "user", content: "clean", tool_calls: null, extra: { deep: [null, 1, { a: null }] } },
    null,
    { role: "developer", content: null },
  ];

  test("in an answer", () => {
    const outcome = read("before_llm_call", JSON.stringify({ hook_specific_output: { updated_messages: messages } }));
    expect(outcome).toEqual({
      kind: "answered",
      output: {
        hook_specific_output: {
          updated_messages: [{ role: "user", content: "clean", extra: { deep: [1, {}] } }, { role: "developer" }],
        },
      },
    });
  });

  test("in an event", () => {
    expect(parseInput({ hook_event_name: "before_llm_call", messages })).toEqual({
      hook_event_name: "before_llm_call",
      messages: [{ role: "user", content: "clean", extra: { deep: [1, {}] } }, { role: "developer" }],
    });
    expect(parseInput({ hook_event_name: "before_llm_call", messages: [{ role: null }] })).toContain(
      "messages.0.role: expected",
    );
  });

  test("at a depth that would overflow the stack", () => {
    let deep: unknown = null;
    for (let level = 0; level < 100_000; level++) deep = { deep, gone: null };
    const parsed = parseInput({ hook_event_name: "before_llm_call", messages: [{ role: "user", deep }] });
    expect(parsed).toBeObject();
  });
});

describe("a guard that misspells its answer", () => {
  const GUARDS = ["pre_tool_use", "tool_guard"] as const;
  const deny = { permissionDecision: "deny", permissionDecisionReason: "no" };

  test.each([
    [
      { hookSpecificOutput: { hookEventName: "PreToolUse", ...deny } },
      '"hookSpecificOutput" is not read, "hook_specific_output" would be',
    ],
    [{ permission: "deny" }, '"permission" is not read'],
    [{ permission: "deny", user_message: "no" }, "hook_specific_output.permission_decision would be"],
    [
      { permission_decision: "deny" },
      '"permission_decision" is not read, "hook_specific_output.permission_decision" would be',
    ],
    [deny, '"hook_specific_output.permission_decision" would be'],
    [{ Decision: "block" }, '"Decision" is not read, "decision" would be'],
    [{ DECISION: "block", Reason: "x" }, '"decision" would be'],
    [{ decison: "block", reason: "x" }, '"decison" is not read, "decision" would be'],
    [{ Continue: false }, '"continue" would be'],
    [{ cancel: true, errorMessage: "x" }, '"cancel" is not read'],
    [{ behavior: "deny", message: "x" }, '"behavior" is not read'],
    [{ allow: false }, '"allow" is not read'],
    [{ blocked: true, reason: "x" }, '"blocked" is not read'],
    [{ reason: "fine", permissionDecision: "deny" }, '"permissionDecision" is not read'],
    [{ system_message: "seen", hookSpecificOutput: deny }, '"hookSpecificOutput" is not read'],
    [{ "hook-specific-output": deny }, '"hook_specific_output" would be'],
    [{ hook_specific_output: { permissionDecision: "deny" } }, '"hook_specific_output.permissionDecision" is not read'],
    [
      { hook_specific_output: { hook_event_name: "pre_tool_use", Permission_Decision: "deny" } },
      "hook_specific_output.permission_decision",
    ],
    [
      { hook_specific_output: { decision: "block" } },
      '"hook_specific_output.decision" is not read, "decision" would be',
    ],
    [{ hook_specific_output: { permision_decision: "deny" } }, "hook_specific_output.permission_decision"],
    [{ error: "denied" }, 'no key of it is read ("error")'],
    [{ error: null }, 'no key of it is read ("error")'],
    [{ hook_specific_output: { colour: 1 } }, 'no key of it is read ("hook_specific_output.colour")'],
  ])("fails with what was found and what was meant: %j", (answer, message) => {
    for (const event of GUARDS)
      expect(read(event, JSON.stringify(answer))).toMatchObject({
        kind: "failed",
        error: expect.stringContaining(message),
      });
    const returned = interpret(asked("tool_guard"), { kind: "returned", output: answer as never });
    expect(returned).toMatchObject({ kind: "failed", error: expect.stringContaining(message) });
    const elsewhere = read("turn_start", JSON.stringify(answer));
    expect(elsewhere).toMatchObject({ warning: expect.stringContaining(message) });
    expect(elsewhere.kind).not.toBe("failed");
  });

  test.each([
    {},
    { decision: "allow" },
    { decision: null },
    { decision: "allow", decision_id: "7", tomorrow: 1, message: "fine" },
    { system_message: "seen" },
    { hook_event_name: "pre_tool_use", system_message: "seen" },
    { hook_specific_output: {} },
    { hook_specific_output: { hook_event_name: "x", note: 1 } },
    { hook_specific_output: { permission_decision: "allow", reason: "fine" } },
    { continue: true },
  ])("is not one that writes %j", (answer) => {
    for (const event of [...GUARDS, "turn_start"] as const) {
      const outcome = read(event, JSON.stringify(answer));
      expect(outcome.kind).not.toBe("failed");
      expect(outcome).not.toHaveProperty("warning");
    }
  });

  test.each([
    ["post_tool_use", { Decision: "block", Reason: "no" }],
    ["user_prompt_submit", { DECISION: "block", reason: "no" }],
    ["before_llm_call", { Continue: false, stop_reason: "no" }],
    ["tool_input_transform", { decision: "", Decision: "block" }],
    ["pre_compact", { Decision: "", DECISION: "block" }],
    ["stop_guard", { Decision: "block" }],
    ["permission_request", { Hook_Specific_Output: { Permission_Decision: "deny" } }],
    ["permission_request", { hook_specific_output: { PERMISSION_DECISION: "deny" } }],
  ] as const)("blocks %s as in docker-agent if only the case is wrong: %j", (event, answer) => {
    const outcome = read(event, JSON.stringify(answer));
    expect(outcome).toMatchObject({
      kind: "answered",
      warning: expect.stringMatching(/ is not read, .* would be; it blocks all the same$/),
    });
    const { output } = outcome as { output: HookOutput };
    expect(blocksEvent(contractOf(event), output)).toBeTrue();
    if ("Reason" in answer) expect(output.reason).toBe("no");
    expect(read(event, JSON.stringify(answer), { strict_output: true })).toMatchObject({
      kind: "answered",
      problem: expect.stringContaining("unknown key"),
    });
  });

  test.each([
    ["turn_start", { Decision: "block" }],
    ["on_error", { Continue: false }],
    ["post_tool_use", { Hook_Specific_Output: { permission_decision: "deny" } }],
    ["post_tool_use", { decison: "block" }],
    ["post_tool_use", { Decision: "Block" }],
    ["post_tool_use", { Decision: "block", DECISION: "" }],
  ] as const)("is warned about on %s, which docker-agent would not block: %j", (event, answer) => {
    const outcome = read(event, JSON.stringify(answer));
    expect(outcome).toMatchObject({ warning: expect.stringMatching(/ would be$/) });
    expect(outcome.kind).not.toBe("blocked");
    if (outcome.kind === "answered") expect(blocksEvent(contractOf(event), outcome.output)).toBeFalse();
  });

  test("blocks if a correct key next to it blocks", () => {
    expect(read("pre_tool_use", '{"decision":"block","permissionDecision":"deny"}')).toMatchObject({
      kind: "answered",
      problem: expect.stringContaining("permissionDecision"),
    });
  });

  test.each([
    ['[{"decision":"block"}]', "is a JSON array"],
    ["[]", "is a JSON array"],
    ['"deny"', "is JSON (a string), not an object"],
    ["0", "a number"],
    ["false", "a boolean"],
    ["null", "JSON null"],
    ['checking...\n{"decision":"block"}', "holds a JSON object behind other text"],
    ['checking {"decision": "block"} done', "holds a JSON object behind other text"],
    ["checking\n{}", "holds a JSON object"],
    ['it\'s { "odd {"decision":"block"}', "holds a JSON object"],
    ['log [{"decision":"block"}]', "holds a JSON object"],
    ['cut {"decision": "blo', "holds a JSON object"],
    ['{\x00"\x00d\x00"\x00:\x001\x00}\x00', "looks like UTF-16"],
    ['\x00{\x00"\x00d\x00"\x00:\x001\x00}', "looks like UTF-16"],
  ])("or prints %j fails", (stdout, message) => {
    for (const event of GUARDS)
      expect(read(event, stdout)).toMatchObject({ kind: "failed", error: expect.stringContaining(message) });
  });

  test("fails if it prints bytes that are not UTF-8", () => {
    const printed = { kind: "exited", exitCode: 0, stdout: "\uFFFD\uFFFD{\x00", stderr: "", isUtf8: false } as const;
    expect(interpret(asked("pre_tool_use"), printed)).toMatchObject({
      kind: "failed",
      error: expect.stringContaining("not UTF-8"),
    });
    expect(interpret(asked("turn_start"), printed)).toMatchObject({
      kind: "said",
      warning: expect.stringContaining("not UTF-8"),
    });
    const block = { ...printed, stdout: '{"decision":"block","reason":"caf\uFFFD"}' };
    expect(interpret(asked("user_prompt_submit"), block)).toMatchObject({
      kind: "answered",
      warning: expect.stringContaining("not UTF-8"),
    });
  });

  test("may print text, which causes a warning and lets the call continue", () => {
    for (const text of ["checked", "checked {x} and ${HOME}", "a: [1", "rules { deny: 1 }", "'{' \"a\" : {"]) {
      for (const event of GUARDS)
        expect(read(event, text)).toEqual({ kind: "said", text, warning: expect.stringContaining("has no effect") });
    }
  });

  test("causes a warning on other events, and its text stays context where an event takes context", () => {
    expect(read("user_prompt_submit", 'checked\n{"decision":"block"}')).toMatchObject({
      kind: "said",
      warning: expect.stringContaining("holds a JSON object"),
    });
    expect(read("turn_start", 'the file: {"name":"x","version":"1"}')).not.toHaveProperty("warning");
    expect(read("turn_start", "[1,2]")).not.toHaveProperty("warning");
    expect(read("turn_start", '[{"decision":"block"}]')).toMatchObject({
      kind: "said",
      warning: expect.stringContaining("JSON array"),
    });
    expect(read("before_llm_call", "text")).toMatchObject({
      kind: "said",
      warning: expect.stringContaining("has no effect"),
    });
    expect(read("turn_end", "text")).not.toHaveProperty("warning");
  });
});

describe("strict_output", () => {
  const strict = { strict_output: true };
  test.each([
    ["turn_start", "text", "strict_output requires a JSON object or empty stdout"],
    ["turn_start", '{"decision":"allow"}', 'invalid decision "allow": expected block'],
    ["turn_start", '{"decision":"block"}', "turn_start does not support blocking output"],
    ["turn_start", '{"reason":"a","reason":"b"}', 'repeated key "reason"'],
    ["turn_start", '{"suppress_output":true}', "suppress_output is not supported; use stderr for diagnostics"],
    [
      "post_tool_use",
      '{"hook_specific_output":{"permission_decision_reason":"r"}}',
      "post_tool_use does not support permission_decision",
    ],
    ["turn_start", '{"hook_specific_output":{"colour":1}}', '"hook_specific_output.colour"'],
    [
      "session_start",
      '{"hook_specific_output":{"instruction_context":[{"content":"c"},{"colour":1}]}}',
      'unknown key "hook_specific_output.instruction_context.colour"',
    ],
    [
      "turn_start",
      '{"hook_specific_output":{"hook_event_name":"stop"}}',
      'output hook_event_name "stop" does not match turn_start',
    ],
  ] as const)("on %s %s fails", (event, stdout, message) => {
    expect(read(event, stdout, strict)).toMatchObject({ kind: "failed", error: expect.stringContaining(message) });
  });

  test("instruction_context is accepted on events that support it", () => {
    expect(
      read("session_start", '{"hook_specific_output":{"instruction_context":[{"content":"c"}]}}', strict).kind,
    ).toBe("answered");
  });
});

describe("exit 2", () => {
  const exit2 = (stdout: string, stderr: string) =>
    interpret(
      { event: "pre_tool_use", contract: contractOf("pre_tool_use"), hook: defineHook({ type: "command" }) },
      { kind: "exited", exitCode: 2, stdout, stderr },
    );

  test("the message is the trimmed standard error, and standard output is ignored", () => {
    expect(exit2('{"reason":"other"}', " no \n")).toMatchObject({ kind: "blocked", message: "no" });
  });

  test.each([
    ['{"reason":"r","stop_reason":"s"}', "r"],
    ['{"stop_reason":"s"}', "s"],
    ['{"hook_specific_output":{"permission_decision_reason":"p"}}', "p"],
    ["not json", ""],
    ["[]", ""],
    ["", ""],
  ])("with a blank standard error %s says %j", (stdout, message) => {
    const outcome = exit2(stdout, " ");
    expect(outcome).toMatchObject({ kind: "blocked", message });
    const isLost = message === "" && stdout !== "";
    expect("warning" in outcome ? outcome.warning : "").toBe(
      isLost
        ? "exit code 2 blocks, and its standard output is not read as the reason: write the reason to standard error"
        : "",
    );
  });

  test("of standard output, only the system message is kept", () => {
    expect(
      exit2(
        '{"reason":"r","system_message":"s","hook_specific_output":{"updated_input":{"a":1},"permission_decision":"allow"}}',
        "",
      ),
    ).toEqual({ kind: "blocked", message: "r", systemMessage: "s", stderr: "" });
  });
});

test("an exit code that the hook may end with says nothing", () => {
  const exited = (hook: Partial<HookDefinition>) =>
    interpret(asked("turn_start", hook), { kind: "exited", exitCode: 3, stdout: '{"continue":false}', stderr: "x" });
  expect(exited({ other_exit_codes: "allow" })).toEqual({ kind: "silent" });
  expect(exited({})).toMatchObject({ kind: "failed", error: "exited with status 3" });
});

describe("a failing exit code", () => {
  const exited = (exitCode: number, stderr: string, hint?: string) =>
    interpret(asked("turn_start"), { kind: "exited", exitCode, stdout: "{}", stderr, ...(hint ? { hint } : {}) });
  const long = `a${"b".repeat(299)}`;

  test.each([
    [1, "sh: no\n", undefined, "exited with status 1"],
    [125, "", "advice", "exited with status 125"],
    [128, "x", "advice", "exited with status 128"],
    [127, "", undefined, "exited with status 127"],
    [127, "\n  sh: x: not found \r\nmore\n", undefined, "exited with status 127: sh: x: not found"],
    [126, "one\rtwo", "advice", "exited with status 126: one: advice"],
    [126, "", "advice", "exited with status 126: advice"],
    [127, long, undefined, `exited with status 127: ${long}`],
    [127, `${long}c`, undefined, `exited with status 127: ${long}...`],
  ])("%d with %j on standard error and the hint %j is a failure: %s", (code, stderr, hint, error) => {
    expect(exited(code, stderr, hint)).toEqual({
      kind: "failed",
      reason: "failed",
      error,
      stderr,
      help: PROGRAM_OF_A_HOOK_FAILED,
    });
  });
});

test("a failure to read the answer keeps standard error", () => {
  const printed = { kind: "exited", exitCode: 0, stdout: "{ x", stderr: "trace" } as const;
  expect(interpret(asked("pre_tool_use"), printed)).toMatchObject({ kind: "failed", stderr: "trace" });
  expect(interpret(asked("pre_tool_use"), { ...printed, isUtf8: false })).toMatchObject({
    error: expect.stringContaining("not UTF-8"),
    stderr: "trace",
  });
});

test("text on an event that only takes a rewrite causes a warning", () => {
  expect(read("tool_response_transform", "text")).toMatchObject({ warning: expect.stringContaining("has no effect") });
});

test("a repeated key is refused under strict_output only", () => {
  const text = '{"reason":"a","system_message":"s","reason":"b"}';
  expect(read("turn_start", text)).toEqual({ kind: "answered", output: { reason: "b", system_message: "s" } });
});

test("every problem of an answer that blocks is named, in order", () => {
  const outcome = read("user_prompt_submit", '{"decision":"block","reason":1,"system_message":2}');
  expect(outcome).toMatchObject({
    problem: expect.stringMatching(/^invalid hook output: reason: .*; invalid hook output: system_message: [^;]*$/),
  });
});

test("the texts of a block by exit 2 are trimmed, and values of another type are skipped", () => {
  const blocked = (answer: object) =>
    interpret(asked("pre_tool_use"), { kind: "exited", exitCode: 2, stdout: JSON.stringify(answer), stderr: "" });
  expect(blocked({ reason: 1, stop_reason: " s ", system_message: " m\n" })).toEqual({
    kind: "blocked",
    message: "s",
    systemMessage: "m",
    stderr: "",
  });
  expect(blocked({ hook_specific_output: null, system_message: 1 })).toMatchObject({ message: "", systemMessage: "" });
});

test("strict_output takes an unknown key set to null for absent, and the event's own name", () => {
  const answer =
    '{"colour":null,"system_message":"s","hook_specific_output":{"hook_event_name":"turn_start","x":null}}';
  expect(read("turn_start", answer, { strict_output: true })).toMatchObject({ kind: "answered" });
});

describe("a transition", () => {
  const transition = (value: object) => JSON.stringify({ hook_specific_output: { transition: value } });

  test.each<[EventName, object, string | undefined]>([
    ["before_agent_run", { action: "route", agent: "quick" }, undefined],
    ["before_agent_run", { action: "route", agent: " " }, "route transition requires an agent"],
    ["before_agent_run", { action: "route" }, "route transition requires an agent"],
    ["before_agent_run", { agent: "quick" }, 'invalid transition action "": expected route'],
    ["before_agent_run", { action: "jump", agent: "quick" }, 'invalid transition action "jump": expected route'],
    ["turn_start", { action: "route", agent: "quick" }, "turn_start does not support transition"],
  ])("on %s, %j: %p", (event, value, error) => {
    const outcome = read(event, transition(value));
    if (error === undefined) expect(outcome).toMatchObject({ kind: "answered" });
    else expect(outcome).toMatchObject({ kind: "failed", error });
  });

  test("that is invalid is dropped from an answer that blocks", () => {
    const answer = { decision: "block", hook_specific_output: { transition: { action: "route" } } };
    const outcome = read("before_agent_run", JSON.stringify(answer));
    expect(outcome).toEqual({
      kind: "answered",
      output: { decision: "block", hook_specific_output: {} },
      problem: "route transition requires an agent",
    });
  });

  test("with an unknown key is refused by strict_output", () => {
    const outcome = read("before_agent_run", transition({ action: "route", agent: "quick", colour: 1 }), {
      strict_output: true,
    });
    expect(outcome).toMatchObject({
      error: 'invalid hook output: unknown key "hook_specific_output.transition.colour"',
    });
  });
});

test.each<[EventName, HookOutput["hook_specific_output"], string | undefined]>([
  ["turn_start", undefined, undefined],
  ["turn_start", { additional_context: "x" }, undefined],
  ["turn_start", { summary: "" }, undefined],
  ["turn_start", { updated_input: {} }, undefined],
  ["turn_start", { permission_decision: "deny" }, undefined],
  ["turn_start", { summary: "x" }, "summary has no effect: turn_start takes additional_context, instruction_context"],
  [
    "turn_start",
    { summary: "x", updated_input: { a: 1 } },
    "updated_input, summary have no effect: turn_start takes additional_context, instruction_context",
  ],
  ["session_end", { summary: "x" }, "summary has no effect: session_end takes no field of hook_specific_output"],
])("on %s, of %j: %p", (event, hook_specific_output, text) => {
  expect(unusedText(asked(event), omitEmpty({ hook_specific_output }))).toBe(text as never);
});

test("a value of a hook in this process that cannot be JSON is refused, and a plain one kept", () => {
  const returned = (updated_input: Record<string, unknown>) =>
    interpret(asked("pre_tool_use"), { kind: "returned", output: { hook_specific_output: { updated_input } } });
  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;
  expect(returned(cycle)).toMatchObject({ kind: "failed", error: expect.stringContaining("cannot be serialised: ") });
  expect(returned({ at: new Date(0) })).toMatchObject({ kind: "answered" });
  expect(returned({ a: 1 })).toMatchObject({
    kind: "answered",
    output: { hook_specific_output: { updated_input: { a: 1 } } },
  });
});

describe("a guard that says nothing and ends with 0", () => {
  const warningOf = (stderr: string, event: EventName = "pre_tool_use") => {
    const outcome = interpret(asked(event), { kind: "exited", exitCode: 0, stdout: "", stderr });
    return "warning" in outcome ? outcome.warning : undefined;
  };

  test.each([
    ["guard.sh: 2: [[: not found", true],
    ["guard.sh: line 2: jqq: command not found\r\ndone\n", true],
    ["guard.sh: not found", false],
    ["policy.json: 3: not found", false],
    ["lookup: 2: 3 keys not found here", false],
    // An expression that looks for all of it in one go takes minutes.
    [": 1: ".repeat(200_000), false],
  ])("after %.60j", (stderr, isUnsure) => {
    expect(warningOf(stderr)).toEqual(isUnsure ? expect.stringContaining("did not find a command") : undefined);
    expect(warningOf(stderr, "turn_start")).toBeUndefined();
  });
});
