import { describe, expect, test } from "bun:test";
import { defineHook } from "../../../src/config/hooks/read-hooks.ts";
import { DIALECTS, type DialectName } from "../../../src/dialects/names.ts";
import { dialectProblem } from "../../../src/dialects/script-events.ts";
import { ANSWERS } from "../../../src/dialects/scripts/answer-rules.ts";
import { readScript } from "../../../src/dialects/scripts/answers.ts";
import { payloadFor } from "../../../src/dialects/scripts/compose.ts";
import type { Reading } from "../../../src/dialects/scripts/fit-answer.ts";
import { aggregate } from "../../../src/engine/aggregate.ts";
import { inHooksh } from "../../../src/engine/handlers/foreign-script.ts";
import { interpret } from "../../../src/engine/interpret.ts";
import { readStandardOutput } from "../../../src/engine/standard-output.ts";
import { contractOf, type EventName } from "../../../src/protocol/events.ts";
import type { AnyResult } from "../../../src/protocol/result.ts";
import type { Payload } from "../../../src/protocol/rewrite.ts";

const NAMES = (Object.keys(DIALECTS) as DialectName[]).filter((name) => name !== "opencode");
const shell: Payload = { session_id: "s", cwd: "/p", tool_name: "shell", tool_input: { cmd: "git push" } };

interface Answered {
  event?: EventName;
  out?: unknown;
  err?: string;
  exit?: number;
  isOwnHost?: boolean;
  isHosted?: boolean;
  input?: Payload;
}

/** Reads an answer and folds it, as the engine does with the answer of a hook. */
async function judge(name: DialectName, answered: Answered): Promise<AnyResult & { warning?: string }> {
  const { event = "pre_tool_use", out = "", err = "", exit = 0, isOwnHost = false, isHosted = false } = answered;
  const { dialect } = await DIALECTS[name].load();
  const input = { hook_event_name: event, ...(answered.input ?? shell) };
  const composed = payloadFor(dialect, { event, input, now: new Date(0) }, undefined);
  const stdout = typeof out === "string" ? out : JSON.stringify(out);
  const asked = {
    dialect: name,
    event,
    hostEvent: composed.event,
    tool: composed.tool,
    isOwnHost,
    isHosted,
    isStrict: false,
  };
  const end = { exitCode: exit, stdout, stderr: err };
  const rules = ANSWERS[name];
  if (!rules) throw new Error(name);
  const reading: Reading = readScript(rules, asked, end, readStandardOutput);
  const hook = defineHook({ type: "command", command: "x", dialect: name });
  const contract = contractOf(event);
  const outcome = interpret({ event, contract, hook }, inHooksh(reading, { kind: "exited", ...end }));
  const { result } = aggregate([{ event, contract, hook, outcome, rewriteDropped: false }]);
  const specific = outcome.kind === "answered" ? outcome.output.hook_specific_output : undefined;
  const { updated_input: patch, updated_tool_response: replaced } = specific ?? {};
  return {
    ...result,
    ...(patch ? { modified_input: patch } : {}),
    ...(replaced === undefined ? {} : { updated_tool_response: replaced }),
    ...("warning" in outcome && outcome.warning ? { warning: outcome.warning } : {}),
  };
}

const nested = (fields: object, event = "PreToolUse") => ({ hookSpecificOutput: { hookEventName: event, ...fields } });
const deny = { permissionDecision: "deny", permissionDecisionReason: "no" };

