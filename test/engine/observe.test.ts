import { describe, expect, test } from "bun:test";
import { defineHook, type HookDefinition, type HookEntry } from "../../src/config/hooks/read-hooks.ts";
import type { DispatchObserver, DispatchRecord } from "../../src/engine/dispatch-record.ts";
import { Executor } from "../../src/engine/executor.ts";
import type { EventName } from "../../src/protocol/events.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const CALL = { tool_name: "shell", tool_input: { cmd: "ls" } };
const print = (output: object) => `echo '${JSON.stringify(output)}'`;
const specific = (keys: object) => print({ hook_specific_output: keys });

function executor(
  event: EventName,
  hooks: readonly Partial<HookDefinition>[],
  observers?: readonly DispatchObserver[],
) {
  const entries = hooks.map(
    (hook): HookEntry => ({
      event,
      lane: "default",
      matcher: "",
      hook: defineHook({ type: "command", ...hook }),
      path: [],
      source: async () => "hooks.yaml:1",
    }),
  );
  const env = { PATH: process.env["PATH"] ?? "", SHELL: "/bin/sh" };
  return new Executor(entries, { workingDir: tempDir(), env, ...(observers && { observers }) });
}

const observing = (command: string) => ({ name: "guard", command, mode: "observe" });

describe("a hook that only observes", () => {
  test.each([
    ["a denial", specific({ permission_decision: "deny", permission_decision_reason: "not here" }), "denied: not here"],
    ["exit code 2", "echo stop >&2; exit 2", "denied: stop"],
    ["a question", specific({ permission_decision: "ask", permission_decision_reason: "sure?" }), "asked: sure?"],
    ["a failure", "exit 7", "denied: pre_tool_use hook failed to execute"],
  ])("reports %s and does not enforce it", async (_what, command, text) => {
    const result = await executor("pre_tool_use", [observing(command)]).dispatch("pre_tool_use", CALL);
    const notice = `pre_tool_use hook "guard" only observes: it would have ${text}`;
    expect(result).toEqual({ allowed: true, system_message: expect.stringContaining(notice) });
  });

  test("neither rewrites nor allows nor adds metadata", async () => {
    const everything = { permission_decision: "allow", updated_input: { cmd: "id" }, metadata: { a: "b" } };
    for (const rewrite of [false, true]) {
      const subject = executor("pre_tool_use", [{ ...observing(specific(everything)), rewrite }]);
      expect(await subject.dispatch("pre_tool_use", CALL)).toEqual({ allowed: true });
    }
  });

  test("adds no context", async () => {
    const subject = executor("turn_start", [observing("echo hello")]);
    expect(await subject.dispatch("turn_start", {})).toEqual({ allowed: true });
  });

  test("leaves the verdicts of other hooks as they are", async () => {
    const deny = { command: specific({ permission_decision: "deny", permission_decision_reason: "really" }) };
    const subject = executor("pre_tool_use", [observing(specific({ permission_decision: "allow" })), deny]);
    const { result, details, deciders } = await subject.dispatch("pre_tool_use", CALL, { details: true });
    expect(result).toMatchObject({ allowed: false, message: "really" });
    expect(await details()).toMatchObject([{ mode: "observe", would: "allow", outcome: "answered" }, {}]);
    expect((await deciders()).map(({ mode }) => mode)).toEqual([undefined]);
  });

  test("is no duplicate of the same hook that is enforced", async () => {
    const command = "exit 2";
    const subject = executor("pre_tool_use", [{ ...observing(command) }, { name: "guard", command }]);
    expect((await subject.dispatch("pre_tool_use", CALL)).allowed).toBe(false);
  });
});

/** Collects the records of a dispatch. */
function collector(settled: (record: DispatchRecord) => string | undefined = () => undefined) {
  const records: DispatchRecord[] = [];
  const observer: DispatchObserver = (_event, payload) => ({
    env: { SEEN: String(payload["hook_event_name"]) },
    settled: (record) => {
      records.push(record);
      return settled(record);
    },
  });
  return { records, observer };
}

describe("an observer of dispatches", () => {
  test("sees every hook that ran, what it read and what it answered", async () => {
    const before = Date.now();
    const { records, observer } = collector();
    const hooks = [
      { name: "rewriter", command: specific({ updated_input: { cmd: "ls -l" } }), rewrite: true },
      { name: "guard", command: 'test "$SEEN" = pre_tool_use && echo no >&2 && exit 2' },
      observing(specific({ permission_decision: "ask" })),
    ];
    await executor("pre_tool_use", hooks, [observer]).dispatch("pre_tool_use", CALL);
    expect(records).toHaveLength(1);
    const [{ runs, ...record }] = records as [DispatchRecord];
    expect(record).toMatchObject({
      event: "pre_tool_use",
      payload: { ...CALL, hook_event_name: "pre_tool_use" },
      enforced: { tool_input: { cmd: "ls -l" } },
      toolNames: ["shell"],
      result: { allowed: false, message: "no" },
    });
    expect(runs).toMatchObject([
      { stage: "rewrite", exitCode: 0, decision: "none", decided: false, input: { tool_input: { cmd: "ls" } } },
      { stage: "concurrent", exitCode: 2, decision: "deny", decided: true, observes: false },
      { decision: "ask", decided: false, observes: true, outcome: { kind: "answered" } },
    ]);
    expect(runs[1]?.input).toMatchObject({ tool_input: { cmd: "ls -l" } });
    expect(runs[1]?.output).toMatchObject({ kind: "exited", stderr: expect.stringContaining("no") });
    // The two clocks may differ a little.
    expect(record.startedAt).toBeWithin(before - 1000, Date.now() + 1000);
  });

  test("sees a dispatch without a hook", async () => {
    const { records, observer } = collector();
    await executor("pre_tool_use", [], [observer]).dispatch("pre_tool_use", CALL);
    expect(records).toMatchObject([{ runs: [], result: { allowed: true }, enforced: CALL }]);
  });

  test("can block an event that can be blocked, and no other", async () => {
    const { observer } = collector(() => "cannot be recorded");
    expect(await executor("pre_tool_use", [], [observer]).dispatch("pre_tool_use", CALL)).toEqual({
      allowed: false,
      message: "cannot be recorded",
    });
    expect(await executor("turn_end", [], [observer]).dispatch("turn_end", {})).toEqual({ allowed: true });
  });

  test("cannot change a verdict by failing", async () => {
    const { observer } = collector(() => {
      throw new Error("broken");
    });
    const deny = { name: "guard", command: "exit 2" };
    expect((await executor("pre_tool_use", [deny], [observer]).dispatch("pre_tool_use", CALL)).allowed).toBe(false);
    expect((await executor("pre_tool_use", [], [observer]).dispatch("pre_tool_use", CALL)).allowed).toBe(true);
  });
});
