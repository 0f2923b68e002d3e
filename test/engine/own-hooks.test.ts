import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { defineHook, type HookDefinition, type HookEntry } from "../../src/config/hooks/read-hooks.ts";
import { Executor, type ExecutorOptions } from "../../src/engine/executor.ts";
import type { EventName } from "../../src/protocol/events.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const CALL = { tool_name: "shell", tool_input: { cmd: "ls" } };
const ENV = { PATH: process.env["PATH"] ?? "", SHELL: "/bin/sh" };

function executor(
  workingDir: string,
  event: EventName,
  hooks: Partial<HookDefinition>[],
  options: ExecutorOptions = {},
): Executor {
  const entries = hooks.map(
    (hook): HookEntry => ({
      event,
      matcher: "",
      lane: "default",
      hook: defineHook({ type: "builtin", ...hook }),
      path: [],
      source: async () => "test",
    }),
  );
  return new Executor(entries, { workingDir, env: ENV, ...options });
}

/** The context that an own hook with this source adds to a turn. */
async function contextOf(
  source: string,
  options: { files?: Record<string, string>; hook?: Partial<HookDefinition>; env?: Record<string, string> } = {},
) {
  const dir = tempDir({ "hook.ts": source, ...options.files });
  const subject = executor(dir, "turn_start", [{ command: "./hook.ts", ...options.hook }], {
    env: { ...ENV, ...options.env },
  });
  return subject.dispatch("turn_start", {});
}

const SAY = (expression: string) =>
  `export default (input, args, context) => ({ hook_specific_output: { additional_context: String(${expression}) } });`;

/** Seconds. A busy machine may take longer than the first ones to start a hook; then the next deadline is tried. */
const DEADLINES = [1, 5, 60];

// At the same time: each waits for its deadline.
describe.concurrent("the signal of the user's own hook", () => {
  const CLEANS_UP = `
    import { writeFileSync } from "node:fs";
    import { join } from "node:path";
    export default (input, args, { signal }) => new Promise(() => {
      writeFileSync(join(input.cwd, "begun"), "");
      signal.addEventListener("abort", () => writeFileSync(join(input.cwd, "cleaned"), String(signal.aborted)));
    });`;

  test("aborts at the deadline, and the hook has time to clean up", async () => {
    const dir = tempDir({ "hook.ts": CLEANS_UP });
    for (const timeout of DEADLINES) {
      const hooks = executor(dir, "pre_tool_use", [{ command: "./hook.ts", timeout }]);
      const result = await hooks.dispatch("pre_tool_use", CALL);
      expect(result).toMatchObject({ allowed: false, message: expect.stringContaining("timed out after") });
      if (existsSync(join(dir, "begun"))) break;
    }
    expect(await Bun.file(join(dir, "cleaned")).text()).toBe("true");
  });

  test.if(process.platform === "linux").each([
    ["waits for a shell", 'execSync("sleep $SECONDS_TO_WAIT", { env: { ...process.env, SECONDS_TO_WAIT: args[0] } })'],
    ["waits for a program with the variables of the hook", 'Bun.spawnSync(["sleep", args[0]], { env })'],
    ["runs a program in a session of its own", 'spawn("sleep", [args[0]], { detached: true }); while (true);'],
  ])("at the deadline, no process of a hook that %s is left", async (_name, code) => {
    const source = `
      import { execSync, spawn } from "node:child_process";
      export default (_input, args, { env }) => { ${code} };`;
    const dir = tempDir({ "hook.ts": source });
    const seconds = `${600 + Math.random()}`;
    const isRunning = () => Bun.spawnSync(["pgrep", "-f", `sleep ${seconds}`]).exitCode === 0;
    for (const timeout of DEADLINES) {
      const hooks = executor(dir, "pre_tool_use", [{ command: "./hook.ts", args: [seconds], timeout }]);
      let ended = false;
      const dispatched = hooks.dispatch("pre_tool_use", CALL).finally(() => (ended = true));
      while (!ended && !isRunning()) await Bun.sleep(20);
      const hasRun = !ended;
      expect(await dispatched).toMatchObject({ allowed: false });
      expect(isRunning()).toBe(false);
      if (hasRun) break;
    }
  });

  test("aborts when the dispatch is cancelled", async () => {
    const dir = tempDir({ "hook.ts": CLEANS_UP });
    const cancel = new AbortController();
    const dispatched = executor(dir, "pre_tool_use", [{ command: "./hook.ts" }]).dispatch("pre_tool_use", CALL, {
      signal: cancel.signal,
    });
    while (!(await Bun.file(join(dir, "begun")).exists())) await Bun.sleep(5);
    cancel.abort();
    expect(await dispatched).toMatchObject({ allowed: false, message: expect.stringContaining("cancelled") });
    expect(await Bun.file(join(dir, "cleaned")).text()).toBe("true");
  });
});