describe("before a tool", () => {
  const denied = { allowed: false, message: expect.stringContaining("no") };
  test.each<[DialectName, Answered, object]>([
    ["claude", { out: nested(deny) }, denied],
    ["claude", { out: nested(deny), exit: 1 }, denied],
    ["claude", { out: { ...nested(deny, "Stop") } }, denied],
    ["claude", { err: "no", exit: 2 }, denied],
    ["claude", { exit: 2 }, { allowed: false }],
    ["claude", { out: nested({ permissionDecision: "allow" }), exit: 2, err: "no" }, denied],
    ["claude", { out: { decision: "block", reason: "no" } }, denied],
    ["claude", { out: { continue: false, stopReason: "no" } }, denied],
    ["claude", { exit: 1, err: "no jq here" }, { allowed: false, stderr: "no jq here" }],
    ["claude", { exit: 127 }, { allowed: false }],
    ["claude", { out: {}, exit: 1 }, { allowed: false }],
    [
      "claude",
      { out: { decision: "maybe" } },
      { allowed: false, message: expect.stringContaining('unknown decision "maybe"') },
    ],
    ["claude", { out: { permission: "allow" } }, { allowed: false, message: expect.stringContaining("unknown key") }],
    [
      "claude",
      { out: nested({ permissionDecision: "allow" }, "Stop") },
      { allowed: false, message: expect.stringContaining("hookEventName") },
    ],
    ["claude", { out: { hookSpecificOutput: { permissionDecision: "allow" } } }, { allowed: false }],
    ["claude", { out: '{"hookSpecificOutput":{"permis' }, { allowed: false }],
    ["claude", { out: `checking\n${JSON.stringify(nested(deny))}` }, { allowed: false }],
    ["claude", { out: "all fine" }, { allowed: true }],
    ["claude", {}, { allowed: true }],
    ["claude", { out: {} }, { allowed: true }],
    [
      "claude",
      { out: nested({ permissionDecision: "ask", permissionDecisionReason: "why" }) },
      { decision: "ask", decision_reason: "why" },
    ],
    ["claude", { out: nested({ permissionDecision: "defer" }) }, { decision: "ask" }],
    ["claude", { out: nested({ permissionDecision: "allow" }) }, { decision: "allow" }],
    ["claude", { out: nested({ permissionDecision: "allow" }), exit: 1 }, { decision: "allow" }],
    ["claude", { out: { decision: "approve" } }, { decision: "allow" }],
    [
      "claude",
      { out: nested({ updatedInput: { command: "git push --dry-run" } }) },
      { allowed: true, modified_input: { cmd: "git push --dry-run" } },
    ],
    ["claude", { out: nested({ updatedInput: { command: "git push" } }) }, { allowed: true }],
    ["claude", { out: nested({ updatedInput: "git push" }) }, { allowed: false }],
    ["claude", { out: { systemMessage: "seen" } }, { allowed: true, system_message: "seen" }],
    [
      "codex",
      { out: nested({ permissionDecision: "allow" }) },
      { allowed: false, message: expect.stringContaining("allow without updatedInput") },
    ],
    [
      "codex",
      { out: nested({ permissionDecision: "allow", updatedInput: { command: "ls" } }) },
      { allowed: true, modified_input: { cmd: "ls" } },
    ],
    ["codex", { out: nested(deny), exit: 2 }, denied],
    ["gemini", { out: { decision: "deny", reason: "no" } }, denied],
    ["gemini", { out: { decision: "block", reason: "no" }, exit: 3 }, denied],
    ["gemini", { out: { decision: "allow" } }, { allowed: true }],
    ["gemini", { out: { decision: "allow" }, isOwnHost: true }, { decision: "allow" }],
    ["gemini", { err: '{"decision":"deny","reason":"no"}' }, denied],
    [
      "gemini",
      { out: { decision: "allow", hookSpecificOutput: { tool_input: { command: "ls" } } } },
      { modified_input: { cmd: "ls" } },
    ],
    ["qwen", { err: JSON.stringify(nested(deny)) }, denied],
    ["qwen", { err: JSON.stringify({ decision: "block", reason: "no" }), exit: 2 }, denied],
    ["agy", { out: { decision: "deny", reason: "no" } }, denied],
    ["agy", { out: { decision: "force_ask", reason: "why" } }, { decision: "ask", decision_reason: "why" }],
    ["agy", { out: { decision: "ALLOW" } }, { allowed: false }],
    ["agy", { out: {} }, { allowed: false }],
    ["agy", { out: "fine" }, { allowed: false }],
    ["agy", {}, { allowed: true }],
    ["agy", { out: { decision: "allow", overwrite: { CommandLine: "ls" } } }, { modified_input: { cmd: "ls" } }],
    ["copilot", { out: deny }, denied],
    ["copilot", { out: `{"type":"progress","message":"x"}\n${JSON.stringify(deny)}` }, denied],
    ["copilot", { out: { modifiedArgs: { command: "ls" } } }, { modified_input: { cmd: "ls" } }],
    ["copilot", { exit: 1 }, { allowed: false }],
    ["copilot-pascal", { out: nested(deny) }, denied],
    ["cursor", { out: { permission: "deny", user_message: "no" } }, denied],
    ["cursor", { out: { permission: "ask", user_message: "why" } }, { decision: "ask", decision_reason: "why" }],
    ["cursor", { out: { permission: "allow", updated_input: { command: "ls" } } }, { modified_input: { cmd: "ls" } }],
    ["cursor", { out: { continue: false, user_message: "no" } }, denied],
    ["windsurf", { exit: 2, err: "no" }, denied],
    ["windsurf", { out: "anything" }, { allowed: true }],
    ["windsurf", { out: { decision: "deny", reason: "no" } }, denied],
    ["windsurf", { out: { permission: "sure" } }, { allowed: false }],
    ["q", { exit: 2, err: "no" }, denied],
    ["kiro", { exit: 1 }, { allowed: false }],
    ["cline", { out: 'log {"a":1}\n{"cancel":true,"errorMessage":"no"}\nend' }, denied],
    ["cline", { out: { cancel: false }, exit: 1 }, { allowed: true }],
    ["cline", { out: '{\n "cancel": true,\n "errorMessage": "no",\n "extra": {"cancel": false}\n}' }, denied],
    ["cline-sdk", { out: 'x\nHOOK_CONTROL\t{"cancel":true,"errorMessage":"no"}\n{"cancel":false}' }, denied],
    ["cline-sdk", { out: { review: true } }, { decision: "ask" }],
    ["cline-sdk", { out: { overrideInput: { commands: ["ls", "pwd"] } } }, { modified_input: { cmd: "ls\npwd" } }],
    ["grok", { out: { decision: "deny", reason: "no" }, exit: 2 }, denied],
    ["grok", { out: { decision: "allow" } }, { allowed: true }],
    ["kimi", { exit: 2, err: "no" }, denied],
    ["kimi", { out: { hookSpecificOutput: deny } }, denied],
    ["goose", { out: { decision: "block", reason: "no" }, exit: 1 }, denied],
    ["goose", { out: {} }, { allowed: false }],
    ["goose", { out: { decision: "allow" } }, { allowed: true }],
    ["crush", { out: { decision: "deny", reason: "no" } }, denied],
    ["crush", { exit: 49, err: "no" }, denied],
    ["crush", { out: { halt: true, reason: "no" } }, denied],
    ["crush", { out: { updated_input: { command: "ls" } } }, { modified_input: { cmd: "ls" } }],
    ["crush", { out: { decision: "allow" } }, { decision: "allow" }],
    ["openhands", { out: { decision: "deny", reason: "no" }, exit: 2 }, denied],
    ["openhands", { out: { decision: "allow" } }, { allowed: true }],
    ["vibe", { out: { decision: "deny", reason: "no" } }, denied],
    ["vibe", { exit: 2, err: "no" }, { allowed: false, message: expect.stringContaining("status 2") }],
    ["vibe", { out: "text" }, { allowed: false }],
    ["vibe", { out: { hook_specific_output: { tool_input: { command: "ls" } } } }, { modified_input: { cmd: "ls" } }],
    ["droid", { out: nested(deny) }, denied],
    ["vscode", { out: nested(deny) }, denied],
  ])("%s: %j", async (name, answered, expected) => {
    const result = await judge(name, answered);
    expect(result).toMatchObject({ ...expected });
    for (const key of ["decision", "modified_input"] as const)
      if (!(key in expected) && result.allowed) expect(result[key]).toBeUndefined();
  });
});

