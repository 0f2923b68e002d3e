/** The first part of a dispatch and the engine must not differ: each call is made both ways. */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { HOST_SAMPLES } from "../../dialects/host-samples.ts";
import { binary, cleanEnv } from "../../helpers/binary.ts";
import { bothWays, type Call } from "../../helpers/both-ways.ts";
import { tempDir } from "../../helpers/temp-dir.ts";
import { until } from "../../helpers/until.ts";

const EVENT = {
  session_id: "s1",
  hook_event_name: "pre_tool_use",
  tool_name: "shell",
  tool_use_id: "t1",
  tool_input: { cmd: "ls -la", nested: { list: [1, "ä", null] } },
};

/** Appends what it reads to the file `ran`, so that it is seen how often it ran. */
const NOTE = 'cat >> "$CALL_DIR/ran"';

const hook = (command: string, more: object = {}) => ({ type: "command", command, ...more });

/** A hooks file with one group for the shell. */
const shell = (...hooks: readonly object[]) => ({ pre_tool_use: [{ matcher: "shell", hooks }] });

const guard = (command: string) => shell(hook(`${NOTE}; ${command}`));

const HOOKS: Record<string, unknown> = {
  silent: guard("true"),
  "no matcher": { pre_tool_use: [{ hooks: [hook(NOTE)] }] },
  "a star": { pre_tool_use: [{ matcher: "*", hooks: [hook(NOTE)] }] },
  "a group and a hook that are no lists": { pre_tool_use: { matcher: "shell", hooks: hook(NOTE) } },
  "a matcher of another tool": { pre_tool_use: [{ matcher: "fetch", hooks: [hook(NOTE)] }] },
  "several names": { pre_tool_use: [{ matcher: "fetch|shell", hooks: [hook(NOTE)] }] },
  "a beginning": { pre_tool_use: [{ matcher: "sh.*", hooks: [hook(NOTE)] }] },
  "any name": { pre_tool_use: [{ matcher: ".*", hooks: [hook(NOTE)] }] },
  "a pattern": { pre_tool_use: [{ matcher: "(?i)SHELL", hooks: [hook(NOTE)] }] },
  "a matcher that names no tool": { pre_tool_use: [{ matcher: "shel", hooks: [hook(NOTE)] }] },
  "a server of MCP without tools": { pre_tool_use: [{ matcher: "mcp__github", hooks: [hook(NOTE)] }] },
  "a tool of MCP": {
    pre_tool_use: [{ matcher: "mcp__github__get|mcp:x:.*", hooks: [hook(NOTE)] }, ...shell(hook(NOTE)).pre_tool_use],
  },
  "an invalid matcher": { pre_tool_use: [{ matcher: "shell(", hooks: [hook(NOTE)] }] },
  "another event": { turn_end: [hook(NOTE)] },
  "an invalid hook of another event": { ...guard("true"), turn_end: [hook(" ")] },
  "an unknown event": { ...guard("true"), pre_tool_usee: [] },
  "an unknown key of a hook": shell(hook(NOTE, { tiemout: 3 })),
  "an unknown key of a group": { pre_tool_use: [{ matcher: "shell", hook: hook(NOTE), hooks: [hook(NOTE)] }] },
  "a group without hooks": { pre_tool_use: [{ matcher: "shell", hooks: [] }] },
  "a file without hooks": {},
  "a list": [],
  "a text": "hello",
  "an empty file": "",
  "a repeated key": `pre_tool_use: [{matcher: shell, hooks: [{type: command, command: "exit 2"}]}]\npre_tool_use: []\n`,
  "a repeated key of a hook": `pre_tool_use:\n  - matcher: shell\n    hooks:\n      - type: command\n        command: exit 2\n        command: "true"\n`,
  "a merge key": `a: &a {matcher: shell}\npre_tool_use:\n  - <<: *a\n    hooks: [{type: command, command: "exit 2"}]\n`,
  "a key that is a prototype": `pre_tool_use:\n  - matcher: shell\n    hooks:\n      - type: command\n        command: "true"\n        __proto__: {command: "exit 2"}\n`,
  "not UTF-8": new TextDecoder("latin1").decode(new Uint8Array([0x70, 0xff])),
  "two at once": shell(hook(`${NOTE}; sleep 0.02`), hook(`${NOTE};`)),
  "twice the same": shell(hook(NOTE), hook(NOTE)),
  "twice the same in two groups": { pre_tool_use: [...shell(hook(NOTE)).pre_tool_use, { hooks: [hook(NOTE)] }] },
  "a name": shell(hook(NOTE, { name: "guard" })),
  "a name like a secret": shell(hook(NOTE, { name: "token=ghp_0123456789abcdefghijABCDEFGHIJ456789" })),
  "a timeout": shell(hook(NOTE, { timeout: 5 })),
  "a negative timeout": shell(hook(NOTE, { timeout: -5 })),
  "a policy": shell(hook(`${NOTE}; exit 1`, { on_error: "warn" })),
  "a policy that no event has": shell(hook(NOTE, { on_error: "maybe" })),
  "a policy that the event has not": { turn_end: [hook(NOTE, { on_error: "block" })], ...guard("true") },
  "a condition": shell(hook(`${NOTE}; exit 2`, { if: "shell:cmd=rm*" })),
  "a mode": shell(hook(`${NOTE}; exit 2`, { mode: "observe" })),
  variables: shell(hook(`${NOTE}; echo "$A" >> "$CALL_DIR/ran"`, { env: { A: "b" } })),
  arguments: shell(hook(`${NOTE}; echo "$1" >> "$CALL_DIR/ran"`, { args: ["b"] })),
  "a folder": shell(hook(`${NOTE}; pwd >> "$CALL_DIR/ran"`, { working_dir: "/" })),
  "a long command": shell(hook(`: ${"x".repeat(130_000)}`)),
  "the folder of the file": shell(hook(`${NOTE}; echo "\${hook_dir}" >> "$CALL_DIR/ran"`)),
  "the preempt lane": { pre_tool_use: [{ matcher: "shell", preempt_yolo: true, hooks: [hook(`${NOTE}; exit 2`)] }] },
  "a rewriter": shell(hook(`${NOTE}`, { rewrite: true })),
  "strict output": shell(hook(`${NOTE}; echo hello`, { strict_output: true })),
  "a builtin": { pre_tool_use: [{ hooks: [{ type: "builtin", command: "safer_shell" }] }] },
  "a builtin of another event": { ...guard("true"), turn_start: [{ type: "builtin", command: "add_date" }] },
  rules: { ...guard("true"), rules: [{ deny: "no", when: { tool: "shell" } }] },
  "unknown tools": { ...guard("true"), unknown_tools: "deny" },
  text: guard("echo hello"),
  "a blank line": guard("echo"),
  "an allow": guard(`echo '{"hook_specific_output":{"hook_event_name":"pre_tool_use","permission_decision":"allow"}}'`),
  "a denial": guard(`echo '{"decision":"block","reason":"no"}'`),
  "an ask": guard(`echo '{"hook_specific_output":{"hook_event_name":"pre_tool_use","permission_decision":"ask"}}'`),
  "a rewrite": guard(
    `echo '{"hook_specific_output":{"hook_event_name":"pre_tool_use","updated_input":{"cmd":"true"}}}'`,
  ),
  "an empty object": guard("echo '{}'"),
  "broken JSON": guard("echo '{'"),
  "bytes that are not UTF-8": guard("printf '\\377'"),
  "much text": guard("head -c 200000 /dev/zero | tr '\\0' a"),
  "too much text": guard("head -c 11000000 /dev/zero | tr '\\0' a"),
  "standard error": guard("echo hello >&2"),
  "much standard error": guard("head -c 300000 /dev/zero | tr '\\0' a >&2"),
  "standard error in two parts": guard("echo a >&2; sleep 0.05; echo b >&2"),
  "a command that is not found": guard("nonsuch; true"),
  "a command that is not found, from a script": guard("echo 'x.sh: line 2: nonsuch: command not found' >&2"),
  "a file that is not found": guard("ls /nonsuch; true"),
  "exit 1": guard("exit 1"),
  "exit 2": guard("exit 2"),
  "exit 2 with a reason": guard("echo no >&2; exit 2"),
  "exit 3 of an allowed kind": shell(hook(`${NOTE}; exit 3`, { other_exit_codes: "allow" })),
  "exit 126": guard("/etc/hostname"),
  "exit 127": guard("exec nonsuch"),
  "a signal": guard("kill -9 $$"),
  "one silent, one that blocks": shell(hook(NOTE), hook(`${NOTE}; exit 2`)),
  "one that blocks, one that is slow": shell(hook(`${NOTE}; exit 2`), hook(`sleep 0.3; ${NOTE}`)),
  slow: guard("sleep 0.4"),
  "slow, and blocks": guard("sleep 0.4; exit 2"),
  "slow, and prints": guard("echo a; sleep 0.4; echo b"),
  "too slow": shell(hook(`${NOTE}; echo a >&2; sleep 20`, { timeout: 1 })),
  "too slow, and deaf": shell(hook(`${NOTE}; trap '' TERM; sleep 20; sleep 20`, { timeout: 1 })),
  "closes its streams": guard("exec >&- 2>&-; sleep 0.3; exit 2"),
  "closes its streams and is silent": guard("exec >&- 2>&-; sleep 0.05"),
  "leaves a process with its pipes": guard("sleep 20 & true"),
  "leaves a process without pipes": guard("sleep 2 >/dev/null 2>&1 & true"),
  "leaves a process in another group": guard("setsid sleep 20 & true"),
  "does not read": shell(hook('echo once >> "$CALL_DIR/ran"')),
  "opens its streams by name": guard("echo a > /dev/stderr; cat < /dev/stdin; true"),
  "variables of hooksh": guard(
    `env | grep -E '^(HOOKSH|SHELL)' | sed -E 's/[0-9]+[.][a-z0-9.]+/MARK/' | sort >> "$CALL_DIR/ran"`,
  ),
  "open descriptors": guard(`ls /proc/self/fd | tr '\\n' ' ' >> "$CALL_DIR/ran"`),
  signals: guard(`grep -E 'Sig(Blk|Ign)' /proc/self/status >> "$CALL_DIR/ran"`),
  "its group": guard(`ps -o pid=,pgid=,sid= -p $$ | awk '{print ($1 == $2), ($2 == $3)}' >> "$CALL_DIR/ran"`),
};

