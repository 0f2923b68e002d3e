import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { HookDefinition } from "../../src/config/hooks/read-hooks.ts";
import { Executor } from "../../src/engine/executor.ts";
import { dispatch } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { until } from "../helpers/until.ts";
import { entry, executor } from "./command-executor.ts";

const CALL = { tool_name: "shell", tool_input: { cmd: "ls" } };

type Dispatch = (
  workingDir: string,
  event: "pre_tool_use" | "post_tool_use",
  input: object,
  hooks: readonly Partial<HookDefinition>[],
) => Promise<Record<string, unknown>>;

/** The engine within this process, and a process of `dispatch`, whose first part starts the hooks that it hands over. */
const WAYS: readonly (readonly [string, Dispatch])[] = [
  [
    "the engine",
    async (workingDir, event, input, hooks) => ({
      ...(await executor(workingDir, event, ...hooks).dispatch(
        event,
        input as typeof CALL & { tool_response: string },
      )),
    }),
  ],
  [
    "dispatch",
    async (cwd, event, input, hooks) => {
      const file = { [event]: [{ hooks: hooks.map((hook) => ({ type: "command", ...hook })) }] };
      // Without a log, which would be the engine's to make.
      const args = ["--no-audit"];
      const ran = await dispatch(file, { hook_event_name: event, session_id: "s", ...input }, { cwd, args });
      const { event: _, ...result } = ran.lines()[0] ?? {};
      return result;
    },
  ],
];

/** Dispatches the same hook on an event where failures block and on one where they do not. */
async function onBothEvents(way: Dispatch, files: Readonly<Record<string, string>>, hook: Partial<HookDefinition>) {
  const [closed, open] = await Promise.all([
    way(tempDir(files), "pre_tool_use", CALL, [hook]),
    way(tempDir(files), "post_tool_use", { ...CALL, tool_response: "ok" }, [hook]),
  ]);
  return { closed, open };
}

/** A command that sleeps longer than a test may take, for a time that no other test run uses. */
function own(command: string): string {
  return command.replace(/(60\d\.)(?=\d|$)/g, `$1${process.pid}`);
}

/** The processes whose command line contains a text. */
function processesWith(text: string): string[] {
  return readdirSync("/proc")
    .filter((pid) => /^\d+$/.test(pid) && pid !== String(process.pid))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "latin1").includes(text);
      } catch {
        return false; // gone meanwhile
      }
    });
}

describe.each(WAYS)(
  "%s: a hook that does not stop is killed at its deadline, with every process it started",
  (_, way) => {
    test.concurrent.each([
      ["sleeps", "sleep 600.1"],
      ["ignores SIGTERM", "trap '' TERM; while :; do sleep 600.2; done"],
      ["leaves a child that holds standard output", "sleep 600.3 & sleep 600.3"],
      ["moves a child into a separate session", "setsid sleep 600.4 & sleep 600.4"],
      ["forks a daemon that ignores SIGTERM", "setsid sh -c 'trap \"\" TERM; while :; do sleep 600.5; done' & wait"],
      ["closes its pipes", "exec 1>&- 2>&- 0<&-; sleep 600.6"],
      ["prints half a JSON object and hangs", "printf '{\"decision\":'; sleep 600.7"],
      ["stops itself", "kill -STOP $$; sleep 600.9"],
      ["waits for input that has ended", "cat; cat /dev/zero > /dev/null; sleep 600.8"],
    ])("%s", async (_name, written) => {
      const command = own(written);
      const mark = /600\.\d+/.exec(command)?.[0] ?? "";
      const { closed, open } = await onBothEvents(way, {}, { command, timeout: 1 });
      expect(closed).toMatchObject({ allowed: false, exit_code: -1 });
      expect(closed["message"]).toContain("timed out after 1s");
      expect(open).toMatchObject({ allowed: true });
      expect(open["system_message"]).toContain("timed out after 1s");
      await until(() => processesWith(`sleep\0${mark}`).length === 0);
    });

    test.each([60, 200])("%d hooks at once, each with its own daemon", async (count) => {
      const hooks = Array.from({ length: count }, (_, n) => ({
        command: own(`setsid sleep 605.${n + 1000} & sleep 605.${n + 1000}`),
        timeout: 1,
      }));
      const result = await way(tempDir(), "pre_tool_use", CALL, hooks);
      expect(String(result["message"]).split("\n").length).toBe(count);
      await until(() => processesWith(own("sleep\x00605.")).length === 0);
    });

    test("a daemon that keeps the pipes of an exited hook open does not delay the dispatch", async () => {
      const command = own("setsid sleep 601.1 & echo '{}'");
      const { closed } = await onBothEvents(way, {}, { command, timeout: 250 });
      expect(closed).toEqual({ allowed: true });
      await until(() => processesWith(own("sleep\x00601.1")).length === 0);
    });
  },
);