describe("on other events", () => {
  const prompt = { session_id: "s", cwd: "/p", prompt: "deploy" };
  const after = { ...shell, tool_response: "out" };
  test.each<[DialectName, Answered, object]>([
    [
      "claude",
      { event: "user_prompt_submit", input: prompt, out: "ticket: SHOP-9" },
      { allowed: true, additional_context: "ticket: SHOP-9" },
    ],
    [
      "claude",
      { event: "user_prompt_submit", input: prompt, out: { decision: "block", reason: "no" } },
      { allowed: false, message: "no" },
    ],
    [
      "claude",
      { event: "user_prompt_submit", input: prompt, out: { continue: false, stopReason: "no" } },
      { allowed: false },
    ],
    ["claude", { event: "user_prompt_submit", input: prompt, exit: 2, err: "no" }, { allowed: false, message: "no" }],
    ["claude", { event: "user_prompt_submit", input: prompt, exit: 1 }, { allowed: true }],
    ["kimi", { event: "user_prompt_submit", input: prompt, out: "text" }, { additional_context: "text" }],
    ["q", { event: "user_prompt_submit", input: prompt, out: '{"a":1}' }, { additional_context: '{"a":1}' }],
    [
      "cursor",
      { event: "user_prompt_submit", input: prompt, out: { continue: false, user_message: "no" } },
      { allowed: false, message: "no" },
    ],
    ["cursor", { event: "user_prompt_submit", input: prompt, out: "text" }, { allowed: true }],
    [
      "openhands",
      { event: "user_prompt_submit", input: prompt, out: { additionalContext: "c" } },
      { additional_context: "c" },
    ],
    ["claude", { event: "session_start", input: prompt, out: "branch: main" }, { additional_context: "branch: main" }],
    [
      "agy",
      { event: "turn_start", input: prompt, out: { injectSteps: [{ ephemeralMessage: "a" }, { userMessage: "b" }] } },
      { additional_context: "a\nb" },
    ],
    ["claude", { event: "post_tool_use", input: after, out: "formatted" }, { allowed: true }],
    [
      "claude",
      { event: "post_tool_use", input: after, exit: 2, err: "lint" },
      { allowed: true, additional_context: "lint" },
    ],
    [
      "claude",
      { event: "post_tool_use", input: after, exit: 2, err: "lint", isHosted: true },
      { allowed: false, message: "lint" },
    ],
    [
      "claude",
      { event: "post_tool_use", input: after, out: { decision: "block", reason: "lint" } },
      { allowed: true, additional_context: "lint" },
    ],
    [
      "claude",
      { event: "post_tool_use", input: after, out: { continue: false, stopReason: "end" } },
      { allowed: false },
    ],
    [
      "claude",
      {
        event: "tool_response_transform",
        input: after,
        out: nested({ updatedToolOutput: { stdout: "clean", stderr: "" } }, "PostToolUse"),
      },
      { updated_tool_response: "clean" },
    ],
    [
      "codex",
      { event: "tool_response_transform", input: after, out: { decision: "block", reason: "clean" } },
      { updated_tool_response: "clean" },
    ],
    [
      "copilot",
      {
        event: "tool_response_transform",
        input: after,
        out: { modifiedResult: { resultType: "success", textResultForLlm: "clean" } },
      },
      { updated_tool_response: "clean" },
    ],
    [
      "vibe",
      { event: "tool_response_transform", input: after, out: { decision: "deny", reason: "clean" } },
      { updated_tool_response: "clean" },
    ],
    [
      "claude",
      {
        event: "permission_request",
        out: { hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "allow" } } },
      },
      { allowed: true, permission_allowed: true },
    ],
    [
      "claude",
      {
        event: "permission_request",
        out: {
          hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "deny", message: "no" } },
        },
      },
      { allowed: false },
    ],
    ["copilot", { event: "permission_request", out: { behavior: "deny", message: "no" } }, { allowed: false }],
    [
      "claude",
      { event: "stop_guard", input: prompt, out: { decision: "block", reason: "tests are red" } },
      { allowed: false, message: "tests are red" },
    ],
    ["claude", { event: "stop_guard", input: prompt, out: { continue: false } }, { allowed: true }],
    [
      "cursor",
      { event: "stop_guard", input: prompt, out: { followup_message: "tests are red" } },
      { allowed: false, message: "tests are red" },
    ],
    [
      "agy",
      { event: "stop_guard", input: prompt, out: { decision: "continue", reason: "tests are red" } },
      { allowed: false, message: "tests are red" },
    ],
    ["agy", { event: "stop_guard", input: prompt, out: { decision: "" } }, { allowed: true }],
    ["claude", { event: "pre_compact", input: prompt, out: { decision: "block", reason: "keep" } }, { allowed: false }],
  ])("%s: %j", async (name, answered, expected) => {
    expect(await judge(name, answered)).toMatchObject({ ...expected });
  });

  test("the approval of a changed call approves nothing", async () => {
    const decision = { behavior: "allow", updatedInput: { command: "ls" } };
    const out = { hookSpecificOutput: { hookEventName: "PermissionRequest", decision } };
    expect(await judge("claude", { event: "permission_request", out })).not.toHaveProperty("permission_allowed");
  });
});

