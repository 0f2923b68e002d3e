import { afterEach, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { lifecycleOf, restartDelay } from "../../../src/tools/mcp/lifecycle.ts";
import type { Toolset } from "../../../src/tools/tool.ts";
import { hooksh } from "../../helpers/binary.ts";
import { agentFor, fakeOpenAI } from "../../helpers/fake-openai.ts";
import { tempDir } from "../../helpers/temp-dir.ts";
import { until } from "../../helpers/until.ts";
import { call, makeToolset, temporaryDirectory, toolContext } from "../fixtures.ts";

const SERVER = join(import.meta.dir, "../../fixtures/mcp/mortal.ts");
const FAST = { initial: 1, max: 1 };

const open: Toolset[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((toolset) => toolset.close?.()));
});

/** A server that ends in one of its ways, what it wrote to its file, and what was logged and said. */
async function make(mode: string, lifecycle: Record<string, unknown>) {
  const file = join(temporaryDirectory(), "log");
  const log: string[] = [];
  const warnings: string[] = [];
  const toolset = await makeToolset(
    "mcp",
    temporaryDirectory(),
    { command: process.execPath, args: [SERVER, file, mode], name: "m", lifecycle },
    { log: (level, message) => void log.push(`${level} ${message}`), warn: (message) => void warnings.push(message) },
  );
  open.push(toolset);
  const look = () => call(toolset, "m_look", {}, toolContext("/"));
  const count = (line: string) =>
    readFileSync(file, "utf8")
      .split("\n")
      .filter((each) => each === line).length;
  return {
    toolset,
    log,
    warnings,
    look,
    count,
    restarts: () => log.filter((line) => line.includes("it is restarted in")),
  };
}

