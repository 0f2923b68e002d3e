import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { resolveDirectories } from "../../src/lib/env.ts";
import { ConfigError } from "../../src/lib/errors.ts";
import { readTestFile } from "../../src/testing/read-test-file.ts";
import { type CaseResult, openSettings } from "../../src/testing/run-case.ts";
import { runTests } from "../../src/testing/run-tests.ts";
import { settled } from "../helpers/settled.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const SETTINGS = { log: () => {}, signal: new AbortController().signal };

/** Runs a test file with real processes. */
async function run(text: string, files: Record<string, string> = {}): Promise<CaseResult[]> {
  const cwd = tempDir({ "t.hooktest.yaml": text, ...files });
  const directories = resolveDirectories({ config: join(cwd, "config"), data: join(cwd, "data"), cache: cwd });
  const file = await readTestFile(join(cwd, "t.hooktest.yaml"), directories);
  const { settings, close } = openSettings({ ...SETTINGS, directories });
  const results = await Array.fromAsync(runTests(file.cases, settings, { jobs: 1, failFast: false }));
  close();
  return results;
}

/** Runs the tests and returns what is wrong with them, for a message that says more than a status. */
async function failuresOf(text: string, files: Record<string, string> = {}): Promise<unknown[]> {
  const results = await run(text, files);
  expect(results.length).toBeGreaterThan(0);
  return results.flatMap(({ failures, error, test: { name } }) => [
    ...failures.map(({ key, expected, actual }) => ({ name, key, expected, actual })),
    ...(error === undefined ? [] : [{ name, error }]),
  ]);
}

/** A hooks block with one command on an event; `cmd` is shell code. */
const on = (event: string, cmd: string, keys = "") =>
  `${event}: { hooks: { type: command, command: ${JSON.stringify(cmd)}${keys} } }`;
/** The same on an event without a tool. */
const once = (event: string, cmd: string) => `${event}: { type: command, command: ${JSON.stringify(cmd)} }`;
const guard = (cmd: string, keys = "") =>
  `hooks: { ${on("pre_tool_use", cmd, keys)} }\ndefaults: { event: pre_tool_use, tool: shell }\n`;

const print = (output: object) => `cat <<'.'\n${JSON.stringify(output)}\n.`;

