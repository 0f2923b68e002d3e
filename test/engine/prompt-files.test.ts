import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { defineHook, type HookDefinition, type HookEntry } from "../../src/config/hooks/read-hooks.ts";
import type { DispatchRecord } from "../../src/engine/dispatch-record.ts";
import { Executor, type ExecutorOptions } from "../../src/engine/executor.ts";
import { newRegistry } from "../../src/engine/registry.ts";
import type { BuiltinInput } from "../../src/protocol/builtin.ts";
import type { EventName } from "../../src/protocol/events.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const IS_ROOT = process.getuid?.() === 0;

interface Setup {
  files?: Record<string, string>;
  /** Prepares the directory. */
  prepare?: (directory: string) => void;
  args?: string[];
  event?: EventName;
  guard?: (content: string) => boolean;
  loader?: Partial<HookDefinition>;
  hooks?: readonly [EventName, Partial<HookDefinition>][];
  options?: ExecutorOptions;
}

/** Dispatches an event whose hooks load prompt files. Returns the result and the inputs of the guard. */
async function loaded({ files, prepare, args = ["A.md", "B.md"], event = "turn_start", guard, ...setup }: Setup) {
  const cwd = tempDir(files ?? { "A.md": "rules of A", "B.md": "rules of B" });
  prepare?.(cwd);
  const asked: BuiltinInput[] = [];
  const registry = newRegistry();
  registry.registerBuiltin("guard", (input) => {
    asked.push(input);
    return guard?.(input.prompt_file?.content ?? "") ? { continue: true } : { decision: "block", reason: "UNTRUSTED" };
  });
  const entryOf = (on: EventName, hook: Partial<HookDefinition>): HookEntry => ({
    event: on,
    matcher: "",
    lane: "default",
    hook: defineHook({ type: "builtin", ...hook }),
    path: [],
    source: async () => "test",
  });
  const entries = [
    entryOf(event, { command: "add_prompt_files", args, ...setup.loader }),
    ...(setup.hooks ?? []).map(([on, hook]) => entryOf(on, hook)),
    ...(guard ? [entryOf("prompt_file_guard", { command: "guard" })] : []),
  ];
  const env = { HOME: join(cwd, "home"), PATH: process.env["PATH"] ?? "" };
  const executor = new Executor(entries, { workingDir: cwd, env, registry, ...setup.options });
  const payload = { session_id: "s1", agent_name: "root", cwd };
  return { cwd, asked, executor, payload, ...(await executor.dispatch(event, payload, { details: true })) };
}

const approve = () => true;

