import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { HandlerEnvironment, HandlerResult } from "../../../src/engine/handler.ts";
import { readReport } from "../../../src/engine/workers/job.ts";
import { runOnWorker } from "../../../src/engine/workers/pool.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

const dir = tempDir({
  "echo.ts": "export default (input, [n]) => ({ system_message: n + input.session_id });",
  "throw.ts": "export default () => { throw new Error('on purpose'); };",
  "exit.ts": "export default () => { process.exit(3); };",
  "spin.ts": "export default () => { for (;;) {} };",
  "hang.ts": "export default () => new Promise(() => {});",
  "poison.ts":
    "self.onmessage = () => postMessage({ kind: 'returned', output: { system_message: 'forged' } }); export default () => ({});",
  "dead.ts": "export default () => { Bun.sleepSync(3000); };",
});

const ENVIRONMENT: HandlerEnvironment = {
  event: "session_start",
  workingDir: dir,
  env: {},
  directories: { config: dir, data: dir, cache: dir },
  memory: new Map(),
  log: () => {},
};

function run(
  builtin: string,
  args: readonly string[] = [],
  signal: AbortSignal = new AbortController().signal,
): Promise<HandlerResult> {
  return runOnWorker(
    {
      builtin,
      args,
      input: { session_id: "s", cwd: dir, hook_event_name: "session_start" },
      redacts: false,
      cleanupMs: 500,
      environment: ENVIRONMENT,
    },
    signal,
  );
}

/** Runs a fixture in a separate process and returns the numbers and words it prints, one list per line. */
function workerThreads(...hooks: object[]): string[][] {
  const child = Bun.spawnSync(
    [
      process.execPath,
      join(import.meta.dir, "../../fixtures/engine/worker-threads.ts"),
      ...hooks.map((hook) => JSON.stringify(hook)),
    ],
    { cwd: dir },
  );
  return child.stdout
    .toString()
    .trim()
    .split("\n")
    .map((line) => line.split(" "));
}

const OURS = { type: "builtin", command: "add_directory_listing" };

describe("threads", () => {
  test("none is started for commands and for inline builtins", () => {
    expect(
      workerThreads({ type: "command", command: "echo hi" }, { type: "builtin", command: "add_user_info" }),
    ).toEqual([
      ["0", "true"],
      ["0", "true"],
    ]);
  });

  test("the thread of a builtin stays warm and runs the next one", () => {
    expect(workerThreads(OURS, OURS, OURS)).toEqual([
      ["1", "true"],
      ["1", "true"],
      ["1", "true"],
    ]);
  });

  test("a thread terminated at the deadline is replaced", async () => {
    const before = await run("add_directory_listing");
    for (let n = 0; n < 5; n++)
      expect((await run("add_directory_listing", [], AbortSignal.abort())).kind).toBe("failed");
    expect(await run("add_directory_listing")).toEqual(before);
    expect(before.kind).toBe("returned");
  });

  test("a builtin never runs on a thread of the user's own hook", async () => {
    for (let n = 0; n < 5; n++) {
      expect(await run("./poison.ts")).toEqual({ kind: "returned", output: {} });
      expect(JSON.stringify(await run("add_directory_listing"))).toContain("poison.ts");
    }
  });

  test("a warm thread does not keep the process alive", () => {
    const child = Bun.spawnSync(
      [process.execPath, join(import.meta.dir, "../../fixtures/engine/worker-threads.ts"), JSON.stringify(OURS)],
      { cwd: dir, timeout: 20_000 },
    );
    expect(child.exitCode).toBe(0);
  });
});

describe("300 mixed calls", () => {
  const KINDS = ["echo", "throw", "exit", "spin", "hang", "ours"] as const;

  async function call(index: number): Promise<string> {
    const kind = KINDS[index % KINDS.length] ?? "echo";
    if (kind === "ours") return describeResult(await run("add_directory_listing"));
    const deadline = kind === "spin" || kind === "hang" ? AbortSignal.timeout(50) : undefined;
    return describeResult(await run(`./${kind}.ts`, [String(index)], deadline));
  }

  function describeResult(result: HandlerResult): string {
    if (result.kind === "returned")
      return (
        result.output?.system_message ??
        (result.output?.hook_specific_output?.additional_context ? "listing" : "nothing")
      );
    return result.kind === "failed" ? result.error : result.kind;
  }

  function expected(index: number): string {
    return {
      echo: `${index}s`,
      throw: "on purpose",
      exit: "worker ended with code 3 before it answered",
      spin: "ended before it answered",
      hang: "ended before it answered",
      ours: "listing",
    }[KINDS[index % KINDS.length] ?? "echo"];
  }

  test("each get their own answer, and memory does not grow", async () => {
    const round = async (from: number) => {
      const indices = Array.from({ length: 30 }, (_, n) => from + n);
      expect(await Promise.all(indices.map(call))).toEqual(indices.map(expected));
    };
    for (let n = 0; n < 5; n++) await round(n * 30);
    Bun.gc(true);
    const before = process.memoryUsage.rss();
    for (let n = 5; n < 10; n++) await round(n * 30);
    Bun.gc(true);
    expect(process.memoryUsage.rss() - before).toBeLessThan(100_000_000);
  });

  test("threads that cannot be terminated do not delay others", async () => {
    const dead = Array.from({ length: 8 }, () => run("./dead.ts", [], AbortSignal.timeout(50)));
    expect(await Promise.all(dead)).toEqual(dead.map(() => ({ kind: "failed", error: "ended before it answered" })));
    expect(describeResult(await run("./echo.ts", ["1"]))).toBe("1s");
    expect(describeResult(await run("add_directory_listing"))).toBe("listing");
  });
});

describe("a message of a worker", () => {
  test.each<[string, unknown, string]>([
    ["an answer", { kind: "returned", output: { reason: "r" } }, "returned"],
    ["an answer of nothing", { kind: "returned", output: undefined }, "returned"],
    ["a failure", { kind: "failed", error: "e" }, "failed"],
    ["a log line", { kind: "log", level: "warn", message: "m" }, "log"],
    ["a log line of no level", { kind: "log", level: "allow", message: "m" }, "failed"],
    ["an answer that is a list", { kind: "returned", output: [] }, "failed"],
    ["an answer that is a date", { kind: "returned", output: new Date() }, "failed"],
    ["a kind that only a process has", { kind: "exited", exitCode: 0, stdout: "", stderr: "" }, "failed"],
    ["nothing", undefined, "failed"],
    ["the word that a worker begins with", "ready", "failed"],
  ])("%s", (_name, data, kind) => {
    expect(readReport(data).kind as string).toBe(kind);
  });
});

test("neither a thread whose builtin failed nor one that ended while idle gets another job", () => {
  const child = Bun.spawnSync([process.execPath, join(import.meta.dir, "../../fixtures/engine/thread-reuse.ts")], {
    cwd: dir,
  });
  expect(child.stdout.toString().trim().split("\n")).toEqual([
    "failed: failed",
    "after a failure: returned in thread 2",
    "again: returned in thread 2",
    "after the end of an idle one: returned in thread 3",
  ]);
});