describe("a server that ends as soon as it has started", () => {
  test("is restarted in the background up to max_restarts times", async () => {
    const { warnings, count, look, restarts } = await make("after-start", { max_restarts: 3, backoff: FAST });
    await until(() => warnings.length > 0);
    expect(warnings).toEqual([
      "MCP server m exited with code 7; it was restarted 3 times without answering a call and is not restarted again (lifecycle.max_restarts)",
    ]);
    expect(count("start")).toBe(4);
    expect(restarts()).toEqual(
      [1, 2, 3].map((n) => `warn mcp: MCP server m exited with code 7; it is restarted in 100ms (restart ${n} of 3)`),
    );
    expect(await look()).toEqual({ text: `Error: ${warnings[0]}`, isError: true });
    expect(count("start")).toBe(4);
  });

  test("is restarted after a longer delay each time", async () => {
    const { log, restarts } = await make("after-start", {
      max_restarts: 3,
      backoff: { initial: 120, max: 400, multiplier: 3 },
    });
    await until(() => restarts().length === 3);
    expect(restarts().map((line) => /in (\w+) \(/.exec(line)?.[1])).toEqual(["120ms", "360ms", "400ms"]);
    expect(log.filter((line) => line.includes("for a call"))).toEqual([]);
  });

  test.each([{ restart: "never" }, { profile: "strict" }, { profile: "best-effort" }])(
    "is not restarted with %o",
    async (lifecycle) => {
      const { look, count } = await make("after-start", { backoff: FAST, ...lifecycle });
      await until(() => count("start") === 1);
      for (let result = await look(); !result.isError; result = await look()) await Bun.sleep(10);
      expect(await look()).toEqual({ text: "Error: MCP server m exited with code 7", isError: true });
      expect(count("start")).toBe(1);
    },
  );

  test("is not restarted once its toolset is closed", async () => {
    const { toolset, count, restarts } = await make("after-start", { backoff: { initial: 500, max: 500 } });
    await until(() => restarts().length === 1);
    await toolset.close?.();
    await Bun.sleep(1000);
    expect(count("start")).toBe(1);
  });
});

describe("a server that ends with code 0", () => {
  test("is restarted only for a call", async () => {
    const { look, count, restarts, log } = await make("cleanly", { backoff: FAST });
    for (let n = 0; !log.some((line) => line.includes("for a call")); n++) {
      if (n > 0) await Bun.sleep(20);
      await look();
    }
    expect(restarts()).toEqual([]);
    expect(count("start")).toBeGreaterThanOrEqual(2);
  });

  test("is restarted in the background with restart: always", async () => {
    const { count, restarts } = await make("cleanly", { restart: "always", max_restarts: 2, backoff: FAST });
    await until(() => count("start") === 3);
    expect(restarts()[0]).toContain("MCP server m exited with code 0; it is restarted in 100ms (restart 1 of 2)");
  });
});

test("a server that ends with every third call is restarted as long as it answers calls in between", async () => {
  const { look, warnings } = await make("every-third-call", { max_restarts: 2, backoff: FAST });
  const results: string[] = [];
  for (let n = 0; n < 12; n++) results.push((await look()).text);
  expect(results).toEqual(["call 1", "call 2", ...Array.from({ length: 5 }, () => ["call 1", "call 2"]).flat()]);
  expect(warnings).toEqual([]);
});

test("a restart that never answers initialize fails after startup_timeout, and counts", async () => {
  const { warnings } = await make("second-start", { max_restarts: 1, startup_timeout: 5000, backoff: FAST });
  await until(() => warnings.length > 0);
  expect(warnings[0]).toContain("did not start within 5s (lifecycle.startup_timeout); it was restarted 1 times");
});

test("closing does not wait for a start that hangs", async () => {
  const { toolset, count } = await make("second-start", { startup_timeout: 600_000, backoff: FAST });
  await until(() => count("start") === 2);
  await toolset.close?.();
});

describe("the keys", () => {
  test("have the defaults of their profile", () => {
    const rest = {
      callMs: 600_000,
      maxRestarts: 5,
      backoff: { initialMs: 1000, maxMs: 32_000, multiplier: 2, jitter: 0 },
    };
    expect(lifecycleOf()).toEqual({ isRequired: false, restart: "on_failure", startupMs: 60_000, ...rest });
    expect(lifecycleOf({ profile: "strict" })).toEqual({
      isRequired: true,
      restart: "never",
      startupMs: 30_000,
      ...rest,
    });
    expect(lifecycleOf({ profile: "best-effort" })).toEqual({
      isRequired: false,
      restart: "never",
      startupMs: 60_000,
      ...rest,
    });
  });

  test("override the profile, and 0 means the default", () => {
    const keys = { required: false, restart: "always", max_restarts: -1, startup_timeout: 5, call_timeout: 6 } as const;
    expect(lifecycleOf({ profile: "strict", ...keys })).toMatchObject({
      isRequired: false,
      restart: "always",
      maxRestarts: Infinity,
      startupMs: 5,
      callMs: 6,
    });
    expect(lifecycleOf({ max_restarts: 0, startup_timeout: 0, backoff: { initial: 0, multiplier: 0 } })).toEqual(
      lifecycleOf(),
    );
  });

  test("give delays that grow up to a limit, with random jitter", () => {
    const backoff = { initialMs: 1000, maxMs: 5000, multiplier: 2, jitter: 0.5 };
    const delays = [0, 1, 2, 3, 400].map((restarts) => restartDelay(backoff, restarts, 0.5));
    expect(delays).toEqual([1000, 2000, 4000, 5000, 5000]);
    expect([0, 1].map((random) => restartDelay(backoff, 0, random))).toEqual([500, 1500]);
    expect(restartDelay({ ...backoff, initialMs: 1, maxMs: 1 }, 0, 0)).toBe(100);
  });
});

/** Runs an agent of the executable with one server; returns the results of its calls as the model read them. */
async function run(mode: string, calls: number, lifecycle: object) {
  const steps = Array.from({ length: calls }, (_none, n) => ({ calls: [{ name: "m_look", arguments: { n } }] }));
  const server = fakeOpenAI([...steps, { text: "Done." }]);
  const cwd = tempDir({});
  const entry = {
    type: "mcp",
    command: process.execPath,
    args: [SERVER, join(cwd, "starts"), mode],
    name: "m",
    lifecycle,
  };
  await Bun.write(join(cwd, "agent.json"), agentFor(server, { toolsets: [entry] }));
  const { code, stderr } = await hooksh(["run", "agent.json", "--yolo", "go"], { cwd });
  server.stop();
  const results = server.requests.slice(1).map(({ messages }) => messages.at(-1)?.content);
  return { code, stderr, results, starts: readFileSync(join(cwd, "starts"), "utf8").split("start\n").length - 1 };
}

test("the executable restarts a server that ends with every third call", async () => {
  const { code, stderr, results, starts } = await run("every-third-call", 6, {});
  expect({ code, stderr, starts }).toEqual({ code: 0, stderr: "", starts: 3 });
  expect(results).toEqual(["call 1", "call 2", "call 1", "call 2", "call 1", "call 2"]);
});

test("the executable ends with 1 if a required server never answers initialize", async () => {
  const { code, stderr, results } = await run("silent", 1, { required: true, startup_timeout: "1s" });
  expect({ code, results }).toEqual({ code: 1, results: [] });
  expect(stderr).toContain(
    "agents.root.toolsets[0] (mcp) did not start, and its lifecycle requires it: MCP server m did not start within 1s",
  );
});

test.each([
  [{}, 3],
  [{ restart: "never" }, 1],
  [{ profile: "best-effort" }, 1],
])("a start that failed is tried again or not: %j", async (lifecycle, starts) => {
  const server = fakeOpenAI([
    ...Array.from({ length: 2 }, () => ({ calls: [{ name: "shell", arguments: { cmd: "true" } }] })),
    { text: "Done." },
  ]);
  const cwd = tempDir({});
  const toolsets = [
    { type: "shell" },
    { type: "mcp", command: "sh", args: ["-c", "echo start >> starts; exit 3"], name: "m", lifecycle },
  ];
  await Bun.write(join(cwd, "agent.json"), agentFor(server, { toolsets }));
  const { code, stderr } = await hooksh(["run", "agent.json", "--yolo", "go"], { cwd });
  server.stop();
  expect({ code, starts: readFileSync(join(cwd, "starts"), "utf8").split("start\n").length - 1 }).toEqual({
    code: 0,
    starts,
  });
  expect(stderr).toContain("did not start, its tools are missing: MCP server m: exited with code 3");
});

test("a server that lives but no longer reads is reported with the last line of its standard error", async () => {
  const answer = (id: number, result: object) => `read _; echo '${JSON.stringify({ jsonrpc: "2.0", id, result })}'`;
  const start = { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } };
  const tools = [{ name: "look", inputSchema: { type: "object" } }];
  const script = [
    answer(0, start),
    "read _; echo 'lost the licence' >&2",
    `${answer(1, { tools }).replace("read _;", "read _; exec <&-;")}`,
    "exec sleep 600",
  ];
  const toolset = await makeToolset("mcp", temporaryDirectory(), {
    command: "sh",
    args: ["-c", script.join("\n")],
    name: "m",
    lifecycle: { restart: "never" },
  });
  open.push(toolset);
  expect(await call(toolset, "m_look", {}, toolContext("/"))).toEqual({
    text: "Error: MCP server m no longer reads: lost the licence",
    isError: true,
  });
});