describe.each(WAYS)("%s: a failing hook blocks where failures block, and is reported elsewhere", (_, way) => {
  test.each([
    ["dies by SIGKILL", "kill -9 $$", "killed by SIGKILL"],
    ["dies by SIGSEGV", "kill -SEGV $$", "killed by SIGSEGV"],
    ["is not executable", "./notes.txt", "exited with status 126"],
    ["is not there", "./nowhere.sh", "exited with status 127"],
    ["exits 255", "exit 255", "exited with status 255"],
    ["prints 1 GB", "yes 0123456789abcdef", "exceeded the limit of 10485760 bytes"],
  ])("%s", async (_name, command, message) => {
    const hook = { command, timeout: 250, on_error: "ignore" } as const;
    const { closed, open } = await onBothEvents(way, { "notes.txt": "no program" }, hook);
    expect(closed).toMatchObject({ allowed: false, exit_code: -1 });
    expect(closed["message"]).toContain(message);
    expect(open).toEqual({ allowed: true });
  });
});

describe("a hook that cannot start", () => {
  test("has no shell", async () => {
    const broken = new Executor([entry("pre_tool_use", { command: "true" })], {
      workingDir: tempDir(),
      env: { SHELL: "/nowhere/sh" },
    });
    const result = await broken.dispatch("pre_tool_use", CALL);
    expect(result.allowed).toBe(false);
    expect(result.message).toContain("/nowhere/sh");
  });

  test("has no working directory", async () => {
    const result = await executor(tempDir(), "pre_tool_use", { command: "true", working_dir: "gone" }).dispatch(
      "pre_tool_use",
      CALL,
    );
    expect(result.allowed).toBe(false);
    expect(result.message).toContain('gone": no such directory');
  });
});

describe("large amounts", () => {
  test("a hook that never reads an input of 50 MB succeeds", async () => {
    const input = { tool_name: "write_file", tool_input: { content: "x".repeat(50_000_000) } };
    expect(await executor(tempDir(), "pre_tool_use", { command: "true" }).dispatch("pre_tool_use", input)).toEqual({
      allowed: true,
    });
  });

  test("standard error beyond its limit is cut, not fatal", async () => {
    const command = "head -c 12000000 /dev/zero | tr '\\0' e >&2; exit 2";
    const result = await executor(tempDir(), "post_tool_use", { command }).dispatch("post_tool_use", {
      ...CALL,
      tool_response: "",
    });
    expect(result.allowed).toBe(false);
    expect(result.message?.endsWith("... (truncated)")).toBe(true);
    expect(result.message?.length).toBeLessThan(11_000_000);
  });
});

describe("cancellation", () => {
  test("before it starts: no hook runs and the guarded call is blocked", async () => {
    const dir = tempDir();
    const result = await executor(dir, "pre_tool_use", { command: "touch ran" }).dispatch("pre_tool_use", CALL, {
      signal: AbortSignal.abort(),
    });
    expect(result.allowed).toBe(false);
    expect(result.message).toEndWith(": cancelled");
    expect(existsSync(join(dir, "ran"))).toBe(false);
  });

  test("while a hook runs: the hook is killed and the guarded call is blocked", async () => {
    const dir = tempDir();
    const controller = new AbortController();
    const pending = executor(dir, "pre_tool_use", { command: own("touch started; sleep 602.1") }).dispatch(
      "pre_tool_use",
      CALL,
      { signal: controller.signal },
    );
    await until(() => existsSync(join(dir, "started")));
    controller.abort();
    expect((await pending).allowed).toBe(false);
    await until(() => processesWith(own("sleep\x00602.1")).length === 0);
  });

  test("between the stages: the hooks of the second stage do not run", async () => {
    const dir = tempDir();
    const controller = new AbortController();
    const hooks = [{ command: own("touch one; sleep 602.2"), rewrite: true }, { command: "touch two" }];
    const pending = executor(dir, "pre_tool_use", ...hooks).dispatch("pre_tool_use", CALL, {
      signal: controller.signal,
    });
    await until(() => existsSync(join(dir, "one")));
    controller.abort();
    expect((await pending).allowed).toBe(false);
    expect(existsSync(join(dir, "two"))).toBe(false);
  });
});
