import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bridgePlugin, readBridgePlugin } from "../../../src/hosts/registration/bridge-plugin.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

const EVENTS = ["tool.execute.before", "tool.execute.after", "permission.ask", "chat.message", "session.idle"];

/** A module that loads the plugin as opencode does, calls one handler, and prints what came of it. */
const HARNESS = `
import { writeFileSync } from "node:fs";
const [plugin, handler, input, output] = process.argv.slice(2);
const module = await import(plugin);
const toasts = [];
const tui = { showToast: async ({ body }) => void toasts.push(body.message) };
const handlers = await module.default({ directory: "/work", client: { tui }, $: () => {} });
const given = JSON.parse(output);
let thrown;
try {
  await handlers[handler]?.(JSON.parse(input), given);
} catch (error) {
  thrown = error.message;
}
console.log(JSON.stringify({ exports: Object.keys(module), handlers: Object.keys(handlers), output: given, thrown, toasts }));
`;

interface Outcome {
  exports: string[];
  handlers: string[];
  output: Record<string, unknown>;
  thrown?: string;
  /** What it showed on the screen of opencode, and printed. */
  toasts: string[];
  stderr: string;
  /** What hooksh read. */
  read?: Record<string, unknown>;
}

const RUNTIMES = [
  ["bun", process.execPath],
  ["node", Bun.which("node")],
].filter((row): row is [string, string] => row[1] !== null);

/** Runs a handler of the plugin with a program instead of hooksh that prints `answer` after reading its input. */
function runHandler(
  runtime: string,
  {
    handler,
    input,
    output = {},
    answer = "{}",
    code = 0,
    events = EVENTS,
    program,
  }: {
    handler: string;
    input: unknown;
    output?: unknown;
    answer?: string;
    code?: number;
    events?: string[];
    program?: string;
  },
): Outcome {
  const dir = tempDir({
    "harness.mjs": HARNESS,
    "hooksh!x": `#!/bin/sh\ncd "$(dirname "$0")" && cat > read.json && cat answer && echo problem >&2\nexit ${code}\n`,
    answer,
  });
  const hooksh = program ?? join(dir, "hooksh");
  const plugin = join(dir, "hooksh.mjs");
  const text = bridgePlugin(events.map((event) => ({ program: [hooksh], dialect: "opencode", event })));
  writeFileSync(plugin, text);
  const ran = Bun.spawnSync(
    [runtime, join(dir, "harness.mjs"), plugin, handler, JSON.stringify(input), JSON.stringify(output)],
    { cwd: dir, env: { PATH: process.env["PATH"] ?? "" } },
  );
  if (ran.exitCode !== 0) throw new Error(ran.stderr.toString());
  const file = join(dir, "read.json");
  const read = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
  return { ...JSON.parse(ran.stdout.toString()), read, stderr: ran.stderr.toString() };
}

const TOOL = { tool: "bash", sessionID: "s1", callID: "c1" };
const specific = (fields: object) => JSON.stringify({ hook_specific_output: fields });

