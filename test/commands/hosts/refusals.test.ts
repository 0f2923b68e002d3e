import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { hostEntry } from "../../../src/commands/hosts/host-entry.ts";
import { dispatchWords, readDispatchCall, readDispatchWords } from "../../../src/commands/hosts/own-command.ts";
import { readWrapperScript, wrapperScript } from "../../../src/commands/hosts/wrapper-script.ts";
import { hostFiles } from "../../../src/dialects/host-files.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

const SHELLS = ["sh", "bash", "zsh", "fish", "mksh", "csh"].filter((shell) => Bun.which(shell));
const NO_ANSWER = "hooksh did not answer, so this is refused";

/** A program in place of hooksh, in a folder with a space. */
const program = (script: string) => join(tempDir({ "my tools/hooksh!x": `#!/bin/sh\n${script}\n` }), "my tools/hooksh");
const callOf = (dialect: string, event: string, path: string) => ({ dialect, event, program: [path], directories: {} });

/** The line that `install` registers for an event of Codex. */
function codexLine(path: string, event = "PreToolUse"): string {
  return String(hostEntry(hostFiles("codex"), callOf("codex", event, path), "linux").entry["command"]);
}

function run(command: string[]): { code: number; stdout: string; stderr: string } {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { stdin: Buffer.from("{}") });
  return { code: exitCode, stdout: stdout.toString(), stderr: stderr.toString() };
}

describe.each(SHELLS)("the registered line in %s", (shell) => {
  test("passes the answer on", () => {
    expect(run([shell, "-c", codexLine(program("cat; exit 0"))])).toEqual({ code: 0, stdout: "{}", stderr: "" });
  });

  test.each([
    ["is gone", () => "/nonexistent/hooksh"],
    ["is killed", () => program("kill -9 $$")],
    ["exits 1", () => program("exit 1")],
  ])("refuses if hooksh %s", (_, path) => {
    const { code, stderr } = run([shell, "-c", codexLine(path())]);
    expect(code).toBe(2);
    expect(stderr).toContain(NO_ANSWER);
  });
});

describe("the registered line", () => {
  test("refuses only where the host takes a refusal", () => {
    expect(codexLine("hooksh", "PostToolUse")).toBe("hooksh dispatch --dialect codex --event PostToolUse");
  });

  test("is recognised as hooksh's own", () => {
    const path = "/opt/my tools/hooksh";
    expect(readDispatchCall(codexLine(path), "codex")).toMatchObject({ program: [path], event: "PreToolUse" });
    expect(readDispatchCall("hooksh dispatch --dialect codex || true", "codex")).toBeUndefined();
  });
});

test("a flag without a value is read back, wherever it is", () => {
  const call = {
    ...callOf("codex", "PreToolUse", "hooksh"),
    hooksFile: "/my/hooks.yaml",
    switches: ["proof"] as const,
  };
  expect(readDispatchWords(dispatchWords(call), "codex")).toMatchObject(call);
  const words = "hooksh dispatch --proof --dialect codex --event PreToolUse --hooks-file /my/hooks.yaml".split(" ");
  expect(readDispatchWords(words, "codex")).toMatchObject(call);
});

describe("the executable for a host that runs files", () => {
  const script = (path: string, event: string) =>
    wrapperScript(callOf("cline-sdk", event, path), hostFiles("cline-sdk"), "linux");
  const file = (text: string) => join(tempDir({ "PreToolUse!x": text }), "PreToolUse");
  const refusal = { cancel: true, errorMessage: NO_ANSWER };

  test("passes the answer on", () => {
    expect(run([file(script(program("cat"), "tool_call"))]).stdout).toBe("{}");
  });

  test.each([
    ["is gone", () => "/nonexistent/hooksh"],
    ["dies after half an answer", () => program("echo '{'; kill -9 $$")],
  ])("prints one refusal if hooksh %s", (_, path) => {
    const { code, stdout } = run([file(script(path(), "tool_call"))]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(refusal);
  });

  test.each(["tool_call", "agent_start"])("of %s is recognised as hooksh's own", (event) => {
    const path = "/opt/my tools/hooksh";
    expect(readWrapperScript(script(path, event), "cline-sdk")).toMatchObject({ program: [path], event });
  });
});
