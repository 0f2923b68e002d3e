import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { binary, cleanEnv, dispatch, hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const TALK = { turn_start: [{ type: "command", command: "echo hi" }] };

async function write(cwd: string, hooks: unknown): Promise<string> {
  const file = join(cwd, "hooks.yaml");
  await Bun.write(file, typeof hooks === "string" ? hooks : JSON.stringify(hooks));
  return file;
}

/** Starts a dispatch whose standard input stays open after `text`. */
function startOpen(cwd: string, args: string[], text: string) {
  const child = Bun.spawn([binary(), "dispatch", "--output", "result", ...args], {
    cwd, env: cleanEnv(cwd), stdin: "pipe", stdout: "pipe", stderr: "pipe",
  });
  void child.stdin.write(text);
  void child.stdin.flush();
  return child;
}

describe("standard input that stays open", () => {
  test.each([["without a newline", ""], ["with a newline", "\n"]])("a complete value followed by silence is answered, %s", async (_name, end) => {
    const cwd = tempDir();
    const child = startOpen(cwd, ["--hooks-file", await write(cwd, TALK)], `{"hook_event_name":"turn_start"}${end}`);
    expect(JSON.parse(await child.stdout.text())).toEqual({ event: "turn_start", allowed: true, additional_context: "hi" });
    expect(await child.exited).toBe(0);
  });

  test("with --stream a later event is answered too", async () => {
    const cwd = tempDir();
    const child = startOpen(cwd, ["--stream", "--hooks-file", await write(cwd, TALK)], '{"hook_event_name":"turn_start"}\n');
    const reader = child.stdout.getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toContain('"turn_start"');
    await Bun.sleep(1500); // longer than silence would be taken for the end
    void child.stdin.write('{"hook_event_name":"turn_end"}\n');
    void child.stdin.flush();
    expect(new TextDecoder().decode((await reader.read()).value)).toContain('"turn_end"');
    void child.stdin.end();
    expect(await child.exited).toBe(0);
  });

  test("each event of a stream is answered before the next one is sent", async () => {
    const cwd = tempDir();
    const child = startOpen(cwd, ["--hooks-file", await write(cwd, TALK)], '{"hook_event_name":"turn_start"}\n{"hook_event_name":"stop"}\n');
    const reader = child.stdout.getReader();
    let seen = "";
    while (!seen.includes('"stop"')) seen += new TextDecoder().decode((await reader.read()).value);
    void child.stdin.write('{"hook_event_name":"turn_end"}\n');
    void child.stdin.end();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      seen += new TextDecoder().decode(value);
    }
    expect(seen.trim().split("\n").map((line) => JSON.parse(line).event)).toEqual(["turn_start", "stop", "turn_end"]);
  });

  test("SIGTERM ends a dispatch that waits for input", async () => {
    const cwd = tempDir();
    const child = startOpen(cwd, ["--stream", "--hooks-file", await write(cwd, TALK)], '{"hook_event_name":"turn_start"}\n');
    await child.stdout.getReader().read();
    child.kill("SIGTERM");
    expect(await child.exited).toBe(130);
  });
});

describe("input", () => {
  test("a byte-order mark is skipped", async () => {
    const cwd = tempDir();
    const ran = await hooksh(["dispatch", "--output", "result"], { cwd, input: '\uFEFF{"hook_event_name":"stop"}' });
    expect(ran).toMatchObject({ code: 0, stdout: '{"event":"stop","allowed":true}\n' });
  });

  test("an empty list is valid and prints nothing", async () => {
    expect(await hooksh(["dispatch"], { cwd: tempDir(), input: "[]" })).toMatchObject({ code: 0, stdout: "", stderr: "" });
  });

  test("values need no newline between them", async () => {
    const ran = await hooksh(["dispatch", "--output", "result"], { cwd: tempDir(), input: '{"hook_event_name":"stop"}{"hook_event_name":"turn_end"} [{"hook_event_name":"turn_start"}]' });
    expect(ran.lines().map(({ event }) => event)).toEqual(["stop", "turn_end", "turn_start"]);
  });

  test("braces and quotes inside strings do not end a value", async () => {
    const prompt = 'say "}" and \\ and {';
    const ran = await dispatch({ user_prompt_submit: [{ type: "command", command: "cat > seen" }] }, { hook_event_name: "user_prompt_submit", prompt }, { cwd: tempDir() });
    expect(ran.code).toBe(0);
  });

  test("--event against a different hook_event_name is a usage error that names both", async () => {
    const ran = await hooksh(["dispatch", "--event", "stop"], { cwd: tempDir(), input: '{"hook_event_name":"turn_start"}' });
    expect(ran.code).toBe(64);
    expect(ran.stderr).toContain("stop");
    expect(ran.stderr).toContain("turn_start");
  });

  test.each([
    ["a field of the wrong type", { hook_event_name: "pre_tool_use", tool_name: 7 }, "tool_name: expected string but received 7"],
    ["arguments that are no object", { hook_event_name: "pre_tool_use", tool_name: "shell", tool_input: "rm" }, "tool_input"],
    ["a tool event without a tool", { hook_event_name: "pre_tool_use" }, "tool_name is required"],
    ["an event that is no object", 7, "not a JSON object or array"],
    ["a list of something else", [7], "an event must be a JSON object"],
  ])("%s is broken input and never allowed", async (_name, event, message) => {
    const ran = await dispatch(TALK, event, { cwd: tempDir() });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain(message);
    expect(ran.stderr).not.toContain("    at ");
    for (const line of ran.lines()) expect(line).toMatchObject({ allowed: false });
  });

  test("a broken event in a stream is answered in its place, and the others too", async () => {
    const ran = await hooksh(["dispatch", "--output", "result"], { cwd: tempDir(), input: '{"hook_event_name":"stop"}\n{"hook_event_name":"before_lunch"}\n{"hook_event_name":"turn_end"}\n' });
    expect(ran.code).toBe(1);
    expect(ran.lines().map(({ event, allowed }) => [event, allowed])).toEqual([["stop", true], ["", false], ["turn_end", true]]);
  });

  test("events are read from a file with --input", async () => {
    const cwd = tempDir({ "event.json": '{"hook_event_name":"stop"}' });
    expect(await hooksh(["dispatch", "--input", "event.json", "--output", "result"], { cwd })).toMatchObject({ code: 0, stdout: '{"event":"stop","allowed":true}\n' });
    expect(await hooksh(["dispatch", "--input", "nowhere.json"], { cwd })).toMatchObject({ code: 1, stdout: "", stderr: "nowhere.json: no such file\n" });
  });
});