const EVENTS: Record<string, Call["event"]> = {
  "no session": { ...EVENT, session_id: undefined },
  "a folder": { ...EVENT, cwd: "/" },
  "unknown fields": { ...EVENT, more: { a: 1 } },
  nulls: { ...EVENT, session_id: null, tool_input: { a: null } },
  "a wrong type": { ...EVENT, tool_input: "x" },
  "no tool": { ...EVENT, tool_name: undefined },
  "another tool": { ...EVENT, tool_name: "fetch" },
  "a qualified name": { ...EVENT, tool_name: "x", tool_qualified_name: "shell" },
  "an unknown event": { ...EVENT, hook_event_name: "pre_tool_usee" },
  "no event": { ...EVENT, hook_event_name: undefined },
  "an event without hooks": { hook_event_name: "turn_end", session_id: "s" },
  two: `${JSON.stringify(EVENT)}\n${JSON.stringify(EVENT)}\n`,
  "a list": [EVENT, EVENT],
  blanks: ` \n${JSON.stringify(EVENT, undefined, 2)}\n\n`,
  "separators of Python": JSON.stringify(EVENT).replaceAll(":", ": "),
  "a repeated key": `{"hook_event_name":"pre_tool_use","tool_name":"fetch","tool_name":"shell"}`,
  "a repeated key deep inside": `{"hook_event_name":"pre_tool_use","tool_name":"shell","tool_input":{"cmd":"ls","cmd":"rm"}}`,
  "a repeated key, once escaped": `{"hook_event_name":"pre_tool_use","tool_name":"shell","tool_input":{"cmd":"ls","\\u0063md":"rm"}}`,
  "a prototype": `{"hook_event_name":"pre_tool_use","tool_name":"shell","__proto__":{"tool_name":"fetch"}}`,
  numbers: `{"hook_event_name":"pre_tool_use","tool_name":"shell","tool_input":{"a":1e400,"b":12345678901234567890,"c":1.0}}`,
  "half a character": `{"hook_event_name":"pre_tool_use","tool_name":"shell","tool_input":{"cmd":"\\ud800"}}`,
  "a mark": `\uFEFF${JSON.stringify(EVENT)}`,
  "bytes that are not UTF-8": new Uint8Array([...Buffer.from(JSON.stringify(EVENT)), 0x0a, 0xff]),
  "bytes that are not UTF-8 inside": Buffer.from(JSON.stringify(EVENT).replace("ls -la", "\xff"), "latin1"),
  nothing: "",
  text: "hello",
  "half a value": JSON.stringify(EVENT).slice(0, -1),
  "70 KB": { ...EVENT, tool_input: { cmd: "a".repeat(70_000) } },
  "2 MB": { ...EVENT, tool_input: { cmd: "a".repeat(2_000_000) } },
  deep: `${JSON.stringify(EVENT).slice(0, -1)},"x":${"[".repeat(3000)}${"]".repeat(3000)}}`,
};

