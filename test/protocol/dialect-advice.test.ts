import { expect, test } from "bun:test";
import { SCRIPT_DIALECTS } from "../../src/dialects/script-events.ts";
import { withDialectAdvice } from "../../src/protocol/dialect-advice.ts";

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