describe("the verdict", () => {
  const DENY = { pre_tool_use: [{ matcher: "shell", hooks: [{ type: "command", name: "guard", command: "echo 'rm is forbidden' >&2; exit 2" }] }] };
  const CALL = { hook_event_name: "pre_tool_use", tool_name: "shell", tool_input: { cmd: "rm x" } };

  test("a block is on standard error and in the exit code", async () => {
    const ran = await dispatch(DENY, CALL, { cwd: tempDir() });
    expect(ran).toMatchObject({ code: 2, stderr: "rm is forbidden\n" });
    expect(ran.lines()).toEqual([{ event: "pre_tool_use", allowed: false, message: "rm is forbidden", exit_code: 2, stderr: "rm is forbidden" }]);
  });

  test("a reader that has gone changes nothing about the exit code", async () => {
    const cwd = tempDir();
    const child = Bun.spawn(["/bin/sh", "-c", `${binary()} dispatch --hooks-file ${await write(cwd, DENY)}; echo $? > code`], {
      cwd, env: cleanEnv(cwd), stdin: Buffer.from(JSON.stringify(CALL)), stdout: "pipe", stderr: "pipe",
    });
    await child.stdout.cancel();
    const errors = await child.stderr.text();
    await child.exited;
    expect(errors).toBe("rm is forbidden\n");
    expect(await Bun.file(join(cwd, "code")).text()).toBe("2\n");
  });

  test("in hook shape it is what a hook of another host would print", async () => {
    const cwd = tempDir();
    const ran = await hooksh(["dispatch", "--hooks-file", await write(cwd, DENY)], { cwd, input: JSON.stringify(CALL) });
    expect(ran.lines()).toEqual([{ decision: "block", reason: "rm is forbidden" }]);
  });

  test("hooksh serves as a command hook of itself and passes the reason on", async () => {
    const cwd = tempDir();
    const inner = await write(cwd, DENY);
    const outer = { pre_tool_use: [{ hooks: [{ type: "command", command: `${binary()} dispatch --hooks-file ${inner}` }] }] };
    await Bun.write(join(cwd, "outer.yaml"), JSON.stringify(outer));
    const ran = await hooksh(["dispatch", "--hooks-file", "outer.yaml", "--output", "result"], { cwd, input: JSON.stringify(CALL) });
    expect(ran.code).toBe(2);
    expect(ran.lines()[0]).toMatchObject({ allowed: false, message: "rm is forbidden" });
  });

  test("as text it is a line for people", async () => {
    const cwd = tempDir();
    const ran = await hooksh(["dispatch", "--hooks-file", await write(cwd, DENY), "--output", "text"], { cwd, input: JSON.stringify(CALL) });
    expect(ran.stdout).toBe("pre_tool_use: blocked: rm is forbidden\n");
  });

  test("--details says of every hook where it stands, what it came to and how it exited", async () => {
    const cwd = tempDir();
    const hooks = "pre_tool_use:\n  - matcher: shell\n    hooks:\n      - { type: command, name: first, command: 'true' }\n      - type: command\n        command: exit 3\n";
    const ran = await dispatch(hooks, CALL, { cwd, args: ["--details"] });
    expect(ran.lines()[0]?.["hooks"]).toEqual([
      { name: "first", type: "command", source: `${join(cwd, "hooks.yaml")}:4`, stage: "concurrent", outcome: "silent", exit_code: 0, duration_ms: expect.any(Number) },
      { name: "exit 3", type: "command", source: `${join(cwd, "hooks.yaml")}:5`, stage: "concurrent", outcome: "failed", exit_code: 3, duration_ms: expect.any(Number), message: "exited with status 3" },
    ]);
  });

  test("a block on the preempt lane ends the dispatch before the default lane runs", async () => {
    const cwd = tempDir();
    const hooks = { pre_tool_use: [
      { hooks: [{ type: "command", command: "touch default-ran" }] },
      { preempt_yolo: true, hooks: [{ type: "command", command: "echo never >&2; exit 2" }] },
    ] };
    const ran = await dispatch(hooks, CALL, { cwd });
    expect(ran.lines()[0]).toMatchObject({ allowed: false, message: "never" });
    expect(await Bun.file(join(cwd, "default-ran")).exists()).toBe(false);
  });

  test("verdicts of both lanes are folded: the strongest wins", async () => {
    const say = (decision: string) => ({ type: "command", command: `echo '{"hook_specific_output":{"permission_decision":"${decision}"}}'` });
    const hooks = { pre_tool_use: [{ hooks: [say("allow")] }, { preempt_yolo: true, hooks: [say("ask")] }] };
    const ran = await dispatch(hooks, CALL, { cwd: tempDir() });
    expect(ran.lines()[0]).toMatchObject({ allowed: true, decision: "ask" });
  });
});