const LINES: Record<string, Partial<Call> & { args?: string[] }> = {
  result: { args: ["--output", "result"] },
  text: { args: ["--output", "text"] },
  details: { args: ["--output", "result", "--details"] },
  "no audit": { args: ["--no-audit"] },
  "an event": { args: ["--event", "pre_tool_use"] },
  "another event": { args: ["--event", "turn_end"] },
  "an unknown event": { args: ["--event", "PreToolUse"] },
  "an unknown flag": { args: ["--nonsuch"] },
  "a missing value": { args: ["--event"] },
  "an agent": { args: ["agent.yaml"] },
  "the same file twice": { args: ["--hooks-file", "hooks.yaml"] },
  "a missing file": { args: ["--hooks-file", "nonsuch.yaml"] },
  "a file above": { args: ["--hooks-file", "../nonsuch/../hooks.yaml"] },
  "proof without an agent": { args: ["--proof"] },
  "guards that stay": { args: ["--guards-stay"] },
  observe: { args: ["--observe"] },
  "without hooks of the user": { args: ["--no-user-hooks"] },
  "a hook": { args: ["--hook", "pre_tool_use=exit 2"] },
  "a dialect": { args: ["--dialect", "hooksh"] },
  "an unknown dialect": { args: ["--dialect", "nonsuch"] },
  "a missing folder": { args: ["--config-dir", "/nonsuch"] },
  "a debug log": { env: { HOOKSH_DEBUG: "1" } },
  "a trace": { env: { HOOKSH_TRACE: "1" } },
  "no shell": { env: { SHELL: "/nonsuch" } },
  "a shell by its name": { env: { SHELL: "sh" } },
  "a variable with an equals sign": { env: { A: "b=c", EMPTY: "" } },
  "drop-ins": {
    files: {
      ".home/.config/hooksh/hooks.d/b.yaml": JSON.stringify(guard("echo b >&2")),
      ".home/.config/hooksh/hooks.d/a.yaml": JSON.stringify(guard("echo a >&2")),
      ".home/.config/hooksh/hooks.d/a.sh": "",
    },
  },
  "a drop-in that blocks": { files: { ".home/.config/hooksh/hooks.d/a.yaml": JSON.stringify(guard("exit 2")) } },
  "a broken drop-in": { files: { ".home/.config/hooksh/hooks.d/a.yaml": "x: [" } },
  "a file in the folder of drop-ins that is not read": { files: { ".home/.config/hooksh/hooks.d/a.json": "{}" } },
  "a folder with a wrong name": { files: { ".home/.config/hooksh/hook.d/a.yaml": JSON.stringify(guard("exit 2")) } },
  settings: { files: { ".home/.config/hooksh/config.yaml": `settings: {hooks: ${JSON.stringify(guard("exit 2"))}}` } },
  "settings with a wrong name": { files: { ".home/.config/hooksh/config.yml": "settings: {}" } },
  "few open files": { line: 'ulimit -n 8; exec "$@"' },
  "the ends of processes are discarded": { line: `trap '' CHLD; exec "$@"` },
  "a directory of configuration without hooks": { files: { ".home/.config/hooksh/.env": "A=b" } },
};

