import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { defineHook, type HookDefinition, type HookEntry } from "../../src/config/hooks/read-hooks.ts";
import { Executor, type ExecutorOptions } from "../../src/engine/executor.ts";
import { newRegistry } from "../../src/engine/registry.ts";
import type { EventName, Lane } from "../../src/protocol/events.ts";
import { contextOutput } from "../../src/protocol/output.ts";
import { settled } from "../helpers/settled.ts";
import { tempDir } from "../helpers/temp-dir.ts";

interface Written extends Partial<HookDefinition> {
  matcher?: string;
  lane?: Lane;
}

function executor(event: EventName, hooks: readonly Written[], options: ExecutorOptions = {}): Executor {
  const entries = hooks.map(
    ({ matcher = "", lane = "default", ...hook }): HookEntry => ({
      event,
      matcher,
      lane,
      hook: defineHook({ type: "command", ...hook }),
      path: [],
      source: async () => "test",
    }),
  );
  return new Executor(entries, {
    workingDir: tempDir(),
    env: { PATH: process.env["PATH"] ?? "", SHELL: "/bin/sh" },
    ...options,
  });
}

const print = (output: object) => `echo '${JSON.stringify(output)}'`;

describe("the log of a dispatch", () => {
  const logged = async (hook: Written) => {
    const lines: string[] = [];
    await executor("turn_start", [hook], { log: (level, message) => lines.push(`${level} ${message}`) }).dispatch(
      "turn_start",
      {},
    );
    return lines;
  };

  test("contains the output of each hook", async () => {
    expect(await logged({ name: "talker", command: "echo out; echo err >&2" })).toEqual([
      'debug turn_start hook "talker": said, exit code 0\nstdout: out\nstderr: err',
    ]);
  });

  test("omits suppressed output, which still takes effect", async () => {
    const command = print({
      suppress_output: true,
      system_message: "seen",
      hook_specific_output: { additional_context: "context" },
    });
    expect(await logged({ name: "quiet", command })).toEqual(['debug turn_start hook "quiet": answered, exit code 0']);
    expect(await executor("turn_start", [{ command }]).dispatch("turn_start", {})).toEqual({
      allowed: true,
      additional_context: "context",
      system_message: "seen",
    });
  });

  test("warns about misspelled keys", async () => {
    expect((await logged({ name: "other", command: print({ hookSpecificOutput: {} }) })).at(-1)).toBe(
      'warn turn_start hook "other": "hookSpecificOutput" is not read, "hook_specific_output" would be; ' +
        "the answer is in Claude Code's shape: set dialect: claude on the hook",
    );
    expect(
      (await logged({ name: "other", command: print({ hook_specific_output: { additionalContext: "x" } }) })).at(-1),
    ).toContain(
      '"hook_specific_output.additionalContext" is not read, "hook_specific_output.additional_context" would be',
    );
    expect((await logged({ command: print({ myOwn: 1 }) })).at(-1)).toContain('no key of it is read ("myOwn")');
    expect(await logged({ command: print({ myOwn: 1, reason: "" }) })).toHaveLength(1);
  });

  test("passes those warnings to the caller if the caller takes them", async () => {
    const lines: string[] = [];
    const warnings: string[] = [];
    const subject = executor("turn_start", [{ name: "other", command: print({ Decision: "block" }) }], {
      log: (level) => lines.push(level),
    });
    const result = await subject.dispatch("turn_start", {}, { warn: (message) => warnings.push(message) });
    expect(result).toEqual({ allowed: true });
    expect(warnings).toEqual(['turn_start hook "other": "Decision" is not read, "decision" would be']);
    expect(lines).toEqual(["debug"]);
  });

  test("warns about a failure, with its standard error, and says cause and cure", async () => {
    const lines = (command: string) => logged({ name: "broken", command });
    expect((await lines("echo why >&2; exit 9")).slice(-2)).toEqual([
      'warn turn_start hook failed to execute: hook "broken": exited with status 9\nwhy',
      expect.stringMatching(/^debug cause: The command is not on the `PATH`.*\ncure: Run the command by hand/),
    ]);
    expect((await lines("echo why >&2; echo and how >&2; exit 9")).at(-2)).toBe(
      'warn turn_start hook failed to execute: hook "broken": exited with status 9\nwhy\nand how',
    );
  });
});

