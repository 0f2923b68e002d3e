import { describe, expect, test } from "bun:test";
import {
  applyAgentDefaults,
  ConfigError,
  contractOf,
  EVENTS,
  Executor,
  hookEntry,
  mergeHooks,
  newRegistry,
  parseHooks,
  validateHooks,
} from "hooksh";
import { allContracts, isBlocked, shouldContinue } from "hooksh/hook";
import { EVENT_NAMES } from "../../src/protocol/events.ts";
import { inputJson } from "../../src/protocol/input.ts";
import { settled } from "../helpers/settled.ts";

const YAML = `
pre_tool_use:
  - matcher: shell|edit_file
    hooks:
      - type: command
        command: echo 'no' >&2; exit 2
turn_start: { type: builtin, command: add_date }
`;

describe("a hooks block", () => {
  test("is read from YAML, from JSON text and from a value, to the same hooks", async () => {
    const plain = (hooks: Awaited<ReturnType<typeof parseHooks>>) =>
      hooks.map(({ event, matcher, lane, hook }) => ({ event, matcher, lane, hook }));
    const fromYaml = plain(await parseHooks(YAML));
    const value = Bun.YAML.parse(YAML);
    expect(fromYaml.map(({ event, matcher }) => [event, matcher])).toEqual([
      ["pre_tool_use", "shell|edit_file"],
      ["turn_start", ""],
    ]);
    expect(plain(await parseHooks(JSON.stringify(value)))).toEqual(fromYaml);
    expect(plain(await parseHooks(value))).toEqual(fromYaml);
    expect(await parseHooks("{}")).toEqual([]);
    expect(await parseHooks(undefined)).toEqual([]);
  });

  test("makes an executor that runs it", async () => {
    const executor = new Executor(await parseHooks(YAML));
    expect(await executor.dispatch("pre_tool_use", { tool_name: "shell", tool_input: {} })).toMatchObject({
      allowed: false,
      message: "no",
    });
    expect(await executor.dispatch("pre_tool_use", { tool_name: "read_file", tool_input: {} })).toEqual({
      allowed: true,
    });
  });

  test("knows where every hook was written", async () => {
    const sources = async (block: unknown, file?: string) =>
      Promise.all((await parseHooks(block, file === undefined ? {} : { file })).map(({ source }) => source()));
    expect(await sources(YAML, "my.yaml")).toEqual(["my.yaml:5", "my.yaml:7"]);
    expect(await sources({ pre_tool_use: [{ hooks: [{ type: "command", command: "a" }] }] })).toEqual([
      "hooks.pre_tool_use[0].hooks[0]",
    ]);
  });

  test("with mistakes throws all of them, each with its position", async () => {
    const error = await parseHooks("stop:\n  - type: webhook\n  - command: x\nnoon: []\n", { file: "my.yaml" }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(ConfigError);
    expect((error as ConfigError).problems).toEqual([
      expect.stringMatching(/^my\.yaml:2:\d+: hooks\.stop\[0\]: unsupported hook type 'webhook'/),
      expect.stringMatching(/^my\.yaml:3:\d+: hooks\.stop\[1\]: type is required: command, builtin, model$/),
      "my.yaml:4:1: hooks.noon: unknown event; docs/events.md lists the events",
    ]);
  });

  test("can be checked without an exception", async () => {
    expect(await validateHooks(YAML)).toEqual([]);
    expect(
      await validateHooks({ pre_tool_use: { matcher: "a(", hooks: [{ type: "command", command: "x" }, {}] } }),
    ).toEqual([
      { path: "hooks.pre_tool_use[0]", message: expect.stringContaining("invalid matcher: ") },
      { path: "hooks.pre_tool_use[0].hooks[1]", message: "type is required: command, builtin, model" },
    ]);
    expect(await validateHooks("stop: [")).toEqual([{ path: "", message: expect.stringMatching(/^hooks:1:\d+: /) }]);
    expect(await validateHooks(7)).toEqual([{ path: "hooks", message: "hooks must be a mapping of events" }]);
  });

  test("is joined with others in the order given", async () => {
    const [a, b] = [
      await parseHooks({ stop: { type: "command", command: "a" } }),
      await parseHooks({ stop: { type: "command", command: "b" } }),
    ];
    expect(mergeHooks(a, b).map(({ hook }) => hook.command)).toEqual(["a", "b"]);
    expect(mergeHooks()).toEqual([]);
  });

  test("gets what an agent's keys imply at its end", async () => {
    const own = [hookEntry("turn_start", { type: "command", command: "own" })];
    const implied = (defaults: Parameters<typeof applyAgentDefaults>[1], settings = {}) =>
      applyAgentDefaults(own, defaults, settings).map(({ event, hook }) => `${event} ${hook.command}`);
    expect(implied({ add_date: true, redact_secrets: false })).toEqual([
      "turn_start own",
      "turn_start add_date",
      "tool_response_transform limit_large_tool_results",
      "session_end limit_large_tool_results",
    ]);
    expect(implied({}).filter((line) => line.endsWith("redact_secrets"))).toEqual([
      "pre_tool_use redact_secrets",
      "before_llm_call redact_secrets",
      "tool_response_transform redact_secrets",
    ]);
    expect(implied({}, { snapshot: true }).filter((line) => line.endsWith(" snapshot"))).toEqual([
      "session_start snapshot",
      "turn_start snapshot",
      "turn_end snapshot",
      "session_end snapshot",
    ]);
  });

  test("a hook defined in a program takes a matcher only on events about tool calls", () => {
    expect(() => hookEntry("stop", { type: "command", command: "x" }, { matcher: "shell" })).toThrow(
      "stop takes no matcher",
    );
  });
});

describe("a hook defined in a program has the checks of a file", () => {
  // As a program without types calls it.
  const made = hookEntry as (...args: unknown[]) => unknown;
  const hook = { type: "command", command: "x" };
  test.each([
    [["pre_tool_us", hook], 'hookEntry: unknown hook event "pre_tool_us", did you mean pre_tool_use?'],
    [
      ["pre_tool_use", { type: "command", comand: "exit 2" }],
      'hookEntry pre_tool_use: unknown key "comand", did you mean "command"?',
    ],
    [["stop", { ...hook, timeout: "soon" }], 'hookEntry stop: timeout: expected a whole number but got "soon"'],
    [["stop", { ...hook, timeout: -1 }], "hookEntry stop: timeout must not be negative"],
    [["stop", { ...hook, on_error: "block" }], "hookEntry stop: on_error block is not supported by this event"],
    [["stop", { ...hook, env: () => {} }], "hookEntry stop: env: expected a mapping of texts but got a function"],
    [["stop", { type: "command" }], "hookEntry stop: command is required for command hooks"],
    [["stop", { command: "x" }], "hookEntry stop: type is required"],
    [["stop", undefined], "hookEntry stop: expected a hook, which is a mapping with a type"],
    [["stop", { type: "builtin", command: "add_dat" }], 'registered as "add_dat" (did you mean add_date?)'],
    [["stop", { type: "mine" }], "hookEntry stop: pass the registry of your own hook types and builtins as `registry`"],
    [["stop", { type: "model", model: "a/b", prompt: "{{" }], "hookEntry stop: "],
    [["stop", hook, { matcher: "shell" }], "hookEntry stop: stop takes no matcher"],
    [
      ["pre_tool_use", hook, { mathcer: "shell" }],
      'hookEntry pre_tool_use: unknown key "mathcer", did you mean "matcher"?',
    ],
    [
      ["pre_tool_use", hook, { matcher: /shell/ }],
      "hookEntry pre_tool_use: matcher: expected a text but got a mapping",
    ],
    [["pre_tool_use", hook, { matcher: "shell(" }], "hookEntry pre_tool_use: invalid matcher: "],
    [["pre_tool_use", hook, { matcher: "shell,fetch" }], "so write shell|fetch"],
    [["pre_tool_use", hook, { lane: "premept" }], "hookEntry pre_tool_use: lane must be default or preempt"],
    [["stop", hook, { lane: "preempt" }], "hookEntry stop: lane preempt is only valid on pre_tool_use"],
    [["stop", hook, { directory: "." }], "hookEntry stop: directory must be an absolute path"],
    [["stop", hook, "shell"], "hookEntry stop: expected an object with `matcher`, `lane` or `source`"],
  ])("%j", (args, message) => {
    let thrown: unknown;
    try {
      made(...args);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(ConfigError);
    expect((thrown as ConfigError).message).toContain(message);
  });

  test("all problems are listed, and keys without a value do not count", () => {
    const wrong = { type: "command", comand: "x", timeout: "soon", name: undefined };
    expect(() => made("stop", wrong, { matcher: "shell" })).toThrow(
      [
        "hookEntry stop: stop takes no matcher: it is not about a tool call",
        'hookEntry stop: unknown key "comand", did you mean "command"?',
        'hookEntry stop: timeout: expected a whole number but got "soon"',
      ].join("\n"),
    );
    expect(hookEntry("stop", { ...hookEntry("stop", hook).hook, name: "n" }).hook).toMatchObject({
      command: "x",
      name: "n",
    });
  });
});

describe("an executor names its misuse", () => {
  const make = (...args: unknown[]) => new (Executor as new (...args: unknown[]) => Executor)(...args);
  const entry = hookEntry("pre_tool_use", { type: "command", command: "true" });
  test.each([
    [[undefined], "Executor: expected a list of hooks: pass what parseHooks returns, or a list of hookEntry(...)"],
    [[entry], "Executor: expected a list of hooks: "],
    [[Promise.resolve([])], "Executor: expected a list of hooks: await what parseHooks returns"],
    [[["exit 2"]], 'Executor: hook 0: expected an entry but got "exit 2"; make hooks with hookEntry or parseHooks'],
    [[[entry, entry.hook]], "Executor: hook 1: it names no event"],
    [[[{ ...entry, event: "pre_tool_us" }]], 'hook 0: unknown hook event "pre_tool_us", did you mean pre_tool_use?'],
    [[[{ ...entry, matcher: undefined }]], "hook 0: matcher is missing"],
    [[[{ ...entry, mathcer: "x" }]], 'hook 0: unknown key "mathcer", did you mean "matcher"?'],
    [[[{ ...entry, lane: "premept" }]], 'hook 0: lane must be "default" or "preempt"'],
    [[[{ ...entry, source: "mine" }]], 'hook 0: source: expected a function but got "mine"'],
    [[[{ ...entry, hook: { type: "command", command: "x" } }]], "hook 0: name is missing"],
    [[[{ ...entry, hook: { ...entry.hook, comand: "x" } }]], 'hook 0: unknown key "comand", did you mean "command"?'],
    [[[{ ...entry, hook: { ...entry.hook, timeout: "soon" } }]], "hook 0: timeout: expected a whole number"],
    [[[], { workingdir: "/" }], 'Executor: options: unknown key "workingdir", did you mean "workingDir"?'],
    [[[], { workingDir: 5 }], "Executor: options: workingDir: expected a text but got 5"],
    [[[], { registry: newRegistry }], "Executor: options: registry: expected an object but got a function"],
    [[[], { log: console }], "Executor: options: log: expected a function but got a mapping"],
    [[[], { observers: [{}] }], "Executor: options: observers: expected a list of functions but got a list"],
    [[[], "/"], "Executor: options must be an object"],
  ])("%j", (args, message) => {
    expect(() => make(...args)).toThrow(TypeError);
    expect(() => make(...args)).toThrow(message);
  });

  test.each([
    [{ detials: true }, 'options: unknown key "detials", did you mean "details"?'],
    [{ lane: "premept" }, 'pre_tool_use: lane must be "default" or "preempt"'],
    [{ signal: new AbortController() }, "pre_tool_use: signal must be an AbortSignal"],
    [{ skipJudges: "no" }, 'options: skipJudges: expected true or false but got "no"'],
    [5, "pre_tool_use: options must be an object"],
  ])("a dispatch with %j, too: a lane that does not exist would have no guard", async (options, message) => {
    const dispatched = make([entry]).dispatch("pre_tool_use", { tool_name: "shell" }, options as never);
    expect(await settled(dispatched)).toThrow(message);
    expect(() => make([entry]).has("pre_tool_us" as never)).toThrow("did you mean pre_tool_use?");
    expect(() => make([entry]).has("pre_tool_use", "premept" as never)).toThrow("lane must be");
  });
});

describe("options that do not exist are misuse", () => {
  test("of parseHooks and validateHooks", async () => {
    expect(await settled(parseHooks({}, { fiel: "x" } as never))).toThrow(
      'options: unknown key "fiel", did you mean "file"?',
    );
    expect(await settled(parseHooks({}, { registry: newRegistry as never }))).toThrow("registry: expected an object");
    expect(await validateHooks({}, "hooks.yaml" as never)).toEqual([
      { path: "", message: "hooks: options must be an object" },
    ]);
  });

  test("of applyAgentDefaults", () => {
    expect(() => applyAgentDefaults([], { redact_secret: false } as never)).toThrow('did you mean "redact_secrets"?');
    expect(() => applyAgentDefaults([], {}, { snapshots: true } as never)).toThrow('did you mean "snapshot"?');
  });
});

describe("contracts", () => {
  test("are listed in canonical order, and looked up by event", () => {
    expect(allContracts().map(({ event }) => event)).toEqual([...EVENT_NAMES]);
    expect(contractOf("pre_tool_use")).toBe(EVENTS.pre_tool_use);
  });
});

describe("helpers", () => {
  test("tell whether an output continues or blocks", () => {
    expect([{}, { continue: false }, { decision: "block" }].map(shouldContinue)).toEqual([true, false, true]);
    expect([{}, { continue: false }, { decision: "block" }, { decision: "allow" }].map(isBlocked)).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  test("serialise an input as hooks read it: common fields first, no empty fields", () => {
    expect(inputJson("pre_tool_use", { tool_name: "shell", tool_input: {}, agent_name: "" }, "/work")).toBe(
      '{"session_id":"","cwd":"/work","hook_event_name":"pre_tool_use","tool_name":"shell"}',
    );
    expect(
      inputJson("post_tool_use", { tool_name: "shell", tool_response: "", session_id: "s", cwd: "/x" }, "/work"),
    ).toBe('{"session_id":"s","cwd":"/x","hook_event_name":"post_tool_use","tool_name":"shell","tool_response":""}');
  });
});