const SILENT: Call = { hooks: guard("true"), event: EVENT };

async function expectSame(call: Call): Promise<void> {
  const { quick, engine } = await bothWays(call);
  expect(quick).toEqual(engine);
}

/** Calls of other agents' tools, and further events. */
const PAYLOADS: readonly (readonly [string, string, object])[] = [
  ...Object.entries(HOST_SAMPLES).flatMap(([dialect, { guarded }]) =>
    Object.entries(guarded).map(([event, payload]) => [dialect, event, payload] as const),
  ),
  ...["Stop", "SubagentStop", "PreCompact", "ConfigChange", "Notification", "WorktreeRemove", "Nonsuch"].map(
    (event) => ["claude", event, { hook_event_name: event, session_id: "s", transcript_path: "/t.jsonl" }] as const,
  ),
  ["claude", "PostToolUse", ofClaude("PostToolUse", "Bash", { command: "ls" })],
  ["claude", "PreToolUse", ofClaude("PreToolUse", "Nonsuch", { command: "ls" })],
  ["claude", "PreToolUse", ofClaude("PreToolUse", "mcp__a__b", { command: "ls" })],
  ["claude", "PreToolUse", ofClaude("PreToolUse", "mcp__a__b__c", { command: "ls" })],
  ["claude", "PreToolUse", ofClaude("PreToolUse", "Bash", { command: "ls", Command: "rm" })],
  ["codex", "PreToolUse", { ...ofClaude("PreToolUse", "Bash", { command: "python3" }), turn_id: "t", model: "m" }],
  ["codex", "PreToolUse", { ...ofClaude("PreToolUse", "Bash", { command: "ls" }), turn_id: "t", model: "m" }],
];