describe("the files that add_prompt_files loads", () => {
  test("are judged one after another, in load order, as they would stand in the prompt", async () => {
    const { cwd, asked, result } = await loaded({ guard: approve });
    expect(asked).toEqual(
      ["A", "B"].map((name) => ({
        session_id: "s1",
        cwd,
        hook_event_name: "prompt_file_guard",
        agent_name: "root",
        source: "loaded",
        prompt_file: { path: join(cwd, `${name}.md`), content: `rules of ${name}` },
      })),
    );
    expect(result).toEqual({ allowed: true, additional_context: "rules of A\n\nrules of B" });
  });

  test("that are rejected are left out with all files behind them, which are not judged", async () => {
    const files = { "A.md": "a", "B.md": "bad", "C.md": "c" };
    const { asked, result, rejection } = await loaded({
      files,
      args: ["A.md", "B.md", "C.md"],
      guard: (text) => text !== "bad",
    });
    expect(asked.map(({ prompt_file }) => prompt_file?.content)).toEqual(["a", "bad"]);
    expect(rejection).toBe("prompt file rejected by policy");
    expect(result).toEqual({
      allowed: true,
      additional_context: "a",
      system_message: "prompt file rejected by policy",
    });
  });

  test("of a second hook are left out too after a rejection", async () => {
    const second: [EventName, Partial<HookDefinition>] = [
      "turn_start",
      { command: "add_prompt_files", args: ["B.md"] },
    ];
    const { asked, result } = await loaded({ args: ["A.md"], guard: () => false, hooks: [second] });
    expect(asked).toHaveLength(1);
    expect(result.additional_context).toBeUndefined();
  });

  test("are not judged without a guard", async () => {
    const { result, rejection } = await loaded({});
    expect(result).toEqual({ allowed: true, additional_context: "rules of A\n\nrules of B" });
    expect(rejection).toBeUndefined();
  });

  test("are judged on any event that takes context, and on no other", async () => {
    for (const event of ["session_start", "user_prompt_submit", "pre_compact"] as const) {
      const { asked, result } = await loaded({ event, guard: () => false });
      expect(asked).toHaveLength(1);
      expect(result).toEqual({ allowed: true, system_message: "prompt file rejected by policy" });
    }
    expect((await loaded({ event: "turn_end", guard: () => false })).asked).toEqual([]);
  });

  test("are not judged for a hook that only observes, whose context has no effect", async () => {
    const { asked, result } = await loaded({ guard: () => false, loader: { mode: "observe" } });
    expect(asked).toEqual([]);
    expect(result).toEqual({ allowed: true });
  });

  test("include the list of files below the directory, without a path", async () => {
    const files = { "A.md": "a", "sub/A.md": "nested" };
    const { asked, result } = await loaded({ files, args: ["A.md", "--depth=1"], guard: (text) => text === "a" });
    expect(asked.map(({ prompt_file }) => prompt_file)).toEqual([
      { path: expect.stringContaining("A.md"), content: "a" },
      { content: expect.stringContaining("- sub/A.md") },
    ]);
    expect(result).toEqual({
      allowed: true,
      additional_context: "a",
      system_message: "prompt file rejected by policy",
    });
  });

  test("are used if the guard only observes, and the result says what it would have done", async () => {
    const guard = ["prompt_file_guard", { name: "judge", command: "guard", mode: "observe" }] as const;
    const registry = newRegistry();
    registry.registerBuiltin("guard", () => ({ decision: "block" }));
    const { result, rejection } = await loaded({ args: ["A.md"], hooks: [[...guard]], options: { registry } });
    expect(rejection).toBeUndefined();
    expect(result).toEqual({
      allowed: true,
      additional_context: "rules of A",
      system_message:
        'prompt_file_guard hook "judge" only observes: it would have blocked: prompt file rejected by policy',
    });
  });

  test("do not touch the context of other hooks", async () => {
    const { result } = await loaded({
      guard: () => false,
      hooks: [["turn_start", { command: "add_context", args: ["the other"] }]],
    });
    expect(result).toMatchObject({ additional_context: "the other" });
  });

  test("are used as they were judged, also if the file changes meanwhile", async () => {
    const cwd = tempDir({ "A.md": "safe" });
    const executor = new Executor(
      [
        ["turn_start", { type: "builtin", command: "add_prompt_files", args: ["A.md"] }] as const,
        ["prompt_file_guard", { type: "command", command: "echo evil > A.md; echo '{\"continue\":true}'" }] as const,
      ].map(([event, hook]) => ({
        event,
        matcher: "",
        lane: "default" as const,
        hook: defineHook({ ...hook, args: "args" in hook ? [...hook.args] : [] }),
        path: [],
        source: async () => "test",
      })),
      { workingDir: cwd, env: { PATH: process.env["PATH"] ?? "" } },
    );
    expect(await executor.dispatch("turn_start", { cwd })).toEqual({ allowed: true, additional_context: "safe" });
    expect(await executor.dispatch("turn_start", { cwd })).toMatchObject({ additional_context: "evil" });
  });

  test("leave a record of their own, before that of the event", async () => {
    const records: DispatchRecord[] = [];
    const observers = [() => ({ settled: (record: DispatchRecord) => void records.push(record) })];
    await loaded({ guard: (text) => text === "rules of A", options: { observers } });
    expect(records.map(({ event, result }) => [event, result.allowed])).toEqual([
      ["prompt_file_guard", true],
      ["prompt_file_guard", false],
      ["turn_start", true],
    ]);
    expect(records[2]?.result).toMatchObject({ additional_context: "rules of A" });
  });

  test("are judged by the caller if it wants that, which then reports the rejection itself", async () => {
    const { executor, payload, asked } = await loaded({ guard: approve });
    asked.splice(0);
    const { result, rejection } = await executor.dispatch("turn_start", payload, {
      details: true,
      judgeFile: async ({ prompt_file }) =>
        prompt_file?.content === "rules of A" ? { allowed: true } : { allowed: false, message: "no" },
    });
    expect(asked).toEqual([]);
    expect(rejection).toBe("no");
    expect(result).toEqual({ allowed: true, additional_context: "rules of A" });
    const unasked = await executor.dispatch("turn_start", payload, { details: true, judgeFile: async () => undefined });
    expect(unasked.rejection).toBe("prompt file rejected by policy");
  });
});

