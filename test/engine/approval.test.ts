import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineHook, type HookDefinition, type HookEntry } from "../../src/config/hooks/read-hooks.ts";
import type { DispatchRecord } from "../../src/engine/dispatch-record.ts";
import { Executor, type ExecutorOptions } from "../../src/engine/executor.ts";
import type { HandlerResult } from "../../src/engine/handler.ts";
import { newRegistry } from "../../src/engine/registry.ts";
import type { HookOutput } from "../../src/protocol/output.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const EVENT = "skill_content_guard";
const SKILL = { skill: { name: "digest", source: "inline", content: "Make a digest." } };

function executor(hooks: readonly Partial<HookDefinition>[], options: ExecutorOptions = {}): Executor {
  const entries = hooks.map(
    (hook): HookEntry => ({
      event: EVENT,
      matcher: "",
      lane: "default",
      hook: defineHook({ name: "judge", type: "command", ...hook }),
      path: [],
      source: async () => "test",
    }),
  );
  const env = { PATH: process.env["PATH"] ?? "", SHELL: "/bin/sh" };
  return new Executor(entries, { workingDir: tempDir(), env, ...options });
}

/** Dispatches to hooks whose handlers have these results. */
function judged(results: readonly HandlerResult[], hook: Partial<HookDefinition> = {}) {
  const registry = newRegistry();
  const left = [...results];
  registry.register("test", () => ({ run: async () => left.shift() ?? { kind: "returned", output: undefined } }));
  const hooks = results.map((_result, index) => ({ type: "test", args: [String(index)], ...hook }));
  return executor(hooks, { registry }).dispatch(EVENT, SKILL);
}

const printed = (
  stdout: string,
  more: { exitCode?: number; stderr?: string; isUtf8?: boolean } = {},
): HandlerResult => ({
  kind: "exited",
  exitCode: 0,
  stdout,
  stderr: "",
  ...more,
});

const REJECTED = { allowed: false, message: "skill content rejected by policy" };
const failed = (category: string) => ({
  allowed: false,
  message: `skill content rejected by policy (hook "judge": ${category})`,
  exit_code: -1,
});
const INVALID = failed("invalid output");
const SILENT = failed("no explicit verdict");

describe("the verdict on a text", () => {
  test.each([
    '{"continue":true}',
    ' \n{"continue": true}\r\n\t',
    '{"continue":true,"decision":"","suppress_output":false,"reason":"r","stop_reason":"s","system_message":"m"}',
    '{"continue":true,"reason":null,"decision":null,"suppress_output":null}',
    '{"continue":true,"hook_specific_output":null}',
    '{"continue":true,"hook_specific_output":{}}',
    '{"continue":true,"hook_specific_output":{"hook_event_name":"skill_content_guard"}}',
  ])("%s approves", async (stdout) => {
    expect(await judged([printed(stdout)])).toEqual({ allowed: true });
  });

  test.each([
    '{"decision":"block","reason":"UNTRUSTED"}',
    '{"continue":false,"stop_reason":"UNTRUSTED","system_message":"UNTRUSTED"}',
    '{"continue":true,"decision":"block"}',
  ])("%s rejects", async (stdout) => {
    expect(await judged([printed(stdout, { stderr: "UNTRUSTED" })])).toEqual(REJECTED);
  });

  test("exit code 2 rejects, whatever is printed", async () => {
    for (const stdout of ["", '{"continue":true}', '{"reason":"UNTRUSTED","system_message":"UNTRUSTED"}'])
      expect(await judged([printed(stdout, { exitCode: 2, stderr: "UNTRUSTED" })])).toEqual({
        ...REJECTED,
        exit_code: 2,
      });
  });

  test.each([
    "",
    " \n",
    "{}",
    '{"reason":"fine"}',
    '{"continue":null}',
    '{"decision":""}',
    '{"hook_specific_output":{}}',
  ])("%j is none", async (stdout) => {
    expect(await judged([printed(stdout)])).toEqual(SILENT);
  });

  test.each([
    "all good",
    "true",
    "null",
    "[]",
    '[{"continue":true}]',
    '"continue"',
    '{"continue":true',
    '{"continue":true} checked',
    '{"continue":true}{"continue":true}',
    '{"continue":true}\u00a0',
    '\ufeff{"continue":true}',
    '{"decision":"allow"}',
    '{"continue":true,"decision":"allow"}',
    '{"continue":true,"decision":"BLOCK"}',
    '{"Continue":true}',
    '{"continue":true,"Decision":"block"}',
    '{"continue":true,"verdict":"safe"}',
    '{"continue":true,"verdict":null}',
    '{"continue":true,"__proto__":{}}',
    '{"__proto__":{"continue":true}}',
    '{"continue":"true"}',
    '{"continue":1}',
    '{"continue":true,"reason":5}',
    '{"continue":true,"system_message":["a"]}',
    '{"continue":true,"suppress_output":true}',
    '{"continue":true,"suppress_output":"no"}',
    '{"continue":false,"continue":true}',
    '{"continue":true,"continue":true}',
    '{"continue":true,"continu\\u0065":true}',
    '{"continue":true,"reason":"a","reason":"a"}',
    '{"continue":true,"hook_specific_output":{"hook_event_name":"skill_content_guard","hook_event_name":"skill_content_guard"}}',
    '{"continue":true,"hook_specific_output":{"hook_event_name":"prompt_file_guard"}}',
    '{"continue":true,"hook_specific_output":{"hook_event_name":""}}',
    '{"continue":true,"hook_specific_output":{"hook_event_name":null}}',
    '{"continue":true,"hook_specific_output":{"Hook_event_name":"skill_content_guard"}}',
    '{"continue":true,"hook_specific_output":[]}',
    '{"continue":true,"hook_specific_output":""}',
    ...["permission_decision", "additional_context", "summary", "updated_tool_response"].map(
      (key) => `{"continue":true,"hook_specific_output":{"${key}":"allow"}}`,
    ),
    '{"continue":true,"hook_specific_output":{"metadata":{}}}',
    '{"continue":true,"hook_specific_output":{"transition":{"action":"route","agent":"x"}}}',
    '{"decision":"block","verdict":"bad"}',
  ])("%s is invalid", async (stdout) => {
    expect(await judged([printed(stdout)])).toEqual(INVALID);
  });

  test("output that is not UTF-8 is invalid", async () => {
    expect(await judged([printed('{"continue":true}', { isUtf8: false })])).toEqual(INVALID);
  });

  test("no other exit code approves, also not with other_exit_codes", async () => {
    for (const hook of [{}, { other_exit_codes: "allow" }])
      expect(await judged([printed('{"continue":true}', { exitCode: 1 })], hook)).toEqual(
        failed("exited with status 1"),
      );
  });

  test.each(["", "ignore", "warn", "block"])("a failure rejects with on_error %j", async (on_error) => {
    expect(await judged([{ kind: "failed", error: "UNTRUSTED", stderr: "UNTRUSTED" }], { on_error })).toEqual(
      failed("could not be run"),
    );
  });

  test.each([
    [undefined, SILENT],
    [{}, SILENT],
    [{ continue: true }, { allowed: true }],
    [{ continue: true, reason: undefined }, { allowed: true }],
    [{ decision: "block", reason: "UNTRUSTED" }, REJECTED],
    [{ decision: "allow" }, INVALID],
    [{ continue: true, suppress_output: true }, INVALID],
    [{ continue: true, hook_specific_output: { additional_context: "UNTRUSTED" } }, INVALID],
    [[], INVALID],
    ["UNTRUSTED", INVALID],
  ])("a hook that returns %j is read by the same rules", async (output, result) => {
    const returned: HandlerResult = { kind: "returned", output: output as HookOutput, warning: "UNTRUSTED" };
    expect(await judged([returned])).toEqual(result as { allowed: boolean });
  });
});