describe("bad configuration ends in one clear line", () => {
  test.each([
    ["broken YAML", "turn_start: [", /^\S+hooks\.yaml:\d+:\d+: .+\n$/],
    ["a repeated event", "turn_start: [{ type: command, command: a }]\nturn_start: []\n", /^\S+hooks\.yaml:2:1: .+\n$/],
    ["an alias in its own node", "turn_start: &a [*a]\n", /^\S+hooks\.yaml: an alias refers to the node that it stands in\n$/],
    ["an unknown key", "turn_start:\n  - type: command\n    comand: x\n", /^\S+hooks\.yaml:3:\d+: hooks\.turn_start\[0\]: unknown key "comand", did you mean "command"\?\n$/],
    ["a wrong type", "turn_start:\n  - type: command\n    command: x\n    timeout: soon\n", /^\S+hooks\.yaml:4:14: hooks\.turn_start\[0\]: timeout: expected a whole number but got "soon"\n$/],
    ["an unknown event", "before_lunch: []\n", /^\S+hooks\.yaml:1:1: hooks\.before_lunch: unknown event\n$/],
    ["an invalid matcher", "pre_tool_use:\n  - matcher: 'shell('\n    hooks: [{ type: command, command: x }]\n", /^\S+hooks\.yaml:2:14: hooks\.pre_tool_use\[0\]: invalid matcher: .+\n$/],
  ])("%s", async (_name, hooks, message) => {
    const ran = await dispatch(hooks, { hook_event_name: "turn_start" }, { cwd: tempDir() });
    expect(ran.stderr).toMatch(message);
    expect(ran).toMatchObject({ code: 1, stdout: "" });
  });

  test("a hooks file that is not there", async () => {
    const ran = await hooksh(["dispatch", "--hooks-file", "nowhere.yaml"], { cwd: tempDir(), input: "{}" });
    expect(ran).toMatchObject({ code: 1, stdout: "", stderr: "nowhere.yaml: no such file\n" });
  });
});

describe("usage errors exit with 64 and start nothing", () => {
  test.each([
    [["dispatch", "--hook-files", "x"], "did you mean --hooks-file?"],
    [["dispatch", "--hooks-file"], "--hooks-file needs a value"],
    [["dispatch", "--output", "xml"], "--output takes hook, result, text"],
    [["dispatch", "--event", "before_lunch"], 'unknown hook event "before_lunch"'],
    [["dispatch", "a.yaml", "b.yaml"], "dispatch takes one agent"],
    [["dispatch", "--hook", "turn_strat=x"], "did you mean turn_start?"],
    [["dispatch", "--hook", "turn_start:shell=x"], "takes no matcher"],
    [["dispatch", "--hook", "pre_tool_use:shell(=x"], "invalid matcher"],
    [["dispach"], "did you mean dispatch?"],
  ])("%j", async (args, message) => {
    const ran = await hooksh(args, { cwd: tempDir(), input: '{"hook_event_name":"stop"}' });
    expect(ran).toMatchObject({ code: 64, stdout: "" });
    expect(ran.stderr).toContain(message);
  });

  test("global flags work before and after the verb", async () => {
    const cwd = tempDir({ "conf/hooks.d/a.yaml": "stop: { type: command, command: echo found }" });
    for (const args of [["--config-dir", "conf", "dispatch", "--output", "result"], ["dispatch", "--output", "result", "--config-dir=conf"]]) {
      expect((await hooksh(args, { cwd, input: '{"hook_event_name":"stop"}' })).lines()[0]).toMatchObject({ additional_context: "found" });
    }
  });
});