describe.each(RUNTIMES)("the plugin of opencode, in %s", (_name, runtime) => {
  test("exports one function, and handles the events of the policy alone", () => {
    const outcome = runHandler(runtime, { handler: "none", input: {}, events: ["tool.execute.before"] });
    expect(outcome.exports).toEqual(["default"]);
    expect(outcome.handlers).toEqual(["tool.execute.before", "event"]);
  });

  test("asks before a tool, and does nothing if hooksh has no opinion", () => {
    const outcome = runHandler(runtime, {
      handler: "tool.execute.before",
      input: TOOL,
      output: { args: { command: "ls" } },
    });
    expect(outcome).toMatchObject({ output: { args: { command: "ls" } } });
    expect(outcome.thrown).toBeUndefined();
    expect(outcome.read).toEqual({
      hook_event_name: "tool.execute.before",
      session_id: "s1",
      cwd: "/work",
      tool_name: "bash",
      tool_use_id: "c1",
      tool_input: { command: "ls" },
    });
  });

  test("throws the reason of a denial", () => {
    const answer = JSON.stringify({ decision: "block", reason: "no" });
    const outcome = runHandler(runtime, { handler: "tool.execute.before", input: TOOL, output: { args: {} }, answer });
    expect(outcome.thrown).toBe("no");
  });

  test("rewrites the arguments in place, without those that the rewrite drops", () => {
    const answer = specific({ updated_input: { command: "ls -l" } });
    const output = { args: { command: "ls", timeout: 5 } };
    expect(runHandler(runtime, { handler: "tool.execute.before", input: TOOL, output, answer }).output).toEqual({
      args: { command: "ls -l" },
    });
  });

  test.each([
    ["exits with a code", { code: 2 }],
    ["prints no JSON", { answer: "oops" }],
    ["prints nothing", { answer: "" }],
    ["is not there", { program: "/nonexistent/hooksh" }],
  ])("throws before a tool, at a permission and at a prompt if hooksh %s", (_case, failure) => {
    for (const handler of ["tool.execute.before", "permission.ask", "chat.message"]) {
      const output = { args: {}, status: "ask", parts: [{ type: "text", text: "hi" }] };
      const outcome = runHandler(runtime, { handler, input: TOOL, output, ...failure });
      expect(outcome.thrown).toStartWith(`hooksh did not judge ${handler}: `);
      if (handler === "permission.ask") expect(outcome.output["status"]).toBe("deny");
    }
  });

  test("changes nothing after a tool if hooksh fails", () => {
    const output = { title: "t", output: "result", metadata: {} };
    const outcome = runHandler(runtime, { handler: "tool.execute.after", input: TOOL, output, code: 1 });
    expect(outcome.thrown).toBeUndefined();
    expect(outcome.output).toEqual(output);
  });

  test("replaces a result, and adds context to it", () => {
    const answer = specific({ updated_tool_response: "clean", additional_context: "formatted" });
    const outcome = runHandler(runtime, {
      handler: "tool.execute.after",
      input: TOOL,
      output: { output: "raw" },
      answer,
    });
    expect(outcome.output).toEqual({ output: "clean\nformatted" });
    expect(outcome.read).toMatchObject({ tool_response: "raw" });
  });

  test("sets the status of a permission", () => {
    const answer = specific({ permission_decision: "allow" });
    const outcome = runHandler(runtime, {
      handler: "permission.ask",
      input: { type: "bash", sessionID: "s" },
      output: { status: "ask" },
      answer,
    });
    expect(outcome.output).toEqual({ status: "allow" });
  });

  test("shows why a prompt was refused, because opencode does not", () => {
    const refused = (handler: string, answer: string) =>
      runHandler(runtime, {
        handler,
        input: { sessionID: "s", tool: "bash" },
        output: { args: {}, parts: [] },
        answer,
      });
    const prompt = refused("chat.message", JSON.stringify({ decision: "block", reason: "deploys are frozen" }));
    expect(prompt.thrown).toBe("deploys are frozen");
    expect(prompt.toasts).toEqual(["the prompt was refused: deploys are frozen"]);
    expect(prompt.stderr).toBe("hooksh: the prompt was refused: deploys are frozen\n");
    const call = refused("tool.execute.before", JSON.stringify({ decision: "block", reason: "no" }));
    expect([call.thrown, call.toasts, call.stderr]).toEqual(["no", [], ""]);
  });

  test("reads the texts of a prompt, and adds context to the last", () => {
    const output = { message: {}, parts: [{ type: "text", text: "a" }, { type: "file" }, { type: "text", text: "b" }] };
    const outcome = runHandler(runtime, {
      handler: "chat.message",
      input: { sessionID: "s" },
      output,
      answer: specific({ additional_context: "ctx" }),
    });
    expect(outcome.read).toMatchObject({ hook_event_name: "chat.message", session_id: "s", prompt: "a\nb" });
    expect(outcome.output["parts"]).toEqual([
      { type: "text", text: "a" },
      { type: "file" },
      { type: "text", text: "b\n\nctx" },
    ]);
  });

  test("reports events of the session", () => {
    const event = { type: "session.idle", properties: { sessionID: "s9" } };
    expect(runHandler(runtime, { handler: "event", input: { event } }).read).toEqual({
      hook_event_name: "session.idle",
      session_id: "s9",
      cwd: "/work",
    });
    const other = runHandler(runtime, {
      handler: "event",
      input: { event: { type: "server.connected", properties: {} } },
    });
    expect([other.read, other.thrown]).toEqual([undefined, undefined]);
  });
});

describe("readBridgePlugin", () => {
  test("reads the calls of a plugin, and of no other program", () => {
    const calls = EVENTS.map((event) => ({
      program: ["/opt/a 'b'/hooksh"],
      dialect: "opencode",
      event,
      hooksFile: "/h.yaml",
      deadline: "57s",
    }));
    const text = bridgePlugin(calls);
    expect(readBridgePlugin(text, "opencode")).toMatchObject(calls);
    expect(bridgePlugin(readBridgePlugin(text, "opencode") ?? [])).toBe(text);
    expect(readBridgePlugin("export default async () => ({});\n", "opencode")).toBeUndefined();
    expect(readBridgePlugin(text.replace('"--event"', "--event"), "opencode")).toBeUndefined();
  });
});
