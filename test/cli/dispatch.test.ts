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

/** Starts a dispatch and keeps its standard input open after `text`. */
function startOpen(cwd: string, args: string[], text: string) {
  const child = Bun.spawn([binary(), "dispatch", ...args], {
    cwd,
    env: cleanEnv(cwd),
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
  const reader = child.stdout.getReader();
  const send = (more: string) => {
    void child.stdin.write(more);
    void child.stdin.flush();
  };
  let seen = "";
  /** The next line of standard output; undefined at its end. */
  const line = async (): Promise<Record<string, unknown> | undefined> => {
    while (!seen.includes("\n")) {
      const { done, value } = await reader.read();
      if (done) return undefined;
      seen += Buffer.from(value).toString();
    }
    const [first = ""] = seen.split("\n", 1);
    seen = seen.slice(first.length + 1);
    return JSON.parse(first) as Record<string, unknown>;
  };
  if (text !== "") send(text);
  return { child, send, line };
}

// At the same time: most of them wait.
describe.concurrent("standard input that stays open", () => {
  test.each([
    ["without a newline", ""],
    ["with a newline", "\n"],
  ])("a complete value is answered at once, %s, and the dispatch waits for the end", async (_name, end) => {
    const cwd = tempDir();
    const { child, send, line } = startOpen(
      cwd,
      ["--output", "result", "--hook", "user_prompt_submit=echo no >&2; exit 2"],
      `{"hook_event_name":"turn_start"}${end}`,
    );
    expect(await line()).toMatchObject({ event: "turn_start", allowed: true });
    await Bun.sleep(1500);
    expect(child.exitCode).toBeNull();
    send('{"hook_event_name":"user_prompt_submit","prompt":"x"}');
    expect(await line()).toMatchObject({ event: "user_prompt_submit", allowed: false });
    void child.stdin.end();
    expect(await line()).toBeUndefined();
    expect(await child.exited).toBe(2);
  });

  test("an event in two parts with a pause in between is one event", async () => {
    const cwd = tempDir();
    const { child, send, line } = startOpen(cwd, ["--output", "result"], '{"hook_event_name":"tu');
    await Bun.sleep(1500);
    expect(child.exitCode).toBeNull();
    send('rn_end"}');
    expect(await line()).toEqual({ event: "turn_end", allowed: true });
    void child.stdin.end();
    expect(await child.exited).toBe(0);
  });

  test("--stream is accepted and has no effect", async () => {
    const { child, line } = startOpen(
      tempDir(),
      ["--stream", "--output", "result"],
      '{"hook_event_name":"turn_start"}\n',
    );
    expect(await line()).toMatchObject({ event: "turn_start", allowed: true });
    void child.stdin.end();
    expect(await child.exited).toBe(0);
  });

  test("each event of a stream is answered before the next one is sent", async () => {
    const { child, send, line } = startOpen(tempDir(), ["--output", "result"], "");
    for (const event of ["turn_start", "stop", "turn_end"]) {
      send(`{"hook_event_name":"${event}"}\n`);
      expect(await line()).toMatchObject({ event });
    }
    void child.stdin.end();
    expect(await child.exited).toBe(0);
  });

  test("a single broken line is answered even if nothing follows it", async () => {
    const { child, line } = startOpen(tempDir(), [], "oops\n");
    expect(await line()).toMatchObject({ decision: "block", reason: expect.stringContaining("line 1") });
    void child.stdin.end();
    expect(await child.exited).toBe(2);
  });

  test.each([
    ["result", 130],
    ["hook", 2],
  ])("SIGTERM ends a dispatch that waits for input, with --output %s by %i", async (format, code) => {
    const { child, line } = startOpen(tempDir(), ["--output", format], '{"hook_event_name":"turn_start"}\n');
    await line();
    child.kill("SIGTERM");
    expect(await child.exited).toBe(code);
  });

  test("a second SIGTERM ends a hook that ignores the first, and does not allow the call either", async () => {
    const cwd = tempDir();
    const { child } = startOpen(
      cwd,
      ["--hook", "turn_start=trap '' TERM INT; touch began; while :; do sleep 1; done"],
      '{"hook_event_name":"turn_start"}\n',
    );
    while (!(await Bun.file(join(cwd, "began")).exists())) await Bun.sleep(20);
    child.kill("SIGTERM");
    child.kill("SIGTERM");
    expect(await child.exited).toBe(2);
  });
});

// At the same time: most of them wait.
describe.concurrent("--input-timeout", () => {
  test("ends the input after a silence; complete values are judged", async () => {
    const { child, line } = startOpen(
      tempDir(),
      ["--input-timeout", "2s", "--output", "result"],
      '{"hook_event_name":"turn_start"}',
    );
    expect(await line()).toMatchObject({ event: "turn_start", allowed: true });
    expect(await child.exited).toBe(0);
  });

  test.each([
    ["the beginning of an event", '{"hook_event_name":"turn_start"', "incomplete after 2s of silence"],
    [
      "a line that was cut off, and a good one",
      '{"hook_event_name":"tu\n{"hook_event_name":"stop"',
      "line 2 of standard input",
    ],
    ["nothing", "", "contains no event"],
  ])("%s does not allow the call", async (_name, text, message) => {
    for (const [format, code] of [
      ["result", 1],
      ["hook", 2],
    ] as const) {
      const { child } = startOpen(tempDir(), ["--input-timeout=2s", "--output", format], text);
      expect(await child.exited).toBe(code);
      expect(await child.stderr.text()).toContain(message);
    }
  });

  test("a hook may take longer than the timeout", async () => {
    const { child, line } = startOpen(
      tempDir(),
      ["--input-timeout", "2s", "--output", "result", "--hook", "turn_start=sleep 3; echo hi"],
      '{"hook_event_name":"turn_start"}',
    );
    expect(await line()).toMatchObject({ additional_context: "hi" });
    expect(await child.exited).toBe(0);
  });

  test.each(["soon", "0", "0s", "-1s"])("%s is a usage error", async (duration) => {
    const ran = await hooksh(["dispatch", `--input-timeout=${duration}`, "--output", "result"], {
      cwd: tempDir(),
      input: '{"hook_event_name":"stop"}',
    });
    expect(ran).toMatchObject({ code: 64, stdout: "" });
    expect(ran.stderr).toContain("--input-timeout takes a duration");
  });

  test("a duration too long for a timer does not time out at once", async () => {
    const { child, send, line } = startOpen(
      tempDir(),
      ["--input-timeout", "1000000h", "--output", "result"],
      '{"hook_event_name":"turn_start"}',
    );
    await line();
    await Bun.sleep(200);
    send('{"hook_event_name":"turn_end"}');
    expect(await line()).toMatchObject({ event: "turn_end" });
    void child.stdin.end();
    expect(await child.exited).toBe(0);
  });
});

describe("lines that cannot be read", () => {
  const good = (event: string) => JSON.stringify({ hook_event_name: event });
  const outcomes = (lines: Record<string, unknown>[]) => lines.map(({ event, allowed }) => [event, allowed]);

  /** Lines, and the message about each, in which LINE stands for its number. */
  const BROKEN: readonly [name: string, broken: string | Uint8Array, message: string][] = [
    ["no JSON", "oops", "line LINE of standard input is not a JSON object or array"],
    ["cut off after a colon", '{"hook_event_name":', "line LINE of standard input is not JSON: unexpected"],
    [
      "cut off inside a string",
      '{"hook_event_name":"st',
      "line LINE of standard input is not JSON: a string has no end",
    ],
    ["an invalid literal", '{"hook_event_name":stop}', "line LINE of standard input is not JSON"],
    ["a comma too many", '{"hook_event_name":"stop",}', 'unexpected "}"'],
    [
      "bytes that are not UTF-8",
      Buffer.from('{"hook_event_name":"stop","x":"\xff"}', "latin1"),
      "line LINE of standard input holds bytes that are not UTF-8",
    ],
    [
      "a control character in a string",
      '{"hook_event_name":"stop","x":"\0"}',
      "line LINE of standard input is not JSON",
    ],
    [
      "two events of one name",
      '{"hook_event_name":"turn_end","hook_event_name":"stop"}',
      'repeats the key "hook_event_name"',
    ],
    [
      "two commands in one call",
      '{"hook_event_name":"pre_tool_use","tool_name":"shell","tool_input":{"cmd":"rm -rf /","cmd":"ls"}}',
      'repeats the key "cmd"',
    ],
  ];

  test("each gets its own verdict, and so do the lines around it", async () => {
    const lines = BROKEN.map(([, broken]) => [Buffer.from(broken as string), Buffer.from(`\n${good("turn_start")}\n`)]);
    const input = Buffer.concat([Buffer.from(`${good("stop")}\n`), ...lines.flat()]);
    const ran = await hooksh(["dispatch", "--output", "result"], { cwd: tempDir(), input });
    expect(outcomes(ran.lines())).toEqual([
      ["stop", true],
      ...BROKEN.flatMap(
        () =>
          [
            ["", false],
            ["turn_start", true],
          ] as [string, boolean][],
      ),
    ]);
    const reported = ran.lines().flatMap(({ allowed, message }) => (allowed === true ? [] : [String(message)]));
    for (const [index, [name, , message]] of BROKEN.entries()) {
      const expected = message.replace("LINE", String(2 + 2 * index));
      expect([name, reported[index]]).toEqual([name, expect.stringContaining(expected)]);
    }
    expect(ran.code).toBe(1);
    expect(ran.stderr).toBe(reported.map((message) => `${message}\n`).join(""));
    expect((await hooksh(["dispatch"], { cwd: tempDir(), input })).code).toBe(2);
  });

  test("a guard still blocks a call after a broken line", async () => {
    const call = JSON.stringify({ hook_event_name: "pre_tool_use", tool_name: "shell", tool_input: { cmd: "rm" } });
    const ran = await hooksh(["dispatch", "--hook", "pre_tool_use=echo no >&2; exit 2"], {
      cwd: tempDir(),
      input: `{"hook_event_name":\n${call}\n`,
    });
    expect(ran.lines()).toEqual([
      { decision: "block", reason: expect.stringContaining("line 1") },
      { decision: "block", reason: "no" },
    ]);
    expect(ran.code).toBe(2);
  });

  test("a value that spans lines is one event", async () => {
    const input = `${JSON.stringify({ hook_event_name: "turn_end", reason: "normal" }, undefined, 2)}\n${good("stop")}`;
    const ran = await hooksh(["dispatch", "--output", "result"], { cwd: tempDir(), input });
    expect(outcomes(ran.lines())).toEqual([
      ["turn_end", true],
      ["stop", true],
    ]);
    expect(ran.code).toBe(0);
  });

  test("a hook gets half a surrogate pair and NUL as the sender wrote them", async () => {
    const cwd = tempDir();
    const ran = await hooksh(["dispatch", "--hook", "turn_end=cat > seen"], {
      cwd,
      input: '{"hook_event_name":"turn_end","x":"\\ud800\\u0000"}',
    });
    expect(ran.code).toBe(0);
    expect(await Bun.file(join(cwd, "seen")).text()).toContain('"x":"\\ud800\\u0000"');
  });

  test("a value above the limit is refused, and the next line is judged", async () => {
    const cwd = tempDir();
    const input = join(cwd, "input");
    const script = `{ printf '{"hook_event_name":"turn_end","x":"'; head -c 270000000 /dev/zero | tr '\\0' x; printf '"}\\n${good("stop")}\\n'; } > ${input}`;
    Bun.spawnSync(["/bin/sh", "-c", script]);
    const ran = await hooksh(["dispatch", "--output", "result", "--input", input], { cwd });
    expect(outcomes(ran.lines())).toEqual([
      ["", false],
      ["stop", true],
    ]);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain("a value of more than 268435456 bytes");
  });
});

describe("input", () => {
  test("a byte-order mark is skipped", async () => {
    const cwd = tempDir();
    const ran = await hooksh(["dispatch", "--output", "result"], { cwd, input: '\uFEFF{"hook_event_name":"stop"}' });
    expect(ran).toMatchObject({ code: 0, stdout: '{"event":"stop","allowed":true}\n' });
  });

  test("unknown fields that other agents send do not make an event theirs", async () => {
    const ran = await dispatch(
      { pre_tool_use: [{ hooks: [{ type: "command", command: "cat >&2; exit 2" }] }] },
      {
        hook_event_name: "pre_tool_use",
        tool_name: "shell",
        session_id: "s",
        cwd: "/",
        event: "x",
        cursor_version: "3",
      },
      { cwd: tempDir() },
    );
    expect(ran.code).toBe(2);
    expect(ran.lines()).toMatchObject([{ event: "pre_tool_use", allowed: false }]);
    expect(ran.stderr).not.toContain("cursor:");
    expect(ran.stdout).toContain("cursor_version");
  });

  test("an empty list is valid and prints nothing", async () => {
    expect(await hooksh(["dispatch"], { cwd: tempDir(), input: "[]" })).toMatchObject({
      code: 0,
      stdout: "",
      stderr: "",
    });
  });

  test("values need no newline between them", async () => {
    const ran = await hooksh(["dispatch", "--output", "result"], {
      cwd: tempDir(),
      input: '{"hook_event_name":"stop"}{"hook_event_name":"turn_end"} [{"hook_event_name":"turn_start"}]',
    });
    expect(ran.lines().map(({ event }) => event)).toEqual(["stop", "turn_end", "turn_start"]);
  });

  test("braces and quotes inside strings do not end a value", async () => {
    const prompt = 'say "}" and \\ and {';
    const ran = await dispatch(
      { user_prompt_submit: [{ type: "command", command: "cat > seen" }] },
      { hook_event_name: "user_prompt_submit", prompt },
      { cwd: tempDir() },
    );
    expect(ran.code).toBe(0);
  });

  test("--event with a different hook_event_name is a usage error that names both", async () => {
    const input = '{"hook_event_name":"turn_start"}\n{"hook_event_name":"stop"}\n{}';
    const ran = await hooksh(["dispatch", "--event", "stop", "--output", "result"], { cwd: tempDir(), input });
    expect(ran.code).toBe(64);
    expect(ran.lines().map(({ event, allowed }) => [event, allowed])).toEqual([
      ["", false],
      ["stop", true],
      ["stop", true],
    ]);
    expect(ran.stderr).toContain('--event stop contradicts the input\'s hook_event_name "turn_start"');
  });

  test.each([
    [
      "a field of the wrong type",
      { hook_event_name: "pre_tool_use", tool_name: 7 },
      "tool_name: expected string but received 7",
    ],
    [
      "arguments that are not an object",
      { hook_event_name: "pre_tool_use", tool_name: "shell", tool_input: "rm" },
      "tool_input",
    ],
    ["a tool event without a tool", { hook_event_name: "pre_tool_use" }, "tool_name is required"],
    ["an event that is not an object", 7, 'line 1 of standard input is not a JSON object or array: "7"'],
    ["a list of something else", [7], "an event must be a JSON object"],
  ])("%s is broken input and never allowed", async (_name, event, message) => {
    const ran = await dispatch(TALK, event, { cwd: tempDir() });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain(message);
    expect(ran.stderr).not.toContain("    at ");
    for (const line of ran.lines()) expect(line).toMatchObject({ allowed: false });
  });

  test("a broken event in a stream gets a verdict in its place, and so do the others", async () => {
    const ran = await hooksh(["dispatch", "--output", "result"], {
      cwd: tempDir(),
      input: '{"hook_event_name":"stop"}\n{"hook_event_name":"before_lunch"}\n{"hook_event_name":"turn_end"}\n',
    });
    expect(ran.code).toBe(1);
    expect(ran.lines().map(({ event, allowed }) => [event, allowed])).toEqual([
      ["stop", true],
      ["", false],
      ["turn_end", true],
    ]);
  });

  test("events are read from a file with --input", async () => {
    const cwd = tempDir({ "event.json": '{"hook_event_name":"stop"}' });
    expect(await hooksh(["dispatch", "--input", "event.json", "--output", "result"], { cwd })).toMatchObject({
      code: 0,
      stdout: '{"event":"stop","allowed":true}\n',
    });
    expect(await hooksh(["dispatch", "--input", "nowhere.json"], { cwd })).toMatchObject({
      code: 2,
      stdout: "",
      stderr: "nowhere.json: no such file\n",
    });
  });
});

test("worktree_create is dispatched like every other event", async () => {
  const cwd = tempDir();
  const input = JSON.stringify({
    hook_event_name: "worktree_create",
    worktree_path: "/w",
    worktree_branch: "b",
    worktree_source_dir: "/s",
  });
  const ran = await hooksh(
    ["dispatch", "--output", "result", "--hook", "worktree_create=cat > seen; echo no >&2; exit 2"],
    { cwd, input },
  );
  expect(ran).toMatchObject({ code: 2, stderr: "no\n" });
  expect(ran.lines()).toMatchObject([{ event: "worktree_create", allowed: false, message: "no" }]);
  expect(JSON.parse(await Bun.file(join(cwd, "seen")).text())).toMatchObject({
    worktree_path: "/w",
    worktree_branch: "b",
    worktree_source_dir: "/s",
  });
});

test.each(["pipe", "file"])("events beyond the first 64 KB of a %s are each judged once", async (kind) => {
  const cwd = tempDir();
  const count = 2000;
  const lines = Array.from({ length: count }, (_, n) =>
    JSON.stringify({ hook_event_name: "turn_end", reason: "normal", session_id: `${n}`, more: "x".repeat(100) }),
  );
  await Bun.write(join(cwd, "events"), `${lines.join("\n")}\n`);
  const script = kind === "pipe" ? `cat events | ${binary()} dispatch` : `${binary()} dispatch < events`;
  const ran = Bun.spawnSync(["/bin/sh", "-c", script], { cwd, env: cleanEnv(cwd), stdout: "pipe", stderr: "pipe" });
  expect(ran.stdout.toString()).toBe("{}\n".repeat(count));
  expect(ran.exitCode).toBe(0);
});

describe("the verdict", () => {
  const DENY = {
    pre_tool_use: [
      { matcher: "shell", hooks: [{ type: "command", name: "guard", command: "echo 'rm is forbidden' >&2; exit 2" }] },
    ],
  };
  const CALL = { hook_event_name: "pre_tool_use", tool_name: "shell", tool_input: { cmd: "rm x" } };

  test("a block is on standard error and in the exit code", async () => {
    const ran = await dispatch(DENY, CALL, { cwd: tempDir() });
    expect(ran).toMatchObject({ code: 2, stderr: "rm is forbidden\n" });
    expect(ran.lines()).toEqual([
      { event: "pre_tool_use", allowed: false, message: "rm is forbidden", exit_code: 2, stderr: "rm is forbidden" },
    ]);
  });

  test("a reader that closes the pipe does not change the exit code", async () => {
    const cwd = tempDir();
    const child = Bun.spawn(
      ["/bin/sh", "-c", `${binary()} dispatch --hooks-file ${await write(cwd, DENY)}; echo $? > code`],
      {
        cwd,
        env: cleanEnv(cwd),
        stdin: Buffer.from(JSON.stringify(CALL)),
        stdout: "pipe",
        stderr: "pipe",
      },
    );
    await child.stdout.cancel();
    const errors = await child.stderr.text();
    await child.exited;
    expect(errors).toEndWith("rm is forbidden\n");
    expect(await Bun.file(join(cwd, "code")).text()).toBe("2\n");
  });

  test("with --output hook it is what a hook of another agent would print", async () => {
    const cwd = tempDir();
    const ran = await hooksh(["dispatch", "--hooks-file", await write(cwd, DENY)], {
      cwd,
      input: JSON.stringify(CALL),
    });
    expect(ran.lines()).toEqual([{ decision: "block", reason: "rm is forbidden" }]);
  });

  test("hooksh serves as a command hook of itself and passes the reason on", async () => {
    const cwd = tempDir();
    const inner = await write(cwd, DENY);
    const outer = {
      pre_tool_use: [{ hooks: [{ type: "command", command: `${binary()} dispatch --hooks-file ${inner}` }] }],
    };
    await Bun.write(join(cwd, "outer.yaml"), JSON.stringify(outer));
    const ran = await hooksh(["dispatch", "--hooks-file", "outer.yaml", "--output", "result"], {
      cwd,
      input: JSON.stringify(CALL),
    });
    expect(ran.code).toBe(2);
    expect(ran.lines()[0]).toMatchObject({ allowed: false, message: "rm is forbidden" });
  });

  test("as text, control characters and line ends in a message are escaped", async () => {
    const cwd = tempDir();
    const guard = {
      pre_tool_use: [
        { hooks: [{ type: "command", command: "printf 'no\\033[2K\\npre_tool_use: allowed' >&2; exit 2" }] },
      ],
    };
    const ran = await hooksh(["dispatch", "--hooks-file", await write(cwd, guard), "--output", "text"], {
      cwd,
      input: JSON.stringify(CALL),
    });
    expect(ran.stdout).toBe("pre_tool_use: denied: no\\x1b[2K\n    pre_tool_use: allowed\n");
  });

  test("as text, it is a line for people", async () => {
    const cwd = tempDir();
    const ran = await hooksh(["dispatch", "--hooks-file", await write(cwd, DENY), "--output", "text"], {
      cwd,
      input: JSON.stringify(CALL),
    });
    expect(ran).toMatchObject({
      code: 2,
      stdout: "pre_tool_use: denied: rm is forbidden\n",
      stderr: "rm is forbidden\n",
    });
  });

  test.each([
    ["a hooksh event", CALL],
    [
      "an event of Claude Code",
      { hook_event_name: "PreToolUse", session_id: "s", cwd: "/", tool_name: "Bash", tool_input: { command: "rm x" } },
    ],
  ])("as text, the reason is printed once if both streams go to the same place: %s", async (_name, event) => {
    const cwd = tempDir();
    const hooks = await write(cwd, DENY);
    const command = `${binary()} dispatch --hooks-file ${hooks} --output text 2>&1`;
    const ran = Bun.spawnSync(["sh", "-c", command], {
      cwd,
      env: cleanEnv(cwd),
      stdin: Buffer.from(JSON.stringify(event)),
    });
    expect(ran.stdout.toString()).toBe("pre_tool_use: denied: rm is forbidden\n");
    expect(ran.exitCode).toBe(2);
  });

  test("--details gives the source, outcome and exit code of each hook", async () => {
    const cwd = tempDir();
    const hooks =
      "pre_tool_use:\n  - matcher: shell\n    hooks:\n      - { type: command, name: first, command: 'true' }\n      - type: command\n        command: exit 3\n";
    const ran = await dispatch(hooks, CALL, { cwd, args: ["--details"] });
    expect(ran.lines()[0]?.["hooks"]).toEqual([
      {
        name: "first",
        type: "command",
        source: `${join(cwd, "hooks.yaml")}:4`,
        stage: "concurrent",
        outcome: "silent",
        exit_code: 0,
        duration_ms: expect.any(Number),
      },
      {
        name: "exit 3",
        type: "command",
        source: `${join(cwd, "hooks.yaml")}:5`,
        stage: "concurrent",
        outcome: "failed",
        exit_code: 3,
        duration_ms: expect.any(Number),
        message: "exited with status 3",
      },
    ]);
  });

  test("a block on the preempt lane ends the dispatch before the default lane runs", async () => {
    const cwd = tempDir();
    const hooks = {
      pre_tool_use: [
        { hooks: [{ type: "command", command: "touch default-ran" }] },
        { preempt_yolo: true, hooks: [{ type: "command", command: "echo never >&2; exit 2" }] },
      ],
    };
    const ran = await dispatch(hooks, CALL, { cwd });
    expect(ran.lines()[0]).toMatchObject({ allowed: false, message: "never" });
    expect(await Bun.file(join(cwd, "default-ran")).exists()).toBe(false);
  });

  test("verdicts of both lanes are combined: the strongest wins", async () => {
    const say = (decision: string) => ({
      type: "command",
      command: `echo '{"hook_specific_output":{"permission_decision":"${decision}"}}'`,
    });
    const hooks = { pre_tool_use: [{ hooks: [say("allow")] }, { preempt_yolo: true, hooks: [say("ask")] }] };
    const ran = await dispatch(hooks, CALL, { cwd: tempDir() });
    expect(ran.lines()[0]).toMatchObject({ allowed: true, decision: "ask" });
  });
});

describe("the exit code", () => {
  const say = (decision: string) => `echo '{"hook_specific_output":{"permission_decision":"${decision}"}}'`;
  const hooks = {
    pre_tool_use: [
      { matcher: "shell", hooks: [{ type: "command", command: "exit 0" }] },
      { matcher: "write_file", hooks: [{ type: "command", command: say("ask") }] },
      { matcher: "read_file", hooks: [{ type: "command", command: "exit 2" }] },
    ],
  };
  const call = (tool: string) => JSON.stringify({ hook_event_name: "pre_tool_use", tool_name: tool });
  const EVENTS = {
    allowed: call("shell"),
    asked: call("write_file"),
    blocked: call("read_file"),
    unknown: '{"hook_event_name":"x"}',
    broken: "oops",
  };
  type Kind = keyof typeof EVENTS;

  test.each<[kinds: Kind[], telling: number, hook: number]>([
    [["allowed"], 0, 0],
    [["asked"], 3, 0],
    [["blocked"], 2, 2],
    [["unknown"], 1, 2],
    [["broken"], 1, 2],
    [["allowed", "asked", "allowed"], 3, 0],
    [["asked", "blocked", "asked"], 2, 2],
    [["blocked", "broken", "asked"], 1, 2],
    [["unknown", "blocked"], 1, 2],
  ])("%j: %i, and %i as a hook", async (kinds, telling, hook) => {
    const cwd = tempDir();
    const args = ["dispatch", "--hooks-file", await write(cwd, hooks)];
    const input = kinds.map((kind) => EVENTS[kind]).join("\n");
    for (const [format, code] of [
      ["result", telling],
      ["text", telling],
      ["hook", hook],
    ] as const) {
      const ran = await hooksh([...args, "--output", format], { cwd, input });
      expect({ format, code: ran.code }).toEqual({ format, code });
      const lines = ran.stdout.split("\n").filter(Boolean).length;
      const hasNoVerdict = kinds.length === 1 && (kinds[0] === "unknown" || kinds[0] === "broken");
      expect(lines).toBe(format === "hook" && hasNoVerdict ? 0 : kinds.length);
    }
  });

  test("an unexpected error does not allow the call", async () => {
    const args = ["dispatch", "--debug", "--log-file", join("hooks.yaml", "below", "a-file")];
    const cwd = tempDir({ "hooks.yaml": "" });
    const options = { cwd, input: EVENTS.allowed };
    const ran = await hooksh(args, options);
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).not.toBe("");
    expect(await hooksh([...args, "--output", "result"], options)).toMatchObject({ code: 1, stdout: "" });
  });

  test("--fail-fast stops at a block, not at an ask: unread events are not allowed", async () => {
    const cwd = tempDir();
    const args = ["dispatch", "--fail-fast", "--hooks-file", await write(cwd, hooks)];
    const ran = await hooksh(args, { cwd, input: [EVENTS.asked, EVENTS.blocked, EVENTS.allowed].join("\n") });
    expect(ran.code).toBe(2);
    expect(ran.lines()).toHaveLength(2);
  });

  test.each<[name: string, input: string]>([
    ["empty", ""],
    ["blank", " \n"],
  ])("%s input without an event does not allow", async (_name, input) => {
    const cwd = tempDir();
    expect(await hooksh(["dispatch"], { cwd, input })).toMatchObject({ code: 2, stdout: "" });
    expect(await hooksh(["dispatch", "--output", "result"], { cwd, input })).toMatchObject({ code: 1, stdout: "" });
  });

  const lost = (command: string) => ({ pre_tool_use: [{ hooks: [{ type: "command", command }] }] });

  test.each<[name: string, redirection: string]>([
    ["closed", ">&-"],
    ["the null device", ">/dev/null"],
    ["a full device", ">/dev/full"],
  ])("an ask that standard output does not carry does not allow the call: %s", async (_name, redirection) => {
    const cwd = tempDir();
    const file = await write(cwd, lost(say("ask")));
    const ran = Bun.spawnSync(["/bin/sh", "-c", `${binary()} dispatch --hooks-file ${file} ${redirection}`], {
      cwd,
      env: cleanEnv(cwd),
      stdin: Buffer.from(EVENTS.allowed),
      stderr: "pipe",
    });
    expect(ran.exitCode).toBe(2);
  });

  test.each<[name: string, answer: string]>([
    ["an ask", say("ask")],
    ["a rewrite", `echo '{"hook_specific_output":{"updated_input":{"cmd":"ls"}}}'`],
  ])("%s whose reader closed the pipe does not allow the call", async (_name, answer) => {
    const cwd = tempDir();
    const file = await write(cwd, lost(`while ! test -e gone; do sleep 0.05; done; ${answer}`));
    const script = `{ ${binary()} dispatch --hooks-file ${file} < event; echo $? > code; } | sh -c 'exec <&-; touch gone'`;
    await Bun.write(join(cwd, "event"), EVENTS.allowed);
    const child = Bun.spawn(["/bin/sh", "-c", script], {
      cwd,
      env: cleanEnv(cwd),
      stdin: "ignore",
      stdout: "ignore",
      stderr: "ignore",
    });
    await child.exited;
    expect(await Bun.file(join(cwd, "code")).text()).toBe("2\n");
  });

  test.each<[name: string, redirection: string]>([
    ["closed", "<&-"],
    ["a directory", "</tmp"],
  ])("standard input that is %s does not allow the call", async (_name, redirection) => {
    const cwd = tempDir();
    const ran = Bun.spawnSync(["/bin/sh", "-c", `${binary()} dispatch ${redirection}`], {
      cwd,
      env: cleanEnv(cwd),
      stdout: "pipe",
      stderr: "pipe",
    });
    expect(ran.exitCode).toBe(2);
    expect(ran.stdout.toString()).toBe("");
    expect(ran.stderr.toString()).toMatch(/^standard input (contains no event|cannot be read).*\n$/);
  });
});

describe("bad configuration ends in one clear line", () => {
  test.each([
    ["broken YAML", "turn_start: [", /^\S+hooks\.yaml:\d+:\d+: .+\n$/],
    ["a repeated event", "turn_start: [{ type: command, command: a }]\nturn_start: []\n", /^\S+hooks\.yaml:2:1: .+\n$/],
    [
      "an alias in its own node",
      "turn_start: &a [*a]\n",
      /^\S+hooks\.yaml: an alias refers to a node that contains the alias\n$/,
    ],
    [
      "an unknown key",
      "turn_start:\n  - type: command\n    comand: x\n",
      /^\S+hooks\.yaml:3:\d+: hooks\.turn_start\[0\]: unknown key "comand", did you mean "command"\?\n$/,
    ],
    [
      "a wrong type",
      "turn_start:\n  - type: command\n    command: x\n    timeout: soon\n",
      /^\S+hooks\.yaml:4:14: hooks\.turn_start\[0\]: timeout: expected a whole number but got "soon"\n$/,
    ],
    [
      "an unknown event",
      "before_lunch: []\n",
      /^\S+hooks\.yaml:1:1: hooks\.before_lunch: unknown event; docs\/events\.md lists the events\n$/,
    ],
    [
      "an invalid matcher",
      "pre_tool_use:\n  - matcher: 'shell('\n    hooks: [{ type: command, command: x }]\n",
      /^\S+hooks\.yaml:2:14: hooks\.pre_tool_use\[0\]: invalid matcher: .+\n$/,
    ],
  ])("%s", async (_name, hooks, message) => {
    const cwd = tempDir();
    const ran = await dispatch(hooks, { hook_event_name: "turn_start" }, { cwd });
    expect(ran.stderr).toMatch(message);
    expect(ran).toMatchObject({ code: 1, stdout: "" });
    const asHook = await hooksh(["dispatch", "--hooks-file", "hooks.yaml"], {
      cwd,
      input: '{"hook_event_name":"turn_start"}',
    });
    expect(asHook).toMatchObject({ code: 2, stdout: "", stderr: ran.stderr.replaceAll(`${cwd}/`, "") });
  });

  test.each([
    ["{a: {base_uri: b}}", ':1:17: providers.a.base_uri: unknown key; did you mean "base_url"?\n'],
    ["{a: b}", ':1:16: providers.a: expected a mapping but got "b"\n'],
  ])("a provider of config.yaml that is none: %s", async (providers, message) => {
    const cwd = tempDir({ "config.yaml": `providers: ${providers}\n` });
    const args = ["--config-dir", ".", "--hook", "turn_start=echo hi"];
    const ran = await hooksh(["dispatch", ...args], { cwd, input: '{"hook_event_name":"turn_start"}' });
    expect(ran).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(`config.yaml${message}`) });
  });

  test("nothing to read does not hide it", async () => {
    const ran = await hooksh(["dispatch", "--hooks-file", "nowhere.yaml"], { cwd: tempDir(), input: "" });
    expect(ran).toMatchObject({ code: 2, stdout: "", stderr: "nowhere.yaml: no such file\n" });
  });

  test("a hooks file that does not exist", async () => {
    const ran = await hooksh(["dispatch", "--hooks-file", "nowhere.yaml"], { cwd: tempDir(), input: "{}" });
    expect(ran).toMatchObject({ code: 2, stdout: "", stderr: "nowhere.yaml: no such file\n" });
  });
});