function ofClaude(event: string, tool: string, input: object): object {
  const common = { session_id: "s", cwd: "/", transcript_path: "/t.jsonl", permission_mode: "default" };
  return {
    ...common,
    hook_event_name: event,
    tool_name: tool,
    tool_use_id: "t1",
    tool_input: input,
    tool_response: "x",
  };
}

/** Hooks on the events of agents, without matchers. */
function onAll(command: string): object {
  const groups = ["pre_tool_use", "post_tool_use", "permission_request", "tool_response_transform"];
  const others = ["user_prompt_submit", "stop", "session_end", "pre_compact", "notification"];
  return Object.fromEntries([
    ...groups.map((event) => [event, [{ hooks: [hook(command)] }]]),
    ...others.map((event) => [event, [hook(command)]]),
  ]);
}

/** Nobody reads what it prints. */
const UNREAD = 'exec 3> >(true); wait $!; exec "$@" >&3 3>&-';

const SURE_GUARDS: Record<string, object> = {
  "a command that reads": ofClaude("PreToolUse", "Bash", { command: "ls -la src" }),
  "a command that changes a guard": ofClaude("PreToolUse", "Bash", { command: "rm -rf ~/.claude/settings.json" }),
  "a redirection to a guard": ofClaude("PreToolUse", "Bash", { command: "echo x > ~/.claude/settings.json" }),
  "a file that is a guard": ofClaude("PreToolUse", "Write", { file_path: "/root/.claude/settings.json", content: "" }),
  "a file that is read": ofClaude("PreToolUse", "Read", { file_path: "/etc/hostname" }),
};

