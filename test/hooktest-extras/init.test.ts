import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { NAIVE_GUARD } from "./guard-files.ts";

describe("hooksh test --init", () => {
  test("writes tests that pass at once, with a fault for each guard", async () => {
    const { "guard.hooktest.yaml": _tests, ...files } = NAIVE_GUARD;
    const cwd = tempDir(files);
    const written = await hooksh(["test", "--init", "hooks.yaml"], { cwd });
    expect(written.stdout).toBe("hooks.hooktest.yaml: 4 tests; run them with: hooksh test hooks.hooktest.yaml\n");
    const text = readFileSync(join(cwd, "hooks.hooktest.yaml"), "utf8");
    expect(text).toContain('hooks: "./hooks.yaml"');
    expect(text).toContain('fault: {"hook":"guard"}');
    const { stdout, code } = await hooksh(["test", "--coverage"], { cwd });
    expect(stdout).toContain("8 passed");
    expect(stdout).toContain("missing: refuses\n"); // the rest is for the user, who knows what it refuses
    expect(code).toBe(0);
  });

  test("overwrites nothing and runs no hook then", async () => {
    const cwd = tempDir({ ...NAIVE_GUARD, "guard.sh!x": "#!/bin/sh\ntouch ran\n" });
    writeFileSync(join(cwd, "hooks.hooktest.yaml"), "mine");
    const { stderr, code } = await hooksh(["test", "--init", "hooks.yaml"], { cwd });
    expect(stderr).toContain("hooks.hooktest.yaml: exists already and is not overwritten");
    expect(code).toBe(1);
    expect(readFileSync(join(cwd, "hooks.hooktest.yaml"), "utf8")).toBe("mine");
    expect(readdirSync(cwd)).not.toContain("ran");
  });

  test("answers for model hooks by a stub", async () => {
    const hooks = `pre_tool_use:
  - matcher: shell
    hooks:
      - {type: model, name: judge, model: openai/gpt-4o-mini, prompt: Is it safe?, schema: pre_tool_use_decision}
`;
    const cwd = tempDir({ "hooks.yaml": hooks });
    expect((await hooksh(["test", "--init", "hooks.yaml"], { cwd })).code).toBe(0);
    expect(readFileSync(join(cwd, "hooks.hooktest.yaml"), "utf8")).toContain('stubs:\n  "judge": {"decision":"allow"}');
    expect((await hooksh(["test"], { cwd })).code).toBe(0);
  });

  test("a file that is not there, or that cannot be written, is an error", async () => {
    const cwd = tempDir(NAIVE_GUARD);
    const missing = await hooksh(["test", "--init", "hoks.yaml"], { cwd });
    expect([missing.code, missing.stderr]).toEqual([1, "hoks.yaml: no such file\n"]);
    symlinkSync(join(cwd, "nowhere", "x"), join(cwd, "hooks.hooktest.yaml"));
    const { stderr, code } = await hooksh(["test", "--init", "hooks.yaml"], { cwd });
    expect(stderr).toStartWith("hooks.hooktest.yaml: cannot be written: ");
    expect(code).toBe(1);
  });

  test("a file without hooks is an error", async () => {
    const cwd = tempDir({ "agent.yaml": "agents: {root: {model: openai/x, instruction: y}}\n" });
    const { stderr, code } = await hooksh(["test", "--init", "agent.yaml"], { cwd });
    expect(stderr).toContain("agent.yaml: configures no hook");
    expect(code).toBe(1);
  });
});

test.each([
  ["--init=hooks.yaml", "--budget"],
  ["--init=hooks.yaml", "--junit=r.xml"],
  ["--init=hooks.yaml", "--fuzz-skip=tab"],
  ["--attacks", "--watch"],
  ["--attacks", "--fail-fast"],
])("%s with %s is a usage error: the second would have no effect", async (mode, flag) => {
  const cwd = tempDir({ "hooks.yaml": "turn_end: [{type: command, command: 'true'}]\n" });
  const { code, stderr } = await hooksh(["test", mode, flag], { cwd });
  expect([code, stderr]).toEqual([64, expect.stringContaining("has no effect with")]);
  expect(existsSync(join(cwd, "hooks.hooktest.yaml"))).toBe(false);
});