describe("tests that pass", () => {
  test.each<[string, string, Record<string, string>?]>([
    [
      "$each is replaced in every part, as text and as a value",
      `${guard(`grep -q '"n":7,"t":"x7"' && exit 2; true`)}tests:
  - { name: "n is $each.n", each: [{ n: 7 }], input: { n: $each.n, t: "x$each.n" }, expect: { decision: deny, input: { n: $each.n, t: x7 } } }`,
    ],
    [
      "a mapping as an item is the whole input",
      `${guard("grep -q force && exit 2; true")}tests:
  - { each: [{ cmd: force }], input: $each, expect: { decision: deny } }`,
    ],
    [
      "variables of a test, over those of the defaults",
      `${guard("[ $A$B = 13 ] && exit 2; true").replace("shell }", "shell, env: { A: '1', B: '2' } }")}tests:
  - { env: { B: "3" }, expect: { decision: deny } }
  - { expect: { decision: none } }`,
    ],
    [
      "files of a temporary directory, in which hooks run",
      `${guard("[ -x sub/a.sh ] && [ $(cat b) = c ] && exit 2; true")}tests:
  - { files: { sub/a.sh: "", b: c }, expect: { decision: deny } }
  - { expect: { decision: none } }`,
    ],
    [
      "cwd: the directory of hooks, and that of the event",
      `${guard(`[ -e here ] && grep -q "\\"cwd\\":\\"$PWD\\"" && exit 2; true`)}tests:
  - { cwd: sub, expect: { decision: deny } }
  - { expect: { decision: none } }`,
      { "sub/here": "" },
    ],
    [
      "hooks run in the folder of the test file",
      `${guard("[ -e t.hooktest.yaml ] && exit 2; true")}tests: [{ expect: { decision: deny } }]`,
    ],
    [
      "a list of hooks: files, and blocks in the test file",
      `hooks: [a.yaml, { ${on("pre_tool_use", "exit 2", ", name: second")} }]
tests: [{ event: pre_tool_use, tool: shell, expect: { ran: [first, second], by: second, outcome: { first: silent, second: blocked }, exit: { first: 0, second: 2 } } }]`,
      { "a.yaml": on("pre_tool_use", "true", ", name: first") },
    ],
    [
      "the hooks of an agent by its name",
      `hooks: a.yaml
agent: two
tests: [{ event: pre_tool_use, tool: shell, expect: { decision: deny } }]`,
      {
        "a.yaml": `models: { m: { provider: openai, model: a } }
agents:
  one: { model: m, description: a, instruction: b }
  two: { model: m, description: a, instruction: b, hooks: { ${on("pre_tool_use", "exit 2")} } }
`,
      },
    ],
    [
      "the user's own hooks, if the file says so",
      `hooks: {}
user_hooks: true
tests: [{ event: pre_tool_use, tool: shell, expect: { decision: deny } }]`,
      { "config/config.yaml": `settings: { hooks: { ${on("pre_tool_use", "exit 2")} } }` },
    ],
    [
      "guards on tool_guard and tool_input_transform judge a call, too",
      `hooks:
  tool_input_transform: { hooks: { type: command, name: rename, command: ${JSON.stringify(print({ hook_specific_output: { hook_event_name: "tool_input_transform", updated_input: { cmd: "new" } } }))} } }
  tool_guard: { hooks: { type: command, name: early, command: "grep -q new && exit 2" } }
  pre_tool_use: { hooks: { type: command, name: late, command: "true" } }
tests:
  - { event: pre_tool_use, tool: shell, input: { cmd: old }, expect: { decision: deny, by: early, ran: rename, not_ran: late, input: { cmd: new }, rewritten: true } }
  - { event: tool_input_transform, tool: shell, input: { cmd: old }, expect: { decision: none, input: { cmd: new } } }`,
    ],
    [
      "rewritten input, whole or in part",
      `${guard(print({ hook_specific_output: { hook_event_name: "pre_tool_use", updated_input: { a: 1 }, permission_decision: "allow", permission_decision_reason: "ok" } }), ", rewrite: true")}tests:
  - { input: { b: { c: 2, d: 3 } }, expect: { input: { a: 1, b: { c: 2, d: 3 } }, input_contains: { b: { c: 2 } }, rewritten: true, decision: allow, reason: ok } }`,
    ],
    [
      "context, system messages and exit codes of other events",
      `hooks: { ${once("user_prompt_submit", print({ system_message: "watch out", hook_specific_output: { hook_event_name: "user_prompt_submit", additional_context: "see docs" } }))} }
tests:
  - { event: user_prompt_submit, prompt: hi, expect: { decision: none, context: see docs, system_message: /watch/, exit: 0, outcome: answered } }`,
    ],
    [
      "the outcome of the only hook that an agent file declares, beside those that hooksh adds",
      `hooks: agent.yaml
tests: [{ event: pre_tool_use, tool: shell, expect: { decision: deny, exit: 2, outcome: blocked } }]`,
      {
        "agent.yaml": `models: { m: { provider: openai, model: gpt-4o } }
agents: { root: { model: m, instruction: i, description: d, redact_secrets: true, hooks: { ${on("pre_tool_use", "exit 2")} } } }`,
      },
    ],
    [
      "a block with its reason",
      `hooks: { ${once("user_prompt_submit", "echo no >&2; exit 2")} }
tests: [{ event: user_prompt_submit, prompt: hi, expect: { decision: block, message: no, exit: 2, by: echo } }]`,
    ],
    [
      "messages",
      `hooks: { before_llm_call: { type: builtin, command: redact_secrets } }
tests:
  - event: before_llm_call
    messages: [{ role: user, content: "token ${["ghp", "_1a2B3c4D5e6F7g8H9i0JkLmNoPqRsTuVwXyZ"].join("")}" }]
    expect: { messages: [{ role: user, content: /^token \\[REDACTED\\]$/ }], redacted: true, rewritten: true }`,
    ],
    [
      "what was redacted, by kind",
      `hooks: { tool_response_transform: { hooks: { type: builtin, command: redact_secrets } } }
tests:
  - { event: tool_response_transform, tool: shell, tool_response: "AKIA${"QYLPMN5HHHFPZAM2"}", expect: { redacted: [aws-access-token], tool_response: "[REDACTED]" } }
  - { event: tool_response_transform, tool: shell, tool_response: "nothing", expect: { redacted: false, rewritten: false, tool_response: nothing } }`,
    ],
    [
      "sessions keep the memory of builtins; tests do not share it",
      `hooks: { tool_response_transform: { hooks: { type: builtin, command: elide_repeated_tool_results } } }
defaults: { event: tool_response_transform, tool: read_file, tool_read_only: true, tool_category: filesystem, input: { path: a }, tool_response: "${"x".repeat(3000)}" }
tests:
  - { session: [{ expect: { rewritten: false } }, { expect: { rewritten: true } }] }
  - { expect: { rewritten: false } }`,
    ],
    [
      "stubs answer in place of hooks, in short or as a hook does",
      `hooks:
  pre_tool_use: { hooks: { type: command, name: judge, command: exit 2 } }
  user_prompt_submit: { type: command, name: hint, command: exit 2 }
  post_tool_use: { hooks: { type: command, name: hint, command: exit 2 } }
stubs: { judge: { decision: ask, reason: sure?, input: { cmd: b } }, hint: { context: more } }
defaults: { event: pre_tool_use, tool: shell, input: { cmd: a } }
tests:
  - { expect: { decision: ask, reason: sure?, by: judge, input: { cmd: b } } }
  - { stubs: { judge: allow }, expect: { decision: allow } }
  - { stubs: { judge: none }, expect: { decision: none, outcome: { judge: silent } } }
  - { stubs: { judge: { decision: block, reason: stop } }, expect: { decision: deny, message: stop } }
  - { stubs: { judge: { hook_specific_output: { permission_decision: deny } } }, expect: { decision: deny } }
  - { event: user_prompt_submit, prompt: a, expect: { context: more } }
  - { event: post_tool_use, expect: { context: more } }
  - { event: user_prompt_submit, prompt: a, stubs: { hint: block }, expect: { decision: block } }`,
    ],
    [
      "builtins, models and files of one's own can fail, too",
      `hooks:
  pre_tool_use:
    hooks:
      - { type: builtin, command: redact_secrets }
      - { type: model, name: judge, model: m, prompt: a, schema: pre_tool_use_decision }
      - { type: builtin, name: own, command: ./own.ts }
stubs: { judge: none, own: none }
tests:
  - { event: pre_tool_use, tool: shell, fault: { hook: redact_secrets }, expect: { decision: deny, by: redact_secrets } }
  - { event: pre_tool_use, tool: shell, fault: { hook: judge }, expect: { decision: deny, by: judge } }
  - { event: pre_tool_use, tool: shell, fault: { hook: [own, judge] }, expect: { decision: deny, by: [own, judge] } }
  - { event: pre_tool_use, tool: shell, expect: { decision: none } }`,
    ],
    [
      "a hook that may fail does no harm",
      `hooks: { post_tool_use: { hooks: { type: command, name: log, command: "true" } } }
tests:
  - { event: post_tool_use, tool: shell, fault: { hook: log, kinds: [missing, crash, killed] }, expect: { decision: none, outcome: { log: failed } } }`,
    ],
    [
      "a hook written for another agent",
      `hooks: { pre_tool_use: { hooks: { type: command, dialect: claude, command: ${JSON.stringify(`grep -q '"tool_name":"Bash"' && ${print({ hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "no" } })}`)} } } }
tests: [{ event: pre_tool_use, tool: shell, input: { cmd: ls }, expect: { decision: deny, message: no } }]`,
    ],
    [
      "texts that look like expressions are expressions, with flags",
      `${guard("echo 'Make a\nnew branch' >&2; exit 2")}tests:
  - { expect: { message: /^make.*NEW/i } }
  - { expect: { message: "/a.new/s" } }
  - { expect: { message: /[,{}]|a\\sn/ } }`,
    ],
  ])("%s", async (...[_name, text, files]) => expect(await failuresOf(text, files)).toEqual([]));
});

