import { describe, expect, test } from "bun:test";
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { hooksh } from "./helpers/binary.ts";
import { agentFor, type Step } from "./helpers/fake-openai.ts";
import { modelServers } from "./helpers/model-server.ts";
import { tempDir } from "./helpers/temp-dir.ts";

const serve = modelServers();
const examples = join(import.meta.dir, "../examples");

/** Copies an example into a new directory. */
function copyOf(example: string): string {
  const cwd = tempDir();
  cpSync(join(examples, example), cwd, { recursive: true });
  return cwd;
}

/** Examples that are tested in another file. */
const TESTED_ELSEWHERE = ["agents", "guards", "own-hook"];

test("every example has a test", () => {
  expect(readdirSync(examples).sort()).toEqual(
    [
      ...TESTED_ELSEWHERE,
      "README.md",
      "approved-texts",
      "dispatch",
      "evaluator",
      "guarded-answers",
      "guarded-cleanup",
      "routing",
      "rules",
      "scripts",
    ]
      .filter((name) => existsSync(join(examples, name)))
      .sort(),
  );
});

/** The agent files and hooks files of the examples. */
const configurations = [...new Bun.Glob("**/*.yaml").scanSync(examples)].filter(
  (name) => !/recording\.yaml$|\.hooktest\.yaml$/.test(name),
);

test("every example with hooks has tests", () => {
  const files = [...new Bun.Glob("**/*.hooktest.yaml").scanSync(examples)];
  expect(files.map((name) => name.replace(".hooktest", "")).sort()).toEqual(configurations.toSorted());
});

test("every YAML file of the examples is valid", async () => {
  expect(configurations.length).toBeGreaterThan(1);
  const ran = await hooksh(["validate", ...configurations], { cwd: examples });
  expect(ran).toMatchObject({
    code: 0,
    // The rule on trial.
    stderr: expect.stringMatching(/^warning: \S+observed-first\/hooks\.yaml:5:\d+: [^\n]* only observes: [^\n]*\n$/),
  });
});

test("every YAML file of the examples names an existing schema", async () => {
  for (const name of configurations) {
    const [line = ""] = (await Bun.file(join(examples, name)).text()).split("\n", 1);
    const [, schema = ""] = /^# yaml-language-server: \$schema=(\S+)$/.exec(line) ?? [];
    const kind = name.endsWith("agent.yaml") ? "agent" : "hooks";
    expect([name, await Bun.file(join(examples, dirname(name), schema)).exists(), schema]).toEqual([
      name,
      true,
      expect.stringContaining(`/${kind}.schema.json`),
    ]);
  }
});

describe("guarded-cleanup", () => {
  test("the agent may not delete, and moves the folder instead", async () => {
    const cwd = copyOf("guarded-cleanup");
    mkdirSync(join(cwd, "build"));
    const ran = await hooksh(
      ["run", "agent.yaml", "--yolo", "--fake", "recording.yaml", "Free some disk space: get rid of the build folder."],
      { cwd },
    );
    expect(ran.code).toBe(0);
    expect(ran.stderr).toBe("1 call denied, see standard output\n");
    expect(ran.stdout).toContain(
      "Denied shell(cmd: rm -rf build): Nothing is deleted in this project: move it to .trash instead, with mv -n",
    );
    expect([existsSync(join(cwd, "build")), existsSync(join(cwd, ".trash/build"))]).toEqual([false, true]);
  });

  test("a call without a command line, or without the guard's file, is blocked", async () => {
    const cwd = copyOf("guarded-cleanup");
    const event = (tool_input: object) =>
      JSON.stringify({ hook_event_name: "pre_tool_use", tool_name: "shell", tool_input });
    expect((await hooksh(["dispatch", "agent.yaml"], { cwd, input: event({}) })).code).toBe(2);
    rmSync(join(cwd, "guard.ts"));
    expect((await hooksh(["dispatch", "agent.yaml"], { cwd, input: event({ cmd: "ls" }) })).code).toBe(2);
  });
});

