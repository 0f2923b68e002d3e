import { describe, expect, test } from "bun:test";
import { defineHook, type HookEntry } from "../../src/config/hooks/read-hooks.ts";
import type { HostCall } from "../../src/dialects/dialect.ts";
import { fitsCondition } from "../../src/engine/condition.ts";
import { Executor } from "../../src/engine/executor.ts";
import { shippedRow } from "../../src/engine/hook-policy.ts";
import { type CompiledHook, compileHooks, type HookMatch, matchHooks } from "../../src/engine/match.ts";
import { newRegistry, Registry } from "../../src/engine/registry.ts";
import { secretCandidates } from "../../src/lib/secrets/known-secrets.ts";
import type { Builtin } from "../../src/protocol/builtin.ts";
import type { Payload } from "../../src/protocol/rewrite.ts";

function entry({
  command = "x",
  env = {},
  ...rest
}: Partial<HookEntry> & { command?: string; env?: object }): HookEntry {
  const hook = defineHook({ type: "command", command, env: { ...env } });
  return { event: "pre_tool_use", lane: "default", matcher: "", hook, path: [], source: async () => "test", ...rest };
}

const verdicts = (hooks: readonly CompiledHook[], names: readonly string[]) =>
  matchHooks(hooks, "pre_tool_use", "default", names).map((match: HookMatch) => (match.runs ? "runs" : match.why));

test("why a hook does not run: another event, another lane, the matcher, or an equal hook before it", () => {
  const hooks = compileHooks([
    entry({ event: "turn_start" }),
    entry({ lane: "preempt" }),
    entry({ matcher: "shell" }),
    entry({}),
    entry({}),
    entry({ command: "y" }),
  ]);
  expect(verdicts(hooks, ["edit"])).toEqual(["other_event", "other_lane", "matcher", "runs", "duplicate", "runs"]);
  expect(verdicts(hooks, ["shell"]).slice(2)).toEqual(["runs", "duplicate", "duplicate", "runs"]);
});

test("equal hooks of two files both run if they depend on the folder of their file", () => {
  const both = (command: string, ...directories: (string | undefined)[]) =>
    verdicts(compileHooks(directories.map((directory) => entry({ command, ...(directory ? { directory } : {}) }))), [
      "shell",
    ])[1];
  expect(both(`$${"{hook_dir}"}/a`, "/a", "/b")).toBe("runs");
  expect(both("$HOOK_DIR/a", "/a", "/b")).toBe("runs");
  expect(both("$HOOK_DIR/a", "/a", "/a")).toBe("duplicate");
  expect(both("$HOOK_DIR/a", undefined, undefined)).toBe("duplicate");
  expect(both("a", "/a", "/b")).toBe("duplicate");
});

test("examples make no difference: the same hook with and without them runs once", () => {
  const hook = defineHook({ type: "command", command: "x", examples: { allow: ["ls"] } });
  expect(verdicts(compileHooks([entry({}), entry({ hook })]), ["shell"])).toEqual(["runs", "duplicate"]);
});

test("an event without a tool call ignores the matcher", () => {
  const [hook] = compileHooks([entry({ event: "turn_start", matcher: "shell" })]);
  expect(hook?.matches([])).toBe(true);
});

test("an executor knows for which events and lanes it has hooks, and whether they are all implicit", () => {
  const executor = new Executor([entry({}), entry({ event: "stop", implicit: true }), entry({ event: "stop" })]);
  expect(executor.has("pre_tool_use")).toBe(true);
  expect(executor.has("pre_tool_use", "default")).toBe(true);
  expect(executor.has("pre_tool_use", "preempt")).toBe(false);
  expect(executor.has("turn_end")).toBe(false);
  expect(executor.hasOnlyImplicitHooks("stop")).toBe(false);
  expect(executor.hasOnlyImplicitHooks("turn_end")).toBe(true);
  expect(new Executor([entry({}), entry({ event: "stop", implicit: true })]).hasOnlyImplicitHooks("stop")).toBe(true);
});

test("an executor remembers the secrets in the env of its hooks", () => {
  const secret = `s3cr3t-${crypto.randomUUID()}`;
  new Executor([entry({ env: { DEPLOY_TOKEN: `$${"{env.OUTER}"}` } })], { env: { OUTER: secret } });
  expect(secretCandidates().map(({ value }) => value)).toContain(secret);
});

test("a matcher sees both names of a tool, and a dispatch without hooks only allows", async () => {
  const registry = newRegistry().registerBuiltin("deny", () => ({ decision: "block", reason: "no" }));
  const hook = defineHook({ type: "builtin", command: "deny" });
  const executor = new Executor([entry({ matcher: "server__read", hook })], { registry });
  const call = { tool_name: "read", tool_input: { a: 1 } };
  expect(await executor.dispatch("pre_tool_use", call)).toStrictEqual({ allowed: true });
  const qualified = { ...call, tool_qualified_name: "server__read" };
  expect(await executor.dispatch("pre_tool_use", qualified)).toMatchObject({ allowed: false, message: "no" });
});

