import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { readReport } from "../../../src/engine/workers/job.ts";
import { describeResult, dir, run } from "./worker-calls.ts";

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

test("threads that cannot be terminated do not delay others", async () => {
  const dead = Array.from({ length: 8 }, () => run("./dead.ts", [], AbortSignal.timeout(50)));
  expect(await Promise.all(dead)).toEqual(dead.map(() => ({ kind: "failed", error: "ended before it answered" })));
  expect(describeResult(await run("./echo.ts", ["1"]))).toBe("1s");
  expect(describeResult(await run("add_directory_listing"))).toBe("listing");
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