describe("dispatch", () => {
  const ask = async (event: object) => {
    const ran = await hooksh(["dispatch", "--hooks-file", "hooks.yaml", "--output", "result"], {
      cwd: copyOf("dispatch"),
      input: JSON.stringify(event),
    });
    return { code: ran.code, result: ran.lines()[0] };
  };

  test("a force push is blocked, a plain one is not", async () => {
    const call = (cmd: string) => ({ hook_event_name: "pre_tool_use", tool_name: "shell", tool_input: { cmd } });
    expect(await ask(call("git push --force"))).toMatchObject({
      code: 2,
      result: { allowed: false, message: "A force push rewrites what others have pulled: push to a new branch" },
    });
    expect(await ask(call("git push -f origin main"))).toMatchObject({ code: 2 });
    expect(await ask(call("git push"))).toMatchObject({ code: 0, result: { allowed: true } });
    expect(await ask(call("git push origin my-feature"))).toMatchObject({ code: 0, result: { allowed: true } });
    for (const cmd of [
      "git  push  --force",
      "'git' push --force",
      "git push '--force'",
      "git push --forc",
      "git push -uf",
      "git push --force-with-lease",
      "git push origin +main",
      "git -C dir push -f",
      "git push --mirror",
      "true; git push -f",
      "env git push -f",
      "sh -c 'git push -f'",
      "git push $options",
      "$git push -f",
      "/usr/bin/git push -f",
      "git -c alias.p='push -f' p",
      "git push \\\n--force",
    ])
      expect([cmd, (await ask(call(cmd))).code]).toEqual([cmd, 2]);
    expect(await ask(call("git commit -m 'no push --force'; echo git push -f"))).toMatchObject({ code: 2 });
  });

  test("writing a file asks, reading one does not", async () => {
    expect(await ask({ hook_event_name: "pre_tool_use", tool_name: "write_file" })).toMatchObject({
      result: { decision: "ask", decision_reason: "This writes a file" },
    });
    expect((await ask({ hook_event_name: "pre_tool_use", tool_name: "read_file" })).result).toEqual({
      event: "pre_tool_use",
      allowed: true,
    });
  });

  test("every turn starts with the date", async () => {
    expect((await ask({ hook_event_name: "turn_start" })).result).toMatchObject({
      additional_context: expect.stringMatching(/^Today's date: \d{4}-\d\d-\d\d$/),
    });
  });
});

describe("guarded-answers", () => {
  /** Runs the example with a scripted model, in a project whose tests pass once the file `fixed` exists. */
  const play = async (...script: Step[]) => {
    const server = serve(...script);
    const cwd = copyOf("guarded-answers");
    await Bun.write(join(cwd, "agent.yaml"), agentFor(server));
    await Bun.write(join(cwd, "run-tests"), "#!/bin/sh\n[ -e fixed ] || { echo '2 tests fail'; exit 1; }\n");
    chmodSync(join(cwd, "run-tests"), 0o755);
    const ran = await hooksh(["run", "agent.yaml", "--yolo", "--hooks-file", "hooks.yaml", "go"], { cwd });
    return { cwd, server, ...ran };
  };
  const fix: Step = { calls: [{ name: "shell", arguments: { cmd: "touch fixed" } }] };

  test("the agent may stop only when the tests pass", async () => {
    const { code, stdout, stderr, server, cwd } = await play({ text: "Finished." }, fix, { text: "Now it works." });
    expect({ code, made: existsSync(join(cwd, "fixed")) }).toEqual({ code: 0, made: true });
    expect(stdout).toContain("Now it works.");
    expect(stderr).toContain("⚠️  stop_guard: the agent goes on (1 of 8): ./run-tests fails, repair it:");
    expect(server.requests[1]?.messages.at(-1)).toMatchObject({
      role: "user",
      content: "You cannot stop yet: ./run-tests fails, repair it:\n2 tests fail",
    });
  });

  test("an answer that lists customers is refused, a secret and a single customer are replaced", async () => {
    const token = ["ghp", "AbCdEfGhIjKlMnOpQrStUvWxYz0123456789"].join("_");
    const { stdout, code } = await play(
      fix,
      { text: "C-100001 and C-100002 paid." },
      { text: `C-100001 paid with ${token}.` },
    );
    expect({ code, stdout: stdout.split("\n").at(-2) }).toEqual({
      code: 0,
      stdout: "[customer] paid with [REDACTED].",
    });
    expect(stdout).not.toContain("C-100002");
  });
});

describe("scripts", () => {
  const event = (tool_name: string, tool_input: object) =>
    JSON.stringify({ session_id: "s", hook_event_name: "pre_tool_use", tool_name, tool_input });

  test.each([
    ["shell", { cmd: "git push --force origin main" }, 2, "force pushes rewrite"],
    ["shell", { cmd: "git push origin main" }, 0, ""],
    ["write_file", { path: "/p/vendor/x.go", content: "" }, 2, "vendored code comes from upstream"],
    ["write_file", { path: "/p/src/x.go", content: "" }, 0, ""],
  ])("guards of two other agents judge %s %j", async (tool, input, code, reason) => {
    const ran = await hooksh(["dispatch", "--hooks-file", "hooks.yaml"], {
      cwd: copyOf("scripts"),
      input: event(tool, input),
    });
    expect(ran.code).toBe(code);
    expect(ran.stderr).toContain(reason);
  });

  test("they hold under another agent, whose payload they never saw", async () => {
    const input = JSON.stringify({
      hookEventName: "pre_tool_use",
      sessionId: "o",
      cwd: "/tmp",
      workspaceRoot: "/tmp",
      toolName: "run_terminal_command",
      toolInput: { command: "git push -f" },
      timestamp: "2026-07-22T00:00:00Z",
    });
    const ran = await hooksh(["dispatch", "--hooks-file", "hooks.yaml"], { cwd: copyOf("scripts"), input });
    expect(JSON.parse(ran.stdout)).toMatchObject({ decision: "deny", reason: expect.stringContaining("force pushes") });
  });
});