describe("usage errors start nothing and allow nothing: 2 as a hook, 64 with --output result", () => {
  test.each([
    [["dispatch", "--hook-files", "x"], "did you mean --hooks-file?"],
    [["dispatch", "--hooks-file"], "--hooks-file needs a value"],
    [["dispatch", "--hooks-file", ""], "--hooks-file needs a value"],
    [["dispatch", "--event", "before_lunch"], 'unknown hook event "before_lunch"'],
    [["dispatch", "a.yaml", "b.yaml"], "dispatch takes one agent"],
    [["dispatch", "--hook", "turn_strat=x"], "did you mean turn_start?"],
    [["dispatch", "--hook", "turn_start:shell=x"], "takes no matcher"],
    [["dispatch", "--hook", "pre_tool_use:shell(=x"], "invalid matcher"],
    [["dispatch", "--hook", "pre_tool_use:shell= "], "--hook pre_tool_use= needs a shell command"],
    [["dispatch", "--hook-pre-tool-use", ""], "--hook-pre-tool-use needs a shell command"],
    [["dispatch", "--hook-stop= \t"], "--hook-stop needs a shell command"],
    [["dispach"], "did you mean dispatch?"],
    [["--hooks-file", "x", "dispatch"], "did you mean dispatch?"],
    [["--config-dir", "dispatch"], "dispatch was read as the value of the flag before it"],
    [["--bogus", "dispatch"], "unknown flag --bogus"],
  ])("%j", async (args, message) => {
    const options = { cwd: tempDir(), input: '{"hook_event_name":"stop"}' };
    const asHook = await hooksh(args, options);
    expect(asHook).toMatchObject({ code: 2, stdout: "" });
    expect(asHook.stderr).toContain(message);
    for (const format of [["--output=result"], ["--output=text"], ["--output=hook", "--output=result"]]) {
      expect(await hooksh([...args, ...format], options)).toMatchObject({ code: 64, stdout: "" });
    }
    expect(await hooksh([...args, "--output=result", "--output=hook"], options)).toMatchObject({ code: 2, stdout: "" });
  });

  test.each([["xml"], [""], ["results"]])("--output %j is read as hook", async (format) => {
    const ran = await hooksh(["dispatch", "--output", format], { cwd: tempDir(), input: '{"hook_event_name":"stop"}' });
    expect(ran).toMatchObject({ code: 2, stdout: "" });
  });

  test("global flags work before and after the verb", async () => {
    const cwd = tempDir({ "conf/hooks.d/a.yaml": "stop: { type: command, command: echo found }" });
    for (const args of [
      ["--config-dir", "conf", "dispatch", "--output", "result"],
      ["dispatch", "--output", "result", "--config-dir=conf"],
    ]) {
      expect((await hooksh(args, { cwd, input: '{"hook_event_name":"stop"}' })).lines()[0]).toMatchObject({
        additional_context: "found",
      });
    }
  });
});

test.each([
  [
    "YAML",
    "hook_event_name: pre_tool_use\ntool_name: shell\n",
    "standard input is YAML: write the event as JSON, such as {",
  ],
  ["UTF-16", "\uFEFF".concat('{"hook_event_name":"stop"}'), "standard input looks like UTF-16 text: send UTF-8\n"],
  [
    "an event of another agent without its other fields",
    '{"hook_event_name":"PreToolUse","tool_name":"Bash"}',
    'hooksh: "PreToolUse" is an event of another agent, and nothing says which: add --dialect claude, or write hooksh\'s own pre_tool_use\n',
  ],
])("%s is one error that says what to send", async (name, text, message) => {
  const input = name === "UTF-16" ? Buffer.from(text, "utf16le") : text;
  const ran = await hooksh(["dispatch", "--hook", "pre_tool_use=true"], { cwd: tempDir(), input });
  expect(ran).toMatchObject({ code: 2, stdout: "" });
  expect(ran.stderr).toStartWith(message);
  expect(ran.stderr.split("\n")).toHaveLength(2);
});