test("the executable writes restarts to its log, ends them with the run, and leaves nothing behind", async () => {
  const steps = [{ calls: [{ name: "shell", arguments: { cmd: "sleep 2" } }] }, { text: "Done." }];
  const server = fakeOpenAI(steps);
  const cwd = tempDir({});
  const file = join(cwd, "starts");
  const entry = {
    type: "mcp",
    command: process.execPath,
    args: [SERVER, file, "after-start"],
    name: "m",
    lifecycle: { max_restarts: -1, backoff: { initial: "100ms", max: "100ms" } },
  };
  await Bun.write(join(cwd, "agent.json"), agentFor(server, { toolsets: [{ type: "shell" }, entry] }));
  const { code, stderr } = await hooksh(
    ["run", "agent.json", "--yolo", "--debug", "--log-file", join(cwd, "debug"), "go"],
    { cwd },
  );
  server.stop();
  expect({ code, stderr: stderr.replace(/.*debug.*\n/g, "") }).toMatchObject({ code: 0 });
  const starts = readFileSync(file, "utf8");
  expect(starts.split("start\n").length).toBeGreaterThan(2);
  expect(readFileSync(join(cwd, "debug"), "utf8")).toContain(
    "MCP server m exited with code 7; it is restarted in 100ms (restart 1)",
  );
  await Bun.sleep(500);
  expect(readFileSync(file, "utf8")).toBe(starts);
});