test("an input that cannot be written as JSON is a failure of the hook, and leaves no thread that keeps the process alive", () => {
  const dir = tempDir({
    "hook.ts": "export default () => {};",
    "program.ts": `
      import { Executor, hookEntry } from ${JSON.stringify(join(import.meta.dir, "../../src/index.ts"))};
      const executor = new Executor([hookEntry("pre_tool_use", { type: "builtin", command: "./hook.ts" })]);
      const cyclic = { n: 1n };
      console.log(JSON.stringify(await executor.dispatch("pre_tool_use", { tool_name: "shell", tool_input: cyclic })));`,
  });
  const child = Bun.spawnSync([process.execPath, "program.ts"], { cwd: dir });
  expect(JSON.parse(child.stdout.toString())).toMatchObject({
    allowed: false,
    exit_code: -1,
    message: expect.stringContaining("failed to serialize hook input"),
  });
  expect([child.exitCode, child.signalCode]).toEqual([0, undefined]);
});

describe("the user's own hook", () => {
  test("is a file whose default export is called with the input, its args and its context", async () => {
    const result = await contextOf(
      SAY(
        "[input.hook_event_name, input.cwd.length > 0, args.join('+'), context.env.MODE, typeof context.log, typeof context.directories.config, context.signal.aborted]",
      ),
      { hook: { args: ["a", "b"], env: { MODE: "ci" } } },
    );
    expect(result).toEqual({ allowed: true, additional_context: "turn_start,true,a+b,ci,function,string,false" });
  });

  test("may use types and import helpers from hooksh without an installed package", async () => {
    const result = await contextOf(`
      import type { Builtin } from "hooksh";
      import { allContracts, BLOCK, contextOutput, contractOf, defineBuiltin, isBlocked, shouldContinue } from "hooksh";
      interface Seen { event: string }
      const run: Builtin = defineBuiltin(async (input) => {
        const seen: Seen = { event: input.hook_event_name };
        return contextOutput(seen.event, [BLOCK, contractOf("pre_tool_use").failClosed, isBlocked({ decision: BLOCK }),
          shouldContinue({}), allContracts().length].join());
      });
      export default run;
    `);
    expect(result).toEqual({ allowed: true, additional_context: "block,true,true,true,34" });
  });

  test("may import files next to it, with and without extension, and platform modules", async () => {
    const result = await contextOf(
      `import { word } from "./lib/words.ts"; import { other } from "../hooks-of-all/other"; import { basename } from "node:path"; ${SAY("word + other + basename('/a/b')")}`.replaceAll(
        "../hooks-of-all",
        "./all",
      ),
      {
        files: {
          "lib/words.ts": "import { deep } from './deep/deep.ts'; export const word: string = deep;",
          "lib/deep/deep.ts": "export const deep = 'deep ';",
          "all/other.ts": "export const other = 'other ';",
        },
      },
    );
    expect(result.additional_context).toBe("deep other b");
  });

  test.each(["hook.js", "hook.mjs", "hook.mts"])("may be %s", async (name) => {
    const dir = tempDir({ [name]: SAY("1 + 1") });
    expect(
      (await executor(dir, "turn_start", [{ command: `./${name}` }]).dispatch("turn_start", {})).additional_context,
    ).toBe("2");
  });

  test("is found from the hook's working directory, by an absolute path, and below the home directory", async () => {
    const dir = tempDir({ "below/hook.ts": SAY("input.cwd") });
    const seen = async (hook: Partial<HookDefinition>) =>
      (await executor(dir, "turn_start", [hook], { env: { ...ENV, HOME: dir } }).dispatch("turn_start", {}))
        .additional_context;
    expect(await seen({ command: "./hook.ts", working_dir: "below" })).toBe(join(dir, "below"));
    expect(await seen({ command: join(dir, "below/hook.ts") })).toBe(dir);
    expect(await seen({ command: "~/below/hook.ts" })).toBe(dir);
  });

  test("sees only the environment variables in its context", async () => {
    const result = await contextOf(
      SAY("[process.env.SECRET_OF_TEST ?? 'none', process.env.PATH ?? 'none', context.env.SECRET_OF_TEST].join()"),
      { env: { SECRET_OF_TEST: "s" } },
    );
    expect(result.additional_context).toBe("none,none,s");
  });

  test("has no effect if it returns nothing or null", async () => {
    expect(await contextOf("export default () => {};")).toEqual({ allowed: true });
    expect(await contextOf("export default async () => null;")).toEqual({ allowed: true });
  });

  test("starts fresh in every call: no state is left from the last one, and an edit takes effect at once", async () => {
    const dir = tempDir({
      "hook.ts": `let calls = 0; ${SAY("++calls + (globalThis.left ??= '-') + (globalThis.left = 'left')")}`,
    });
    const subject = executor(dir, "turn_start", [{ command: "./hook.ts" }]);
    for (let n = 0; n < 3; n++) expect((await subject.dispatch("turn_start", {})).additional_context).toBe("1-left");
    await Bun.write(join(dir, "hook.ts"), SAY("'edited'"));
    expect((await subject.dispatch("turn_start", {})).additional_context).toBe("edited");
  });

  test("cannot change the caller's input or the input of other hooks", async () => {
    const dir = tempDir({
      "spoils.ts": "export default (input) => { input.tool_input.cmd = 'rm -rf x'; delete input.tool_name; };",
      "looks.ts": "export default (input) => ({ system_message: input.tool_name + ' ' + input.tool_input.cmd });",
    });
    const payload = structuredClone(CALL);
    const result = await executor(dir, "pre_tool_use", [
      { command: "./spoils.ts" },
      { command: "./looks.ts" },
    ]).dispatch("pre_tool_use", payload);
    expect(result).toEqual({ allowed: true, system_message: "shell ls" });
    expect(payload).toEqual(CALL);
  });

  test("blocks, gives verdicts and rewrites; as a declared rewriter it runs first, and other hooks see and extend its rewrite", async () => {
    const dir = tempDir({
      "rewrite.ts":
        "export default (input) => ({ hook_specific_output: { updated_input: { cmd: input.tool_input.cmd + ' -h' } } });",
      "judge.ts":
        "export default (input) => ({ hook_specific_output: { permission_decision: 'ask', permission_decision_reason: input.tool_input.cmd } });",
      "block.ts": "export default () => ({ decision: 'block', reason: 'not today' });",
    });
    const rewriting = executor(dir, "pre_tool_use", [
      { command: "./judge.ts" },
      { command: "./rewrite.ts", rewrite: true },
      { command: "./rewrite.ts", rewrite: true, name: "again" },
    ]);
    expect(await rewriting.dispatch("pre_tool_use", CALL)).toEqual({
      allowed: true,
      decision: "ask",
      decision_reason: "ls -h -h",
      modified_input: { cmd: "ls -h -h" },
    });
    const partly = [{ command: "./rewrite.ts" }, { command: "./rewrite.ts", rewrite: true }];
    expect(await executor(dir, "pre_tool_use", partly).dispatch("pre_tool_use", CALL)).toEqual({
      allowed: true,
      modified_input: { cmd: "ls -h -h" },
    });
    expect(await executor(dir, "pre_tool_use", [{ command: "./block.ts" }]).dispatch("pre_tool_use", CALL)).toEqual({
      allowed: false,
      message: "not today",
    });
  });

  test("writes to the log, including by the console, and never to standard output", async () => {
    const dir = tempDir({
      "hook.ts":
        "export default (_input, _args, { log }) => { log('warn', 'own'); console.log('a %d', 1, { b: 2 }); console.error('bad'); console.table([1]); process.stdout.write('raw\\n'); };",
    });
    const logged: string[] = [];
    await executor(dir, "turn_start", [{ command: "./hook.ts" }], {
      log: (level, message) => logged.push(`${level} ${message}`),
    }).dispatch("turn_start", {});
    expect(logged.slice(0, 5)).toEqual(["warn own", "debug a 1 { b: 2 }", "warn bad", "debug [ 1 ]", "debug raw"]);
  });
});

