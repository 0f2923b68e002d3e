import { describe, expect, test } from "bun:test";
import { type Effect, effectOf, encode } from "../../src/dialects/encode.ts";
import type { DialectName } from "../../src/dialects/names.ts";
import type { AnyResult } from "../../src/protocol/result.ts";
import type { Payload } from "../../src/protocol/rewrite.ts";
import { codec } from "./codec.ts";

const shell = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" } };
const pre = "pre_tool_use";

test("a denial says the notice of its hook too, but no context", async () => {
  const { say } = await codec("claude");
  const result = { allowed: false, message: "no", system_message: "note", additional_context: "context" };
  expect(say(shell, { pre_tool_use: result }).out).toEqual({
    hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "no" },
    systemMessage: "note",
  });
});

test("an ask without a reason gets one", async () => {
  const { say } = await codec("claude");
  expect(say(shell, { pre_tool_use: { decision: "ask", decision_reason: " " } }).out).toMatchObject({
    hookSpecificOutput: {
      permissionDecision: "ask",
      permissionDecisionReason: "a hook asks for your approval",
    },
  });
});

test("an ask on an event where the host can neither ask nor deny is told to the user", async () => {
  const { say } = await codec("kimi");
  const asked = { permission_request: { decision: "ask", decision_reason: "sure?" } } as const;
  expect(say({ ...shell, hook_event_name: "PermissionRequest" }, asked)).toEqual({
    out: "",
    notes: ["kimi PermissionRequest: this host can neither ask nor deny here, dropped: needs your approval: sure?"],
  });
});

test("a change of the hooks is refused if hooksh fails, although no hook runs on it", async () => {
  const { fail } = await codec("claude");
  expect(fail("ConfigChange", "broken").out).toEqual({ decision: "block", reason: "hooksh: broken" });
  expect(fail("FileChanged", "broken")).toEqual({ out: "", notes: ["hooksh: broken"] });
});

test("a rewrite holds if a later result has none", async () => {
  const { read } = await codec("claude");
  const results = [{ allowed: true, modified_input: { cmd: "pwd" } }, { allowed: true }];
  const { stdout } = encode(
    read(shell),
    results.map((result) => ({ event: pre, result })),
  );
  expect(JSON.parse(stdout).hookSpecificOutput.updatedInput).toEqual({ command: "pwd" });
});

describe("what becomes of a rewrite", () => {
  const done = { ...shell, hook_event_name: "PostToolUse", tool_response: "t" };
  const readFile = { ...done, tool_name: "Read", tool_input: {}, tool_response: { custom: 1 } };
  const changed = { allowed: true, modified_input: { cmd: "pwd" } };
  const replaced = { allowed: true, updated_tool_response: "***" };
  const cursor = (event: string) => ({ conversation_id: "c", hook_event_name: event, command: "ls", cwd: "/w" });
  const cases: [name: string, DialectName, Payload, AnyResult, Effect][] = [
    ["the host obeys a rewrite", "claude", shell, changed, "enforced"],
    ["the host was not seen to obey one", "vscode", { ...shell, tool_name: "run_in_terminal" }, changed, "sent"],
    ["the host takes none here and the call is denied", "cursor", cursor("beforeShellExecution"), changed, "refused"],
    ["the input is the same", "claude", shell, { allowed: true, modified_input: { cmd: "ls" } }, "sent"],
    ["the host obeys a replaced result", "codex", done, replaced, "enforced"],
    ["the host obeys one of this tool", "claude", done, replaced, "enforced"],
    ["the host was not seen to obey one of this tool", "claude", { ...done, tool_name: "Skill" }, replaced, "sent"],
    ["the result does not fit the tool", "claude", readFile, replaced, "sent"],
    ["there is no rewrite", "claude", done, { allowed: true }, "sent"],
  ];
  test.each(cases)("%s", async (_name, dialect, payload, result, effect) => {
    expect(effectOf((await codec(dialect)).read(payload), result)).toBe(effect);
  });
});