describe("a denial holds with any text around it", () => {
  const DENIALS: readonly Payload[] = [
    nested(deny),
    { hookSpecificOutput: deny },
    { decision: "deny" },
    { decision: "block", reason: "no" },
    { permission: "deny" },
    { permissionDecision: "deny" },
    { behavior: "deny" },
    { cancel: true },
    { continue: false },
    { halt: true },
    { hook_specific_output: { permission_decision: "deny" } },
    { hookSpecificOutput: { decision: { behavior: "deny" } } },
    { allow: false },
  ];
  const AROUND: readonly Payload[] = [
    {},
    { systemMessage: 7 },
    { unknown: { decision: "allow" } },
    { hookSpecificOutput: { hookEventName: "Other", permissionDecision: "allow" } },
    { updated_input: "no object" },
    { suppressOutput: true, modifiedArgs: { command: "ls" } },
  ];
  test.each(NAMES)("%s", async (name) => {
    for (const event of ["pre_tool_use", "user_prompt_submit", "tool_guard"] as const) {
      if (dialectProblem(name, event) !== undefined) continue;
      const input = event === "user_prompt_submit" ? { session_id: "s", cwd: "/p", prompt: "x" } : shell;
      for (const denial of DENIALS)
        for (const around of AROUND)
          for (const exit of [0, 1, 2, 3, 49, 127]) {
            const out = { ...around, ...denial };
            const { allowed } = await judge(name, { event, input, out, exit });
            expect([event, out, exit, allowed]).toEqual([event, out, exit, false]);
          }
    }
  });

  test.each(NAMES)("%s: no broken answer approves a call", async (name) => {
    const full = JSON.stringify({ ...nested(deny), decision: "deny", permission: "deny", cancel: true });
    for (let length = 1; length < full.length; length++) {
      const result = await judge(name, { out: full.slice(0, length) });
      expect([length, result.decision === "allow" || (result.allowed && length > 1)]).toEqual([length, false]);
    }
  });
});

test("text for the model is never read as an answer of hooksh", async () => {
  const out = '{"hook_specific_output":{"additional_context":"x"},"system_message":"y"}';
  const event = "session_start";
  expect(await judge("q", { event, out })).toEqual({ allowed: true, additional_context: out });
});