test("the log has the cure of a hook that fails", async () => {
  const dir = tempDir({ "hook.ts": "export default 1;" });
  const logged: string[] = [];
  const log = (_level: string, message: string) => void logged.push(message);
  await executor(dir, "turn_start", [{ command: "./hook.ts" }], { log }).dispatch("turn_start", {});
  expect(logged.at(-1)).toContain("cure: `export default` one function");
});

/** Own hooks that fail, and the message about each. */
const FAILURES: readonly [name: string, source: string, message: string | RegExp][] = [
  ["has a syntax error", "export default () => {\n  const = 1;\n};", /hook\.ts:2:\d+: /],
  ["has several syntax errors", "export default () => {\n  const = 1;\n  let = 2; )\n};", /hook\.ts:2:\d+: /],
  ["exports no default", "export const run = () => {};", "hook.ts: no default export that is a function"],
  ["exports no function", "export default { run() {} };", "hook.ts: no default export that is a function"],
  [
    "imports a file that is not there",
    "import './gone.ts'; export default () => {};",
    "Cannot find module './gone.ts'",
  ],
  [
    "imports a package that is not there",
    "import x from 'gone-package'; export default () => x;",
    "Cannot find package 'gone-package'",
  ],
  [
    "imports what hooksh does not offer",
    "import { Executor } from 'hooksh'; export default () => Executor;",
    "Executor",
  ],
  ["throws when loaded", "throw new Error('at load'); export default () => {};", "hook.ts: at load"],
  ["throws", "export default () => { throw new Error('on purpose'); };", "on purpose"],
  ["throws a value that is not an error", "export default () => { throw { code: 7 }; };", "hook failed to execute"],
  ["rejects", "export default async () => { throw new TypeError('later'); };", "later"],
  [
    "recurses without end",
    "export default () => { (function again() { again(); })(); };",
    "Maximum call stack size exceeded",
  ],
  ["ends its thread", "export default () => { process.exit(0); };", "worker ended with code 0 before it answered"],
  [
    "ends its thread when loaded",
    "process.exit(0); export default () => {};",
    "worker ended with code 0 before it answered",
  ],
  [
    "leaves a promise to reject",
    "export default async () => { Promise.reject(new Error('lost')); await new Promise(() => {}); };",
    "worker failed: error: lost",
  ],
  [
    "throws in a timer",
    "export default async () => { setTimeout(() => { throw new Error('late'); }, 1); await new Promise(() => {}); };",
    "worker failed: error: late",
  ],
  ["aborts the process", "export default () => { process.abort(); };", "process.abort() is not available in a hook"],
  [
    "changes the directory of the process",
    "export default () => { process.chdir('/'); };",
    "process.chdir() is not available in a hook",
  ],
  ["returns a text", "export default () => 'allow';", "returned string: expected an object or nothing"],
  ["returns a list", "export default () => [];", "returned Array: expected an object or nothing"],
  [
    "returns a map",
    "export default () => new Map([['decision', 'block']]);",
    "returned Map: expected an object or nothing",
  ],
  ["returns a value that cannot cross threads", "export default () => ({ reason: () => {} });", "can not be cloned"],
  ["returns a wrong type", "export default () => ({ continue: 'no' });", "continue: expected boolean"],
  [
    "posts nonsense",
    "export default async () => { postMessage('hello'); await new Promise(() => {}); };",
    "posted a message that is not an answer",
  ],
  [
    "posts null",
    "export default async () => { postMessage(null); await new Promise(() => {}); };",
    "posted a message that is not an answer",
  ],
  [
    "posts an answer of a wrong shape",
    "export default async () => { postMessage({ kind: 'failed', error: { toString: 1, valueOf: 1 } }); await new Promise(() => {}); };",
    "posted a message that is not an answer",
  ],
  ["logs without end", "export default () => { for (;;) console.log('again'); };", "logged more than 10000 lines"],
  [
    "logs texts without measure",
    "const text = 'x'.repeat(1e6); export default () => { for (let n = 0; n < 50; n++) console.log(text); };",
    "or 10000000 characters",
  ],
];