describe("several hooks", () => {
  const APPROVES = printed('{"continue":true}');

  test("must all approve", async () => {
    expect(await judged([APPROVES, APPROVES])).toEqual({ allowed: true });
    expect(await judged([APPROVES, printed("")])).toEqual(SILENT);
    expect(await judged([printed("{}"), APPROVES])).toEqual(SILENT);
  });

  test("give one line each in configuration order, and equal lines once", async () => {
    const block = printed('{"decision":"block"}');
    const { message, exit_code } = await judged([block, printed("x"), printed("", { exitCode: 2 }), printed("x")]);
    expect(message).toBe(
      'skill content rejected by policy\nskill content rejected by policy (hook "judge": invalid output)',
    );
    expect(exit_code).toBe(-1);
  });

  test("are not asked if there are none", async () => {
    expect(await executor([]).dispatch(EVENT, SKILL)).toEqual({ allowed: true });
  });

  test("of which one only observes: its verdict is reported and not enforced", async () => {
    expect(await judged([printed('{"decision":"block","reason":"UNTRUSTED"}')], { mode: "observe" })).toEqual({
      allowed: true,
      system_message:
        'skill_content_guard hook "judge" only observes: it would have blocked: skill content rejected by policy',
    });
  });
});

/** Hooks that say `UNTRUSTED` wherever they can, with the category of their failure, if they fail. */
const TALKERS: Record<string, { hook: Partial<HookDefinition>; file?: string; category?: string; exit?: number }> = {
  approves: {
    hook: { command: `echo UNTRUSTED >&2; echo '{"continue":true,"reason":"UNTRUSTED","system_message":"UNTRUSTED"}'` },
    exit: 0,
  },
  blocks: { hook: { command: `echo UNTRUSTED >&2; echo '{"decision":"block","reason":"UNTRUSTED"}'` }, exit: 0 },
  "blocks by exit code": { hook: { command: "echo UNTRUSTED; echo UNTRUSTED >&2; exit 2" }, exit: 2 },
  fails: {
    hook: { command: "echo UNTRUSTED; echo UNTRUSTED >&2; exit 1" },
    category: "exited with status 1",
    exit: 1,
  },
  "does not exist": { hook: { command: "./UNTRUSTED.sh" }, category: "exited with status 127", exit: 127 },
  "prints text": { hook: { command: "echo UNTRUSTED" }, category: "invalid output", exit: 0 },
  "prints an unknown key": {
    hook: { command: `echo '{"continue":true,"UNTRUSTED":"UNTRUSTED"}'` },
    category: "invalid output",
    exit: 0,
  },
  "is killed": { hook: { command: "echo UNTRUSTED; echo UNTRUSTED >&2; kill -9 $$" }, category: "killed by signal" },
  hangs: {
    hook: { command: "echo UNTRUSTED; echo UNTRUSTED >&2; sleep 600", timeout: 1 },
    category: "timed out after 1s",
  },
  "floods standard output": {
    hook: { command: "yes UNTRUSTED" },
    category: "invalid output",
  },
  "throws an error": {
    hook: { type: "builtin", command: "./hook.ts" },
    file: `export default () => { console.log("UNTRUSTED"); console.error("UNTRUSTED"); throw new Error("UNTRUSTED"); };`,
    category: "could not be run",
  },
  "returns text": {
    hook: { type: "builtin", command: "./hook.ts" },
    file: `export default () => { process.stdout.write("UNTRUSTED"); return "UNTRUSTED"; };`,
    category: "invalid output",
  },
  "posts a message": {
    hook: { type: "builtin", command: "./hook.ts" },
    file: `export default () => { postMessage({ UNTRUSTED: "UNTRUSTED" }); return new Promise(() => {}); };`,
    category: "invalid output",
  },
  "ends its thread": {
    hook: { type: "builtin", command: "./hook.ts" },
    file: `export default () => { console.log("UNTRUSTED"); process.exit(7); };`,
    category: "could not be run",
  },
  "is no builtin": { hook: { type: "builtin", command: "UNTRUSTED" }, category: "could not be run" },
  "does not load": {
    hook: { type: "builtin", command: "./hook.ts" },
    file: "UNTRUSTED UNTRUSTED",
    category: "could not be run",
  },
  "asks a model": {
    hook: { type: "model", model: "fake/judge", prompt: "?", schema: "guard_decision" },
    category: "model call failed",
  },
};