describe("with a guard, a file counts as rejected", () => {
  const message = (path: string) => `prompt file rejected by policy (${path}: cannot be read)`;

  test("if it leads out of its repository", async () => {
    const { cwd, result, asked } = await loaded({ files: {}, guard: approve, prepare: (at) => linkOut(at) });
    expect(asked).toEqual([]);
    expect(result.system_message).toContain(message(join(cwd, "A.md")));
    expect(result.additional_context).toBeUndefined();
  });

  test("if it is a loop of links; the files behind it are not judged", async () => {
    const prepare = (at: string) => Bun.spawnSync(["ln", "-s", "A.md", join(at, "A.md")]);
    const { cwd, result, asked } = await loaded({ files: { "B.md": "b" }, guard: approve, prepare });
    expect(asked).toEqual([]);
    expect(result).toEqual({ allowed: true, system_message: message(join(cwd, "A.md")) });
  });

  test("if it is a pipe", async () => {
    const prepare = (at: string) => Bun.spawnSync(["mkfifo", join(at, "A.md")]);
    const { cwd, result } = await loaded({ files: {}, guard: approve, prepare });
    expect(result.system_message).toContain(message(join(cwd, "A.md")));
  });

  test.if(!IS_ROOT)("if its permissions or those of its folder forbid it", async () => {
    const one = await loaded({ guard: approve, prepare: (at) => chmodSync(join(at, "A.md"), 0) });
    expect(one.result.system_message).toContain(message(join(one.cwd, "A.md")));
    const prepare = (at: string) => {
      mkdirSync(join(at, "docs"), { mode: 0 });
    };
    const two = await loaded({ files: {}, args: ["docs/A.md"], guard: approve, prepare });
    expect(two.result).toEqual({ allowed: true, system_message: message(join(two.cwd, "docs/A.md")) });
  });

  test("if its hook fails", async () => {
    const registry = newRegistry();
    registry.registerBuiltin("add_prompt_files", () => {
      throw new Error("disk full");
    });
    registry.registerBuiltin("guard", () => ({ continue: true }));
    const failing = await loaded({ guard: approve, options: { registry } });
    expect(failing.result.system_message).toContain("prompt file rejected by policy (add_prompt_files: disk full)");
  });

  test("but not if it is missing, or a directory", async () => {
    const prepare = (at: string) => mkdirSync(join(at, "A.md"));
    const { result, asked } = await loaded({ files: { "B.md": "b" }, guard: approve, prepare });
    expect(asked).toHaveLength(1);
    expect(result).toEqual({ allowed: true, additional_context: "b" });
  });
});

test("without a guard, files that cannot be read are left out as before", async () => {
  const prepare = (at: string) => Bun.spawnSync(["ln", "-s", "A.md", join(at, "A.md")]);
  const { result } = await loaded({ files: { "B.md": "b" }, prepare });
  expect(result).toEqual({ allowed: true, additional_context: "b" });
});

function linkOut(directory: string): void {
  Bun.spawnSync(["ln", "-s", join(tempDir({ "x.md": "outside" }), "x.md"), join(directory, "A.md")]);
}