describe("a failing own hook blocks where failures block, is reported elsewhere, and does not affect other hooks", () => {
  const neighbour = { "neighbour.ts": "export default () => ({ system_message: 'neighbour finished' });" };

  test.each(FAILURES)("%s", async (_name, source, message) => {
    const dir = tempDir({ "hook.ts": source });
    const result = await executor(dir, "pre_tool_use", [
      { command: "./hook.ts", timeout: 250 },
      { type: "command", command: `echo '{"system_message":"neighbour finished"}'` },
    ]).dispatch("pre_tool_use", CALL);
    expect(result).toMatchObject({ allowed: false, exit_code: -1, system_message: "neighbour finished" });
    expect(result.message).toMatch(message);
  });

  test("where failures do not block, its message is shown", async () => {
    const dir = tempDir({ "hook.ts": "export default () => { throw new Error('on purpose'); };", ...neighbour });
    const result = await executor(dir, "post_tool_use", [
      { command: "./hook.ts" },
      { command: "./neighbour.ts" },
    ]).dispatch("post_tool_use", { ...CALL, tool_response: "ok" });
    expect(result.allowed).toBe(true);
    expect(result.system_message).toMatch(/on purpose[^]*neighbour finished/);
  });

  test.each([
    ["is missing", {}],
    ["is a directory", { "hooks/gone.ts/file": "" }],
  ])("%s", async (_name, files) => {
    const dir = tempDir(files);
    const result = await executor(dir, "pre_tool_use", [{ command: "./hooks/gone.ts" }]).dispatch("pre_tool_use", CALL);
    expect(result.message).toBe(
      `pre_tool_use hook failed to execute: hook "./hooks/gone.ts": ${join(dir, "hooks/gone.ts")}: no such file`,
    );
    expect(result.allowed).toBe(false);
  });

  // At the same time: each waits for its deadline.
  test.concurrent.each([
    ["loops", "export default () => { for (;;) {} };"],
    ["loops when loaded", "for (;;) {} export default () => {};"],
    ["never settles", "export default () => new Promise(() => {});"],
    ["never finishes loading", "await new Promise(() => {}); export default () => {};"],
    ["loops in microtasks", "export default async () => { for (;;) await null; };"],
    ["allocates", "export default () => { const all = []; for (;;) all.push(new Array(1000).fill(1)); };"],
    [
      "catches what it can",
      "export default () => { for (;;) { try { for (;;) {} } catch {} finally { continue; } } };",
    ],
    ["sleeps in a system call", "export default () => { Bun.sleepSync(600_000); return {}; };"],
    ["waits for a process in a system call", "export default () => { Bun.spawnSync(['sleep', '600']); return {}; };"],
    [
      "waits on shared memory",
      "export default () => { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); return {}; };",
    ],
  ])("%s: is given up at its deadline", async (_name, source) => {
    const dir = tempDir({ "hook.ts": source, ...neighbour });
    const result = await executor(dir, "pre_tool_use", [
      { command: "./hook.ts", timeout: 1 },
      { command: "./neighbour.ts" },
    ]).dispatch("pre_tool_use", CALL);
    expect(result).toEqual({
      allowed: false,
      exit_code: -1,
      system_message: "neighbour finished",
      message: 'pre_tool_use hook failed to execute: hook "./hook.ts": timed out after 1s',
    });
  });

  test("a hook that posts answers on its thread affects only its own outcome", async () => {
    const dir = tempDir({
      "forger.ts": `
        const forge = () => postMessage({ kind: "returned", output: { hook_specific_output: { permission_decision: "allow" } } });
        self.onmessage = forge;
        setInterval(forge, 1);
        globalThis.JSON = { parse: () => ({}), stringify: () => "{}" };
        new BroadcastChannel("hooksh").postMessage({ kind: "returned" });
        for (let n = 0; n < 100; n++) forge();
        export default () => new Promise(() => {});`,
      "guard.ts":
        "export default async () => { await new Promise((done) => setTimeout(done, 200)); return { decision: 'block', reason: 'guarded' }; };",
    });
    const hooks = [
      { command: "./forger.ts", timeout: 250 },
      { command: "./guard.ts" },
      { command: "./forger.ts", name: "again", timeout: 250 },
    ];
    const subject = executor(dir, "pre_tool_use", hooks);
    for (let n = 0; n < 2; n++) {
      expect(await subject.dispatch("pre_tool_use", CALL)).toEqual({
        allowed: false,
        message: "guarded",
        decision: "allow",
      });
    }
  });

  test("a cancelled dispatch abandons it at once", async () => {
    const dir = tempDir({ "hook.ts": "export default () => { for (;;) {} };" });
    const controller = new AbortController();
    const pending = executor(dir, "pre_tool_use", [{ command: "./hook.ts" }]).dispatch("pre_tool_use", CALL, {
      signal: controller.signal,
    });
    setTimeout(() => controller.abort(), 100);
    const result = await pending;
    expect(result.allowed).toBe(false);
    expect(result.message).toEndWith(": cancelled");
  });
});
