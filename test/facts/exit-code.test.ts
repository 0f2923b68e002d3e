import { describe, expect, test } from "bun:test";
import type { DialectName } from "../../src/dialects/names.ts";
import { resultText } from "../../src/dialects/values.ts";
import { exitCodeOf } from "../../src/facts/exit-code.ts";
import type { Payload } from "../../src/protocol/rewrite.ts";
import { codec } from "../dialects/codec.ts";

/** The exit code that the result of a command has, as a host sends it. */
async function codeOf(name: DialectName, payload: Payload): Promise<number | undefined> {
  const host = (await codec(name)).read(payload);
  const own = host.events.at(-1)?.payload ?? {};
  return exitCodeOf(own, host, resultText(own["tool_response"]));
}

const after = (tool_name: string, result: Payload) => ({ hook_event_name: "PostToolUse", tool_name, ...result });

describe("the exit code in the result of an agent", () => {
  test.each<[DialectName, Payload, number | null]>([
    ["codex", after("Bash", { tool_response: "Exit code: 1\nWall time: 0 seconds\nOutput:\nx" }), 1],
    ["codex", after("Bash", { tool_response: "Wall time: 0.1 seconds\nProcess exited with code 0\nOutput:\nx" }), 0],
    ["codex", after("Bash", { tool_response: "hello\n" }), null],
    [
      "gemini",
      {
        hook_event_name: "AfterTool",
        tool_name: "run_shell_command",
        tool_response: {
          llmContent: "<untrusted_context>\nOutput: oops\nExit Code: 3\nProcess Group PGID: 8590\n</untrusted_context>",
        },
      },
      3,
    ],
    [
      "qwen",
      after("run_shell_command", {
        tool_response: {
          llmContent:
            "Command: x\nDirectory: (root)\nOutput: Exit Code: 0\nError: (none)\nExit Code: 2\nSignal: (none)\nProcess Group PGID: (none)",
        },
      }),
      2,
    ],
    ["droid", after("Execute", { tool_response: "Command failed\n\n[Process exited with code 4]" }), 4],
    ["droid", after("Execute", { tool_response: "[Process exited with code 4]\n\n[Process exited with code 0]" }), 0],
    [
      "copilot",
      {
        hookName: "postToolUse",
        toolName: "bash",
        toolResult: { resultType: "success", textResultForLlm: "oops\n<shellId: 1 completed with exit code 3>" },
      },
      3,
    ],
    [
      "copilot-pascal",
      after("Bash", { tool_result: { result_type: "success", text_result_for_llm: "x\n<exited with exit code 1>" } }),
      1,
    ],
    [
      "q",
      {
        hook_event_name: "postToolUse",
        tool_name: "execute_bash",
        tool_response: { success: true, result: [{ exit_status: "5", stdout: "", stderr: "" }] },
      },
      5,
    ],
    [
      "opencode",
      { hook_event_name: "tool.execute.after", tool_name: "bash", tool_response: "x", metadata: { exit: 6 } },
      6,
    ],
    [
      "openhands",
      { event_type: "PostToolUse", tool_name: "terminal", tool_output: { content: "x", metadata: { exit_code: 7 } } },
      7,
    ],
    ["claude", after("Bash", { tool_response: { stdout: "Exit code: 1", stderr: "" } }), null],
  ])("%s %j", async (name, payload, expected) => {
    expect((await codeOf(name, payload)) ?? null).toBe(expected);
  });
});

test("the words of hooksh's own shell", () => {
  const code = (text: string) => exitCodeOf({ tool_response: text }, undefined, text);
  expect(code("Error executing command: exit status 3\nOutput: x")).toBe(3);
  expect(code("Error executing command: exit status 3\nOutput:")).toBe(3);
  expect(code("Error executing command: signal: killed\nOutput: x")).toBe(-1);
  expect(code("Command timed out after 30 s\nOutput: x")).toBe(-1);
  expect(code("x\nError executing command: exit status 3\nOutput: x")).toBeUndefined();
  expect(exitCodeOf({ tool_response: { exit_code: 2 } }, undefined, "")).toBe(2);
});

test("of several commands one that failed counts, and a deep result is not read to its end", () => {
  const results = [{ exit_code: 0 }, { exit_code: 9 }, { exit_code: 0 }];
  expect(exitCodeOf({ tool_response: { result: results } }, undefined, "")).toBe(9);
  let deep: Payload = { exit_code: 1 };
  for (let level = 0; level < 10_000; level++) deep = { result: deep };
  expect(exitCodeOf({ tool_response: deep }, undefined, "")).toBeUndefined();
});

test("a long result is read at its ends", () => {
  const text = `${"x\n".repeat(500_000)}[Process exited with code 4]`;
  const host = { dialect: { name: "droid" }, payload: {} } as Parameters<typeof exitCodeOf>[1];
  expect(exitCodeOf({}, host, text)).toBe(4);
});