test("an in-process hook sees the directories of the environment, and redactions are counted in details", async () => {
  let seen: unknown;
  const count: Builtin = (_input, _args, { directories, redacted }) => {
    seen = directories;
    redacted?.({ key: 2 });
    return { system_message: "s", reason: "r", stop_reason: "t" };
  };
  const lines: string[] = [];
  const registry = newRegistry().registerBuiltin("count", count);
  const hooks = ["1", "2"].map((arg) =>
    entry({ event: "turn_start", hook: defineHook({ type: "builtin", command: "count", args: [arg] }) }),
  );
  const executor = new Executor(hooks, {
    registry,
    env: { HOME: "/home/of" },
    log: (_level, line) => lines.push(line),
  });
  const { redacted, details } = await executor.dispatch("turn_start", {}, { details: true });
  expect(seen).toBeObject();
  expect(redacted).toEqual({ key: 4 });
  expect(await details()).toMatchObject([
    { redacted: { key: 2 }, message: "r" },
    { redacted: { key: 2 }, message: "r" },
  ]);
  expect(lines).toContainEqual(expect.stringContaining('turn_start hook "count": answered, redacted key 2'));
});

test("a registry refuses hooks without a name or a function, and lists its builtins in order", () => {
  const run: Builtin = () => undefined;
  expect(() => new Registry().register("", () => ({ run: async () => ({ kind: "failed", error: "x" }) }))).toThrow(
    "hook type must not be empty",
  );
  expect(() => new Registry().registerBuiltin("", run)).toThrow("builtin hook name must not be empty");
  expect(() => new Registry().registerBuiltin("x", undefined as never)).toThrow("builtin hook function is required");
  const names = new Registry().registerBuiltin("zzz", run).registerBuiltin("aaa", run).builtinNames();
  expect([names[0], names.at(-1)]).toEqual(["aaa", "zzz"]);
  expect(names).toEqual(names.toSorted());
  expect(shippedRow("toString")).toBeUndefined();
  expect(shippedRow("redact_secrets")?.redaction).toBe("does");
});

test("a hook with a condition runs only for calls that fit", async () => {
  const hook = defineHook({ type: "command", command: "echo no >&2; exit 2", if: "shell:cmd=rm *" });
  const executor = new Executor([entry({ hook })]);
  const verdict = (cmd: string) =>
    executor.dispatch("pre_tool_use", { tool_name: "shell", tool_input: { cmd } }, { details: true });
  expect((await verdict("true; rm x")).result).toMatchObject({ allowed: false, message: "no" });
  const other = await verdict("ls");
  expect(other.result).toEqual({ allowed: true });
  expect(await other.details()).toMatchObject([{ outcome: "silent" }]);
});

describe("a condition", () => {
  const fits = (condition: string, payload: Payload, hostNames?: readonly string[]) => {
    const host = hostNames && ({ tool: { names: hostNames } } as HostCall);
    return fitsCondition(condition, payload, host);
  };
  const shell = (cmd: unknown) => ({ tool_name: "shell", tool_input: { cmd } });

  test("names the tool by any of its names", () => {
    const call = { tool_name: "read", tool_qualified_name: "server__read", tool_input: {} };
    expect(["read", "server__*", "view", "write"].map((name) => fits(name, call, ["view"]))).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect(fits("read", { tool_name: "read" })).toBe(true);
    expect(fits("view", { tool_name: "read" })).toBe(false);
    expect(fits("undefined", { tool_name: "read" })).toBe(false);
    expect(fits("read", { tool_name: "read" }, [])).toBe(true);
  });

  test("on a command fits each line that may run it", () => {
    const condition = "shell:cmd=git push *";
    const lines = ["git push origin", "git push", "true && git push -f", "git pull", "git pushes", "echo git push"];
    expect(lines.map((cmd) => fits(condition, shell(cmd)))).toEqual([true, true, true, false, false, false]);
  });

  test("on any other argument compares its whole text", () => {
    const edit = (path: string) => ({ tool_name: "edit", tool_input: { path, cmd: "x" } });
    expect(fits("edit:path=*.ts", edit("a.ts"))).toBe(true);
    expect(fits("edit:path=*.ts", edit("true; a.js"))).toBe(false);
    expect(fits("edit:path=rm *", edit("true; rm x"))).toBe(false);
    expect(fits("edit:path=*.ts:cmd=y", edit("a.ts"))).toBe(false);
  });

  test("fits in doubt: if the argument is absent or no text", () => {
    for (const input of [{}, { cmd: 5 }, { cmd: ["rm"] }])
      expect(fits("shell:cmd=rm *", { tool_name: "shell", tool_input: input })).toBe(true);
    expect(fits("shell:cmd=rm *", { tool_name: "shell" })).toBe(true);
  });
});