describe("both ways do the same for another agent", () => {
  test.concurrent.each(PAYLOADS)("%s, %s: silence", async (dialect, event, payload) => {
    const hooks = onAll(NOTE);
    await expectSame({ hooks, event: payload, args: ["--dialect", dialect, "--event", event] });
    await expectSame({ hooks, event: payload });
  });

  test.concurrent.each(PAYLOADS)("%s, %s: a denial", (dialect, event, payload) =>
    expectSame({
      hooks: onAll(`${NOTE}; echo no >&2; exit 2`),
      event: payload,
      args: ["--dialect", dialect, "--event", event, "--proof"],
    }),
  );

  test.concurrent.each(Object.keys(SURE_GUARDS))("the line that install registers: %s", (name) =>
    expectSame({
      hooks: onAll(NOTE),
      event: SURE_GUARDS[name] ?? {},
      args: [..."--dialect claude --event PreToolUse --guards-stay --proof --deadline 54s".split(" ")],
    }),
  );
});

test.each([["--proof"], ["--guards-stay"]])("an answer of another agent with %s that nobody reads", (flag) =>
  expectSame({
    hooks: onAll(NOTE),
    event: SURE_GUARDS["a command that reads"] ?? {},
    args: ["--dialect", "claude", flag],
    line: UNREAD,
  }),
);

describe("signals reach hooks on both ways", () => {
  const cases = (["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"] as const).flatMap((name) =>
    [0, 300].map((afterMs) => [name, afterMs] as const),
  );
  test.concurrent.each(cases)("%s after %d ms", async (name, afterMs) => {
    const { quick, engine, dir } = await bothWays({
      hooks: shell(hook('echo $$ >> "$CALL_DIR/pids"; touch "$CALL_DIR/started"; exec sleep 120')),
      event: EVENT,
      signal: { name, afterMs },
    });
    expect(quick).toEqual(engine);
    const pids = readFileSync(join(dir, "pids"), "utf8").split("\n").filter(Boolean);
    expect(pids).toHaveLength(3);
    for (const pid of pids) await until(() => !existsSync(`/proc/${pid}`));
  });
});

describe("an answer that is not read", () => {
  const run = async (line: string) => {
    const dir = tempDir({ "hooks.yaml": JSON.stringify(guard("true")), "event.json": JSON.stringify(EVENT) });
    const script = (more: string) => `${binary()} dispatch ${more} --hooks-file hooks.yaml < event.json ${line}`;
    const env = cleanEnv(dir, { CALL_DIR: dir });
    await Bun.spawn(["sh", "-c", script("--stream")], { cwd: dir, env, stdout: "ignore", stderr: "ignore" }).exited;
    const did = async (more: string) => {
      const child = Bun.spawn(["bash", "-c", `${script(more)}; echo $? >&2`], { cwd: dir, env, stderr: "pipe" });
      return child.stderr.text();
    };
    return [await did(""), await did("--stream")];
  };
  test.each(["> /dev/full", "1>&-", "> /dev/null", "| true; (exit ${PIPESTATUS[0]})"])("%s", async (line) => {
    const [quick, engine] = await run(line);
    expect(quick).toBe(engine);
  });
});

describe("both ways do the same", () => {
  test.concurrent.each(Object.keys(HOOKS))("hooks: %s", (name) => expectSame({ ...SILENT, hooks: HOOKS[name] }));
  test.concurrent.each(Object.keys(EVENTS))("an event: %s", (name) =>
    expectSame({ ...SILENT, event: EVENTS[name] ?? "" }),
  );
  test.concurrent.each(Object.keys(LINES))("a command line: %s", (name) => expectSame({ ...SILENT, ...LINES[name] }));
});