describe("a dispatch", () => {
  test("is refused for an unknown event or a missing input", async () => {
    const subject = executor("turn_start", []);
    expect(await settled(subject.dispatch("before_lunch" as EventName, {} as never))).toThrow(
      'unknown hook event "before_lunch"',
    );
    for (const payload of [undefined, null, "shell", []])
      expect(await settled(subject.dispatch("turn_start", payload as never))).toThrow("hook input is required");
  });

  test("is refused for a tool call without a tool name, even without hooks", async () => {
    const guarded = executor("pre_tool_use", [{ command: "exit 2" }]);
    for (const payload of [
      {},
      { tool_name: undefined },
      { tool_name: null },
      { tool_name: 7 },
      { tool_name: ["shell"] },
      { tool_qualified_name: "mcp:a:b" },
    ]) {
      for (const subject of [guarded, executor("pre_tool_use", [])]) {
        for (const options of [{}, { lane: "preempt" as const }, { details: true as const }]) {
          expect(await settled(subject.dispatch("pre_tool_use", payload as never, options as object))).toThrow(
            "pre_tool_use: tool_name is required",
          );
        }
      }
    }
    expect((await guarded.dispatch("pre_tool_use", { tool_name: "" })).allowed).toBe(false);
  });

  test("does not change the caller's input", async () => {
    const input = { tool_name: "shell", tool_input: { cmd: "ls", deep: { a: 1 } } };
    const before = structuredClone(input);
    const result = await executor("pre_tool_use", [
      { rewrite: true, command: print({ hook_specific_output: { updated_input: { deep: 2 } } }) },
    ]).dispatch("pre_tool_use", input);
    expect(result.modified_input).toEqual({ cmd: "ls", deep: 2 });
    expect(input).toEqual(before);
  });

  test("gives every hook the event name and a working directory", async () => {
    const dir = tempDir();
    await executor("turn_start", [{ command: "cat > seen" }], { workingDir: dir }).dispatch("turn_start", {
      hook_event_name: "stop",
      cwd: "",
    } as never);
    expect(await Bun.file(join(dir, "seen")).json()).toEqual({
      session_id: "",
      cwd: dir,
      hook_event_name: "turn_start",
    });
  });

  test("omits empty fields, except those whose zero value has a meaning", async () => {
    const dir = tempDir();
    const payload = {
      tool_name: "shell",
      tool_input: {},
      tool_response: "",
      tool_error: false,
      cost: 0,
      extra: "",
      tool_use_id: "",
    };
    await executor("post_tool_use", [{ command: "cat > seen" }], { workingDir: dir }).dispatch(
      "post_tool_use",
      payload as never,
    );
    expect(await Bun.file(join(dir, "seen")).json()).toEqual({
      session_id: "",
      cwd: dir,
      hook_event_name: "post_tool_use",
      tool_name: "shell",
      tool_response: "",
      cost: 0,
      extra: "",
    });
  });

  test("keeps the lanes apart", async () => {
    const subject = executor("pre_tool_use", [
      { command: "exit 2", lane: "preempt" },
      { command: print({ hook_specific_output: { permission_decision: "allow" } }) },
    ]);
    expect(await subject.dispatch("pre_tool_use", { tool_name: "shell" }, { lane: "default" })).toEqual({
      allowed: true,
      decision: "allow",
    });
    expect(await subject.dispatch("pre_tool_use", { tool_name: "shell" })).toEqual({ allowed: false, exit_code: 2 });
    expect(await subject.dispatch("pre_tool_use", { tool_name: "shell" }, { lane: "preempt" })).toEqual({
      allowed: false,
      exit_code: 2,
    });
    expect([subject.has("pre_tool_use", "preempt"), subject.has("pre_tool_use"), subject.has("stop")]).toEqual([
      true,
      true,
      false,
    ]);
  });

  test("applies no rewrite on the preempt lane", async () => {
    const subject = executor("pre_tool_use", [
      { lane: "preempt", command: print({ hook_specific_output: { updated_input: { cmd: "x" } } }) },
    ]);
    expect(
      await subject.dispatch("pre_tool_use", { tool_name: "shell", tool_input: { cmd: "ls" } }, { lane: "preempt" }),
    ).toEqual({ allowed: true });
  });

  test("runs identical hooks of two groups once, and hooks with any difference separately", async () => {
    const dir = tempDir();
    const log = { command: "echo x >> log" };
    const hooks = [
      { ...log, matcher: "shell" },
      { ...log, matcher: "sh.*" },
      { ...log, timeout: 9 },
      { ...log, env: { A: "1" } },
      { ...log, name: "n" },
    ];
    await executor("post_tool_use", hooks, { workingDir: dir }).dispatch("post_tool_use", {
      tool_name: "shell",
      tool_response: "",
    });
    expect(await Bun.file(join(dir, "log")).text()).toBe("x\n".repeat(4));
  });

  test("runs sequential rewriters one after another, each on the rewrite before it", async () => {
    const dir = tempDir();
    const hooks = [1, 2].map((n) => ({
      command: `cat > seen${n}; ${print({ hook_specific_output: { updated_input: { [`k${n}`]: n } } })}`,
    }));
    const result = await executor("tool_input_transform", hooks, { workingDir: dir }).dispatch("tool_input_transform", {
      tool_name: "shell",
      tool_input: { cmd: "ls" },
    });
    expect(result.modified_input).toEqual({ cmd: "ls", k1: 1, k2: 2 });
    expect((await Bun.file(join(dir, "seen2")).json()).tool_input).toEqual({ cmd: "ls", k1: 1 });
  });

  test("uses the first summary in configuration order", async () => {
    const hooks = ["", "A", "B"].map((summary) => ({
      name: `says ${summary}`,
      command: print({ hook_specific_output: { summary } }),
    }));
    expect((await executor("before_compaction", hooks).dispatch("before_compaction", {})).summary).toBe("A");
  });

  test("uses the first of several full rewrites and reports the others", async () => {
    const hooks = ["one", "two", "three"].map((name) => ({
      name,
      command: print({ hook_specific_output: { updated_messages: [{ role: "user", content: name }] } }),
    }));
    const result = await executor("before_llm_call", hooks).dispatch("before_llm_call", {
      messages: [{ role: "user", content: "hi" }],
    });
    expect(result.updated_messages).toEqual([{ role: "user", content: "one" }]);
    expect(result.system_message?.split("\n").map((line) => /hook "(\w+)": rewrite dropped/.exec(line)?.[1])).toEqual([
      "two",
      "three",
    ]);
  });

  test("ignores an empty list of messages, so that a later rewrite counts", async () => {
    const hooks = [[], [{ role: "user", content: "later" }]].map((updated_messages, n) => ({
      name: `${n}`,
      command: print({ hook_specific_output: { updated_messages } }),
    }));
    const result = await executor("before_llm_call", hooks).dispatch("before_llm_call", {
      messages: [{ role: "user", content: "hi" }],
    });
    expect(result).toEqual({ allowed: true, updated_messages: [{ role: "user", content: "later" }] });
  });

  test("runs every lane, unless the first one blocks", async () => {
    const dir = tempDir();
    const hooks = [{ command: "touch default" }, { command: "exit 2", lane: "preempt" as const }];
    const subject = executor("pre_tool_use", hooks, { workingDir: dir });
    const result = await subject.dispatch("pre_tool_use", { tool_name: "shell" });
    expect([result.allowed, await Bun.file(join(dir, "default")).exists()]).toEqual([false, false]);
    expect((await subject.dispatch("pre_tool_use", { tool_name: "shell" }, { lane: "default" })).allowed).toBe(true);
    expect(await Bun.file(join(dir, "default")).exists()).toBe(true);
  });

  test("returns the outcome of each hook with details: true", async () => {
    const subject = executor("pre_tool_use", [
      { name: "late", command: "exit 2" },
      { name: "early", command: "true", lane: "preempt" },
    ]);
    const { result, details, deciders } = await subject.dispatch(
      "pre_tool_use",
      { tool_name: "shell" },
      { details: true },
    );
    expect(result.allowed).toBe(false);
    expect((await details()).map(({ name, stage, outcome }) => [name, stage, outcome])).toEqual([
      ["late", "concurrent", "blocked"],
      ["early", "preempt", "silent"],
    ]);
    expect((await deciders()).map(({ name }) => name)).toEqual(["late"]);
  });

  test("shares no state with another executor, unless both are given the same memory", async () => {
    const response = {
      session_id: "s",
      tool_name: "read_file",
      tool_category: "filesystem",
      tool_read_only: true,
      tool_input: { path: "a" },
      tool_response: "x".repeat(2000),
    };
    const elide = [{ type: "builtin", command: "elide_repeated_tool_results" }];
    const seen = async (subject: Executor) =>
      "updated_tool_response" in (await subject.dispatch("tool_response_transform", response));
    const [first, second] = [executor("tool_response_transform", elide), executor("tool_response_transform", elide)];
    expect([await seen(first), await seen(first), await seen(second), await seen(second)]).toEqual([
      false,
      true,
      false,
      true,
    ]);
    const memory = new Map<string, unknown>();
    const [third, fourth] = [
      executor("tool_response_transform", elide, { memory }),
      executor("tool_response_transform", elide, { memory }),
    ];
    expect([await seen(third), await seen(fourth)]).toEqual([false, true]);
    await fourth.dispatch("after_compaction", { session_id: "s" });
    expect(await seen(third)).toBe(false);
  });

  test("keeps the state of an embedder's builtin separate too", async () => {
    const registry = newRegistry().registerBuiltin("count", (input, _args, { memory }) => {
      const calls = memory(() => ({ count: 0 }));
      return contextOutput(input.hook_event_name, String(++calls.count));
    });
    const counted = [{ type: "builtin", command: "count" }];
    const [first, second] = [
      executor("turn_start", counted, { registry }),
      executor("turn_start", counted, { registry }),
    ];
    const count = async (subject: Executor) => (await subject.dispatch("turn_start", {})).additional_context;
    expect([await count(first), await count(first), await count(second)]).toEqual(["1", "2", "1"]);
  });

  test("runs no hook, not even in this process, if it is cancelled before it starts", async () => {
    let ran = false;
    const registry = newRegistry().registerBuiltin("mine", () => void (ran = true));
    const subject = executor("pre_tool_use", [{ type: "builtin", command: "mine" }], { registry });
    expect(
      (await subject.dispatch("pre_tool_use", { tool_name: "shell" }, { signal: AbortSignal.abort() })).allowed,
    ).toBe(false);
    expect(ran).toBe(false);
  });

  test("skips judges if the call is already decided", async () => {
    const judge = { type: "model", model: "m/x", prompt: "p", schema: "pre_tool_use_decision" };
    const asked: string[] = [];
    const client = { ask: async (spec: string) => (asked.push(spec), '{"decision":"deny","reason":"no"}') };
    const subject = executor("pre_tool_use", [judge], { registry: newRegistry(client) });
    expect((await subject.dispatch("pre_tool_use", { tool_name: "shell" }, { skipJudges: true })).allowed).toBe(true);
    expect(asked).toEqual([]);
    expect((await subject.dispatch("pre_tool_use", { tool_name: "shell" })).allowed).toBe(false);
    expect(asked).toEqual(["m/x"]);
  });

  test("is impossible with an invalid matcher: the constructor throws", () => {
    expect(() => executor("pre_tool_use", [{ command: "true", matcher: "shell(" }])).toThrow("missing closing )");
  });
});
