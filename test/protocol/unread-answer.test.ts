import { describe, expect, test } from "bun:test";
import { SCRIPT_DIALECTS } from "../../src/dialects/script-events.ts";
import { mentionsVerdict, unreadKeyText, withDialectAdvice } from "../../src/protocol/unread-answer.ts";

const VERDICT = '"decision": "block" or hook_specific_output.permission_decision';

describe("a key of another hook protocol is named, with the key that is read", () => {
  const deciding =
    "permission behavior verdict action allow allowed approve approved deny denied block blocked reject rejected cancel proceed";
  test.each([
    ...deciding.split(" ").map((key) => [key, VERDICT] as const),
    ["userMessage", '"system_message"'],
    ["agent_message", '"reason"'],
    ["errorMessage", '"reason"'],
    ["contextModification", '"hook_specific_output.additional_context"'],
    ["overrideInput", '"hook_specific_output.updated_input"'],
    ["modifiedArgs", '"hook_specific_output.updated_input"'],
    ["overwrite", '"hook_specific_output.updated_input"'],
  ] as const)("%s", (key, known) => {
    expect(unreadKeyText("top", { [key]: 1 })).toBe(`"${key}" is not read, ${known} would be`);
    expect(unreadKeyText("specific", { [key]: 1 })).toBe(
      `"hook_specific_output.${key}" is not read, ${known} would be`,
    );
  });
});

test("a key of the other level is named", () => {
  expect(unreadKeyText("top", { summary: "" })).toBe('"summary" is not read, "hook_specific_output.summary" would be');
  expect(unreadKeyText("specific", { continue: 1 })).toBe(
    '"hook_specific_output.continue" is not read, "continue" would be',
  );
});

test.each([
  ["top", "hook_event_name"],
  ["specific", "reason"],
  ["specific", "stop_reason"],
  ["specific", "system_message"],
  ["specific", "suppress_output"],
] as const)("at level %s, %s decides nothing and is not named", (level, key) => {
  const known = level === "top" ? { reason: "" } : { summary: "" };
  expect(unreadKeyText(level, { ...known, [key]: "" })).toBeUndefined();
});

test("a key that every object has in JavaScript is no known key", () => {
  for (const key of ["constructor", "toString", "valueOf"])
    expect(unreadKeyText("top", { [key]: 1 })).toStartWith(`no key of it is read ("${key}")`);
});

test("of many unknown keys three are named", () => {
  expect(unreadKeyText("top", { x1: 1, x2: 2, x3: 3, x4: 4 })).toStartWith('no key of it is read ("x1", "x2", "x3"): ');
  expect(unreadKeyText("specific", { x1: 1 })).toBe(
    'no key of it is read ("hook_specific_output.x1"): an answer has hook_event_name, permission_decision, ' +
      "permission_decision_reason, updated_input, updated_messages, updated_tool_response, updated_response, additional_context, summary, " +
      "metadata, instruction_context, transition, and {} says nothing",
  );
  expect(unreadKeyText("top", { x1: 1, reason: "" })).toBeUndefined();
  expect(unreadKeyText("top", {})).toBeUndefined();
});

test("a typing error is found among the first hundred unknown keys", () => {
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`x${n}`, n]));
  expect(unreadKeyText("top", { ...many(99), decison: 1 })).toStartWith('"decison" is not read');
  expect(unreadKeyText("top", { ...many(100), decison: 1 })).toStartWith("no key of it is read");
  expect(unreadKeyText("top", { reason: "", decision_id: 1 })).toBeUndefined();
});

test.each(["continue", "decision", "permission", "permissionDecision", "hook-specific-output", "Decision"])(
  "a text with the key %s speaks of a verdict",
  (key) => {
    expect(mentionsVerdict(`log "name": 1, "${key}" : x`)).toBe(true);
    expect(mentionsVerdict(`log ${key}: x`)).toBe(false);
  },
);

const command = { type: "command" };

test.each([
  [{ hookSpecificOutput: { permissionDecision: "deny" } }, "Claude Code's shape: set dialect: claude on the hook"],
  [{ hookSpecificOutput: { hookEventName: "BeforeTool", tool_input: {} } }, "Gemini CLI's shape: set dialect: gemini"],
  [{ permissionDecision: "deny" }, "GitHub Copilot's shape: set dialect: copilot"],
  [{ behavior: "deny" }, "dialect: copilot"],
  [{ permission: "deny", user_message: "x" }, "Cursor's shape: set dialect: cursor"],
  [{ decision: "allow", overwrite: {} }, "Antigravity's shape: set dialect: agy"],
  [{ cancel: true, errorMessage: "x" }, "Cline's shape: set dialect: cline or dialect: cline-sdk"],
  [{ overrideInput: {} }, "Cline CLI's shape: set dialect: cline-sdk"],
  [{ decision: "deny", halt: true }, "Crush's shape: set dialect: crush"],
  [{ decision: "deny" }, "several agents' shape: set dialect: gemini or dialect: agy"],
])("%j", (answer, advice) => {
  const text = withDialectAdvice("not read", command, answer);
  expect(text).toContain(`not read; the answer is in`);
  expect(text).toContain(advice);
  for (const [, name = ""] of text.matchAll(/dialect: ([a-z-]+)/g)) expect(SCRIPT_DIALECTS).toContain(name);
});

test("other answers, and hooks that cannot have the key, get no advice", () => {
  expect(withDialectAdvice("not read", command, { decison: "block" })).toBe("not read");
  expect(withDialectAdvice("not read", { type: "builtin" }, { cancel: true })).toBe("not read");
  expect(withDialectAdvice(undefined, command, { cancel: true })).toBeUndefined();
});