test("what a hook stores in the data directory stays in its test, for all of the test's events", async () => {
  const store = `import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
export default ({ hook_event_name }, args, { directories: { data } }) => {
  mkdirSync(data, { recursive: true });
  appendFileSync(data + "/calls", "x");
  return { system_message: readFileSync(data + "/calls", "utf8") };
};`;
  const text = `hooks: { turn_start: { type: builtin, command: "\${hook_dir}/store.ts" } }
tests:
  - { event: turn_start, expect: { system_message: x } }
  - { event: turn_start, expect: { system_message: x } }
  - { session: [{ event: turn_start }, { event: turn_start, expect: { system_message: xx } }] }`;
  expect(await failuresOf(text, { "store.ts": store })).toEqual([]);
});

describe("what a test sees", () => {
  test("the events of a session have one id, and another session has another", async () => {
    const text = `${guard("true")}tests:\n  - { session: [{ expect: { decision: none } }, { expect: { decision: none } }] }\n  - { expect: { decision: none } }\n`;
    const results = await run(text);
    const ids = results.map(({ observed }) => observed.map(({ payload }) => payload["session_id"]));
    expect(ids[0]?.[0]).toBe(ids[0]?.[1]);
    expect(ids[0]?.[0]).not.toBe(ids[1]?.[0]);
  });

  test("a fault really happens: a process fails, hangs or is killed", async () => {
    const results = await run(`${guard("true")}tests: [{ fault: { hook: "true" }, expect: { decision: deny } }]\n`);
    const errors = results.map(({ observed }) => {
      const outcome = observed[0]?.runs[0]?.outcome;
      return outcome?.kind === "failed" ? outcome.error : outcome?.kind;
    });
    expect(errors[0]).toStartWith("exited with status 127");
    expect(errors.slice(1)).toEqual([
      "exited with status 1",
      "timed out after 300ms",
      expect.stringContaining("UTF-8"),
      "killed by SIGKILL",
    ]);
  });

  test("a step that is left out ends the case with an error", async () => {
    const aborted = { ...SETTINGS, signal: AbortSignal.abort() };
    const cwd = tempDir({ "t.hooktest.yaml": `${guard("true")}tests: [{ expect: { decision: none } }]` });
    const directories = resolveDirectories({ config: cwd, data: cwd, cache: cwd });
    const file = await readTestFile(join(cwd, "t.hooktest.yaml"), directories);
    const { settings, close } = openSettings({ ...aborted, directories });
    const results = await Array.fromAsync(runTests(file.cases, settings, { jobs: 1, failFast: false }));
    close();
    expect(results.map(({ status }) => status)).toEqual(["failed"]);
  });

  test("hooks that only observe do not decide", async () => {
    const text = `${guard("exit 2", ", mode: observe, name: watch")}tests: [{ expect: { decision: none, ran: watch, outcome: blocked } }]\n`;
    expect(await failuresOf(text)).toEqual([]);
  });

  test("only one agent file can be named", async () => {
    const agent =
      "models: { m: { provider: openai, model: a } }\nagents: { root: { model: m, description: a, instruction: b } }\n";
    const text = "hooks: [a.yaml, b.yaml]\ntests: [{ event: stop, expect: { decision: none } }]\n";
    expect(await settled(run(text, { "a.yaml": agent, "b.yaml": agent }))).toThrow(ConfigError);
  });
});
