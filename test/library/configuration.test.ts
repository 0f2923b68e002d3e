import { describe, expect, test } from "bun:test";
import {
  applyAgentDefaults,
  ConfigError,
  contractOf,
  EVENTS,
  Executor,
  hookEntry,
  mergeHooks,
  parseHooks,
  validateHooks,
} from "hooksh";
import { allContracts, isBlocked, shouldContinue } from "hooksh/hook";
import { EVENT_NAMES } from "../../src/protocol/events.ts";
import { inputJson } from "../../src/protocol/input.ts";

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
      expect.stringMatching(/^my\.yaml:3:\d+: hooks\.stop\[1\]: type is required$/),
      "my.yaml:4:1: hooks.noon: unknown event",
    ]);
  });

  test("can be checked without an exception", async () => {
    expect(await validateHooks(YAML)).toEqual([]);
    expect(
      await validateHooks({ pre_tool_use: { matcher: "a(", hooks: [{ type: "command", command: "x" }, {}] } }),
    ).toEqual([
      { path: "hooks.pre_tool_use[0]", message: expect.stringContaining("invalid matcher: ") },
      { path: "hooks.pre_tool_use[0].hooks[1]", message: "type is required" },
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
