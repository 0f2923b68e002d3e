import { afterEach, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { processEnv } from "../../src/lib/env.ts";
import type { ToolContext, Toolset } from "../../src/tools/tool.ts";
import { untilEnded } from "../helpers/until-ended.ts";
import { call, makeToolset, temporaryDirectory, toolContext } from "./fixtures.ts";

const open: Toolset[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((toolset) => toolset.close?.()));
});

async function make(options: Record<string, unknown> = {}) {
  const directory = temporaryDirectory();
  const toolset = await makeToolset("background_jobs", directory, options);
  open.push(toolset);
  const run = (name: string, input: Record<string, unknown>, more: Partial<ToolContext> = {}) =>
    call(toolset, name, input, toolContext(directory, more));
  const start = async (cmd: string, more: Partial<ToolContext> = {}, input: Record<string, unknown> = {}) => {
    const { text } = await run("run_background_job", { cmd, ...input }, more);
    return /job_\d+_\d+/.exec(text)?.[0] ?? `no id in ${text}`;
  };
  return { directory, toolset, run, start };
}

/** Waits until a job has printed something. */
async function untilPrinted(run: Awaited<ReturnType<typeof make>>["run"], id: string, sign: string): Promise<string> {
  for (let tries = 0; tries < 200; tries++) {
    const { text } = await run("view_background_job", { job_id: id });
    if (text.split("\n").includes(sign)) return text;
    await Bun.sleep(50);
  }
  throw new Error(`${id} never printed ${sign}`);
}

describe("a job", () => {
  test("is started at once, shown while it runs, and completed at its end", async () => {
    const { directory, run, start } = await make();
    const id = await start("echo up; while [ ! -e go ]; do sleep 0.05; done; echo down >&2");
    expect(await untilPrinted(run, id, "up")).toContain(`${id} (running): echo up;`);
    await Bun.write(join(directory, "go"), "");
    const { text } = await run("wait_background_job", { job_id: id });
    expect(text).toStartWith(`${id} (completed): `);
    expect(text).toEndWith("\n\nup\ndown");
  });

  test("whose command fails has the status failed", async () => {
    const { run, start } = await make();
    const id = await start("exit 3");
    expect((await run("wait_background_job", { job_id: id })).text).toBe(
      `${id} (failed, exit status 3): exit 3\n\n<no output>`,
    );
  });

  test("is stopped with its descendants", async () => {
    const { directory, run, start } = await make();
    const id = await start("sleep 300 & echo $! > pid; echo up; wait");
    await untilPrinted(run, id, "up");
    expect(await run("stop_background_job", { job_id: id })).toEqual({ text: `Background job stopped: ${id}` });
    expect((await run("list_background_jobs", {})).text).toStartWith(`${id} (stopped): `);
    expect((await run("stop_background_job", { job_id: id })).isError).toBe(true);
    await untilEnded(Number(readFileSync(join(directory, "pid"), "utf8")));
  });

  test("ends with the session, and not with the turn", async () => {
    const { toolset, run, start } = await make();
    const turn = new AbortController();
    const id = await start("echo up; sleep 100", { signal: turn.signal });
    await untilPrinted(run, id, "up");
    turn.abort();
    expect((await run("list_background_jobs", {})).text).toContain("(running)");
    await toolset.close?.();
    expect((await run("list_background_jobs", {})).text).toContain("(stopped)");
  });

  test("keeps 10 MiB of its output and continues", async () => {
    const { run, start } = await make();
    const id = await start("head -c 12000000 /dev/zero | tr '\\0' x; echo; exit 0");
    const { text } = await run("wait_background_job", { job_id: id });
    expect(text).toContain("(completed)");
    expect(text).toEndWith("x\n... (output beyond 10485760 bytes was dropped)");
    expect(text.length).toBeLessThan(10_486_100);
  });
});

describe("waiting", () => {
  test("ends at its own time limit and says so", async () => {
    const { run, start } = await make();
    const id = await start("echo up; sleep 100");
    await untilPrinted(run, id, "up");
    const { text, isError } = await run("wait_background_job", { job_id: id, timeout: 1 });
    expect(text).toEndWith("up\n\nStill running after 1 seconds.");
    expect(isError).toBeUndefined();
  });

  test("ends when the run is cancelled", async () => {
    const { run, start } = await make();
    const id = await start("sleep 100");
    const signal = AbortSignal.timeout(100);
    expect(await run("wait_background_job", { job_id: id }, { signal })).toMatchObject({ isError: true });
  });
});

describe("recall", () => {
  test("sends the output into the session when the job has ended", async () => {
    const { start } = await make({ recall: true });
    const sent = Promise.withResolvers<string>();
    const id = await start("echo done", { steer: sent.resolve }, { recall: true });
    expect(await sent.promise).toBe(`Background job ${id} (completed): echo done\ndone`);
  });

  test("is offered only when the entry says so", async () => {
    const plain = (await make()).toolset.tools[0]?.parameters;
    const recalling = (await make({ recall: true })).toolset.tools[0]?.parameters;
    expect(Object.keys(plain?.["properties"] ?? {})).toEqual(["cmd", "cwd"]);
    expect(Object.keys(recalling?.["properties"] ?? {})).toEqual(["cmd", "cwd", "recall"]);
  });
});

test("mistakes are named", async () => {
  const { run, start } = await make();
  expect((await run("list_background_jobs", {})).text).toBe("No background jobs");
  expect((await run("view_background_job", { job_id: "job_1_1" })).text).toBe(
    'Error: no job "job_1_1"; known are: none',
  );
  expect((await run("run_background_job", { cmd: " " })).isError).toBe(true);
  expect((await run("run_background_job", { cmd: "ls", cwd: "gone" })).text).toContain("gone");
  const id = await start("true");
  expect((await run("view_background_job", { job_id: "x" })).text).toContain(id);
});

test("the toolset's variables override the process environment", async () => {
  const { run, start } = await make({ env: { WHO: "toolset" } });
  const id = await start("echo $WHO", { env: { ...processEnv(), WHO: "process" } });
  expect((await run("wait_background_job", { job_id: id })).text).toEndWith("toolset");
});
