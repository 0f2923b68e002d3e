import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { defineHook, type HookDefinition } from "../../src/config/hooks/read-hooks.ts";
import { Executor } from "../../src/engine/executor.ts";
import type { Handler, HandlerEnvironment, HandlerResult } from "../../src/engine/handler.ts";
import { invokeHook } from "../../src/engine/invoke-hook.ts";
import { compileHooks } from "../../src/engine/match.ts";
import { Registry } from "../../src/engine/registry.ts";
import { contractOf } from "../../src/protocol/events.ts";
import { tempDir } from "../helpers/temp-dir.ts";

interface Given {
  handler?: Partial<Handler> & Pick<Handler, "run">;
  hook?: Partial<HookDefinition>;
  directory?: string;
  payload?: Record<string, unknown>;
  signal?: AbortSignal;
}

/** Runs one hook of a type that an embedding program registered. */
async function invoke({ handler, hook = {}, directory, payload = {}, signal }: Given) {
  let environment: HandlerEnvironment | undefined;
  const registry = new Registry();
  if (handler)
    registry.register("test", (_hook, given) => {
      environment = given;
      return handler;
    });
  const [compiled] = compileHooks([
    {
      event: "turn_start",
      lane: "default",
      matcher: "",
      hook: defineHook({ type: "test", command: "x", ...hook }),
      path: [],
      source: async () => "test",
      ...(directory === undefined ? {} : { directory }),
    },
  ]);
  if (!compiled) throw new Error("no hook");
  const settings = {
    workingDir: "/work",
    env: { OUTER: "outer", HOOKSH_HOOK_DIR: "/outer" },
    directories: {} as never,
    registry,
    memory: new Map(),
    log: () => {},
    observers: [],
    rules: [],
    keepsHistory: false,
  };
  const invocation = await invokeHook(compiled, contractOf("turn_start"), payload, settings, signal);
  return { ...invocation, environment };
}

const exited = (exitCode: number): HandlerResult => ({ kind: "exited", exitCode, stdout: "", stderr: "" });
const cycle: Record<string, unknown> = {};
cycle["self"] = cycle;

/** Ends when its signal aborts, with this result. */
const untilAborted = (result: HandlerResult, lingerMs?: number): Handler => ({
  run: (_input, signal) =>
    new Promise((resolve) => signal.addEventListener("abort", () => setTimeout(() => resolve(result), 1))),
  ...(lingerMs === undefined ? {} : { lingerMs }),
});

describe("a hook", () => {
  test("keeps what it printed or returned", async () => {
    expect(await invoke({ handler: { run: async () => exited(0) } })).toMatchObject({ output: exited(0) });
    const returned = await invoke({ handler: { run: async () => ({ kind: "returned", output: undefined }) } });
    expect(returned).toMatchObject({ outcome: { kind: "silent" }, output: { kind: "returned" } });
  });

  test("of an unknown type fails", async () => {
    expect((await invoke({})).outcome).toEqual({
      kind: "failed",
      reason: "failed",
      error: "unsupported hook type: test",
      stderr: "",
    });
  });

  test("whose handler throws fails with the reason", async () => {
    const run = async () => {
      throw new Error("broken");
    };
    expect((await invoke({ handler: { run } })).outcome).toMatchObject({ reason: "failed", error: "broken" });
  });

  test("whose input cannot be written is unreadable, even if the handler catches the error", async () => {
    const handlers: Handler["run"][] = [
      async ({ json }) => ({ kind: "failed", error: json() }),
      async ({ json }) => {
        try {
          json();
        } catch {
          // Taken for a success below.
        }
        return exited(0);
      },
    ];
    for (const run of handlers)
      expect((await invoke({ handler: { run }, payload: cycle })).outcome).toMatchObject({
        kind: "failed",
        reason: "unreadable",
        error: expect.stringMatching(/^failed to serialize hook input: ./),
      });
  });

  test("whose input cannot be written does not start its command", async () => {
    const workingDir = tempDir();
    const hook = defineHook({ type: "command", command: "touch started" });
    const entry = { event: "turn_start", lane: "default", matcher: "", hook, path: [] } as const;
    const executor = new Executor([{ ...entry, source: async () => "test" }], { workingDir });
    await executor.dispatch("turn_start", cycle);
    expect(existsSync(join(workingDir, "started"))).toBe(false);
    await executor.dispatch("turn_start", {});
    expect(existsSync(join(workingDir, "started"))).toBe(true);
  });

  test("sees the folder of its own file, never that of an outer hook", async () => {
    const handler: Handler = { run: async () => exited(0) };
    const values = async (directory?: string) => {
      const { environment } = await invoke({ handler, ...(directory ? { directory } : {}) });
      return environment?.env;
    };
    expect(await values("/inner")).toEqual({ OUTER: "outer", HOOKSH_HOOK_DIR: "/inner" });
    expect(Object.entries((await values()) ?? {})).toEqual([["OUTER", "outer"]]);
  });
});

describe("a hook that is stopped", () => {
  const cancelled = async (handler: Handler) => {
    const stop = new AbortController();
    const running = invoke({ handler, signal: stop.signal });
    stop.abort();
    return (await running).outcome;
  };

  test("by the caller fails as cancelled, with the standard error it still gives", async () => {
    const late: HandlerResult = { kind: "failed", error: "ended", stderr: "trace" };
    expect(await cancelled(untilAborted(late, 60_000))).toEqual({
      kind: "failed",
      reason: "cancelled",
      error: "cancelled",
      stderr: "trace",
    });
    for (const silent of [
      { kind: "failed", error: "ended" },
      { kind: "returned", output: {} },
    ] as HandlerResult[])
      expect(await cancelled(untilAborted(silent, 60_000))).toMatchObject({ reason: "cancelled", stderr: "" });
  });

  test("and does not end is abandoned", async () => {
    expect(await cancelled({ run: () => new Promise(() => {}) })).toMatchObject({ reason: "cancelled", stderr: "" });
  });

  test("at its deadline fails with the time it had", async () => {
    const late: HandlerResult = { kind: "failed", error: "ended", stderr: "trace" };
    expect((await invoke({ handler: untilAborted(late, 60_000), hook: { timeout: 1 } })).outcome).toEqual({
      kind: "failed",
      reason: "timed_out",
      error: "timed out after 1s",
      stderr: "trace",
      help: expect.objectContaining({ cure: expect.stringContaining("Raise `timeout`") }),
    });
  });

  test("before it starts never runs", async () => {
    let runs = 0;
    const handler: Handler = {
      run: async () => {
        runs++;
        return exited(0);
      },
    };
    expect((await invoke({ handler, signal: AbortSignal.abort() })).outcome).toMatchObject({ error: "cancelled" });
    expect(runs).toBe(0);
  });
});

test("a handler that throws after it was stopped leaves the outcome of its deadline", async () => {
  const handler = {
    run: (_input: unknown, signal: AbortSignal) =>
      new Promise<HandlerResult>((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(new Error("stopped")), { once: true });
      }),
    lingerMs: 1000,
  };
  const { outcome } = await invoke({ handler, hook: { timeout: 1 } });
  expect(outcome).toMatchObject({ kind: "failed", reason: "timed_out", error: "timed out after 1s" });
});