test.each(Object.entries(TALKERS))("nothing of a hook that %s is passed on", async (_name, talker) => {
  const { hook, file, category, exit } = talker;
  const logged: string[] = [];
  const records: DispatchRecord[] = [];
  const client = { ask: () => Promise.reject(new Error("UNTRUSTED")) };
  const { result, details, deciders } = await executor([hook], {
    workingDir: tempDir(file === undefined ? {} : { "hook.ts": file }),
    registry: newRegistry(client),
    log: (_level, message) => void logged.push(message),
    observers: [() => ({ settled: (record) => void records.push(record) })],
  }).dispatch(EVENT, SKILL, { details: true, warn: (message) => void logged.push(message) });
  if (category !== undefined) expect(result).toEqual(failed(category));
  const [run] = records.flatMap(({ runs }) => runs);
  expect(run?.exitCode).toBe(exit);
  const passedOn = { result, logged, output: run?.output, outcome: run?.outcome };
  const shown = [...(await details()), ...(await deciders())].map(({ name: _name, ...detail }) => detail);
  expect(JSON.stringify({ passedOn, shown })).not.toContain("UNTRUSTED");
  expect(shown.every((detail) => detail.duration_ms >= 0)).toBe(true);
});

test("a hook that fails is logged with what to do, and with nothing of its own error", async () => {
  const logged: string[] = [];
  const registry = newRegistry();
  registry.register("test", () => ({ run: () => Promise.reject(new Error("UNTRUSTED")) }));
  const log = (_level: string, message: string) => void logged.push(message);
  await executor([{ type: "test" }], { registry, log }).dispatch(EVENT, SKILL);
  expect(logged).toContainEqual(expect.stringContaining("cure: Read the text"));
  expect(logged.join("\n")).not.toContain("UNTRUSTED");
});

test("a hook that is stopped has ended when the dispatch ends, even if it ignores the first signal", async () => {
  const workingDir = tempDir();
  const stop = new AbortController();
  const command = "trap '' TERM; echo $$ > pid; while :; do sleep 0.05; done";
  const dispatched = executor([{ command }], { workingDir }).dispatch(EVENT, SKILL, { signal: stop.signal });
  const pid = await until(() => Number(existsSync(join(workingDir, "pid")) && readFileSync(join(workingDir, "pid"))));
  stop.abort();
  expect((await dispatched).allowed).toBe(false);
  expect(() => process.kill(pid, 0)).toThrow("ESRCH");
});

/** Waits for a value that is true. */
async function until<T>(read: () => T): Promise<T> {
  for (let value = read(); ; value = read()) {
    if (value) return value;
    await Bun.sleep(10);
  }
}

test("a model whose reply is no verdict has given invalid output", async () => {
  for (const reply of ["UNTRUSTED", '{"decision":"allow"}', '```json\n{"decision":"allow","reason":""}\n```']) {
    const registry = newRegistry({ ask: async () => reply });
    const hook = { type: "model", model: "fake/judge", prompt: "?", schema: "guard_decision" };
    expect(await executor([hook], { registry }).dispatch(EVENT, SKILL)).toEqual(INVALID);
  }
});
