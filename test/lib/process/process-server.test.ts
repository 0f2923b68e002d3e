import { expect, test } from "bun:test";
import { processEnv } from "../../../src/lib/env.ts";
import { killAllProcesses } from "../../../src/lib/process/child.ts";
import { runProcess } from "../../../src/lib/process/process.ts";
import { type Server, spawnServer } from "../../../src/lib/process/server.ts";
import { until } from "../../helpers/until.ts";

const place = { cwd: "/", env: processEnv() };

/** Starts a shell text; `lines` is what it has written to standard output so far. */
function start(text: string): { server: Server; output: () => string } {
  let output = "";
  const onOutput = (chunk: Uint8Array) => {
    output += new TextDecoder().decode(chunk);
  };
  const server = spawnServer({ ...place, command: ["sh", "-c", text], onOutput });
  if ("kind" in server) throw new Error(server.error);
  return { server, output: () => output };
}

test("a server is reached over its pipes and exits at the end of its input", async () => {
  const { server, output } = start("cat");
  expect(await server.write("hello\n")).toBe(true);
  await until(() => output() === "hello\n");
  await server.stop();
  expect(await server.ended).toEqual({ kind: "exited", code: 0 });
});

test("the last output of a server is read, and its end is reported", async () => {
  const { server, output } = start("echo bye; exit 3");
  expect(await server.ended).toEqual({ kind: "exited", code: 3 });
  expect(output()).toBe("bye\n");
});

test("writing to a server that no longer reads returns false and does not throw", async () => {
  const { server, output } = start("exec <&-; echo ready; exec sleep 600");
  await until(() => output() === "ready\n");
  const written = await server.write("x".repeat(1_000_000));
  await server.stop(0);
  expect([written, await server.write("x")]).toEqual([false, false]);
});

test("a server that ignores the end of its input and SIGTERM is killed", async () => {
  const { server, output } = start("trap '' TERM; echo ready; while :; do sleep 0.1; done");
  await until(() => output() === "ready\n");
  await server.stop(100);
  expect(await server.ended).toEqual({ kind: "signaled", signal: "SIGKILL" });
});

test("ending all processes ends servers", async () => {
  const { server, output } = start("echo ready; exec sleep 600");
  await until(() => output() === "ready\n");
  killAllProcesses();
  expect(await server.ended).toEqual({ kind: "signaled", signal: "SIGKILL" });
});

test("a missing program is reported and nothing is thrown", () => {
  const server = spawnServer({ ...place, command: ["no-such-program"], onOutput: () => {} });
  expect(server).toMatchObject({ kind: "not_started", error: expect.stringContaining("no-such-program") });
});

test("a deadline holds while output arrives faster than it is processed", async () => {
  let chunks = 0;
  let longestRow = 0;
  const tick = setInterval(() => {
    longestRow = Math.max(longestRow, chunks);
    chunks = 0;
  }, 1);
  const onOutput = () => {
    chunks++;
    Bun.sleepSync(20);
  };
  const limits = { stdoutLimit: 0, overflow: "drop", stderrLimit: 0, deadlineMs: 500 } as const;
  const { end } = await runProcess({ ...place, command: ["yes"], onOutput, ...limits });
  clearInterval(tick);
  expect(end).toEqual({ kind: "timed_out" });
  // Hundreds, if reading does not let timers have their turn.
  expect(Math.max(longestRow, chunks)).toBeLessThan(50);
});
