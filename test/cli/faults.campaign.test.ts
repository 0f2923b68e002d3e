/** Faults of a provider, each with its result: exit code, requests, events, and the next request. */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { contractOf } from "../../src/protocol/events.ts";
import { binary, cleanEnv, hooksh } from "../helpers/binary.ts";
import { agentFor, type FakeOpenAI, type Step } from "../helpers/fake-openai.ts";
import { modelServers } from "../helpers/model-server.ts";
import { ORDINARY_EVENTS } from "../helpers/ordinary-events.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const serve = modelServers();

/** Hooks on every event, each of which appends its input to a log. */
function logTo(cwd: string): Record<string, unknown> {
  const hook = { type: "command", command: `cat >> ${join(cwd, "events.log")}` };
  const entries = (event: (typeof ORDINARY_EVENTS)[number]) =>
    contractOf(event).matcher ? [{ hooks: [hook] }] : [hook];
  return Object.fromEntries(ORDINARY_EVENTS.map((event) => [event, entries(event)]));
}

function logIn(cwd: string): Record<string, unknown>[] {
  return readFileSync(join(cwd, "events.log"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

interface Outcome {
  code: number;
  stderr: string;
  /** The codes of the reported errors. */
  errors: unknown[];
  requests: number;
  events: string[];
  inputs: Record<string, unknown>[];
  /** The messages in the session's next request, without system messages. */
  next: FakeOpenAI["requests"][number]["messages"];
}

/**
 * Runs a session against a server that plays a script, then sends one more message to the same session. `earlier` is sent
 * in an earlier process, whose events do not count.
 */
async function run(script: Step[], keys: Record<string, unknown> = {}, earlier?: string): Promise<Outcome> {
  const server = serve(...script, { text: "again" });
  const cwd = tempDir();
  await Bun.write(join(cwd, "agent.yaml"), agentFor(server, { hooks: logTo(cwd), ...keys }));
  const args = ["run", "agent.yaml", "--json", "--yolo", "--session", "s"];
  if (earlier !== undefined) {
    await hooksh([...args, earlier], { cwd });
    rmSync(join(cwd, "events.log"));
  }
  const { code, stderr, lines } = await hooksh([...args, "go"], { cwd });
  const errors = lines()
    .filter(({ type }) => type === "error")
    .map((line) => line["code"]);
  const requests = server.requests.length;
  const inputs = logIn(cwd);
  await hooksh([...args, "more"], { cwd });
  const next = server.requests.at(-1)?.messages.filter(({ role }) => role !== "system") ?? [];
  const events = inputs.map(({ hook_event_name }) => String(hook_event_name));
  return { code, stderr, errors, requests, inputs, events, next };
}

const status =
  (code: number, body: unknown = { error: { message: `refused with ${code}` } }, headers = {}): Step =>
  () =>
    Response.json(body, { status: code, headers });

const stream =
  (...lines: string[]): Step =>
  () =>
    new Response(lines.map((line) => `data: ${line}\n\n`).join(""), {
      headers: { "content-type": "text/event-stream" },
    });

/** An answer whose connection breaks off. */
const broken: Step = () => {
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(`data: ${piece("half an ")}\n\n`));
      setTimeout(() => controller.error(new Error("broken")), 20);
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
};

const piece = (content: string) =>
  JSON.stringify({ id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta: { content } }] });

const OPENING = ["session_start", "user_prompt_submit", "turn_start", "before_llm_call"];
const FAILED = [...OPENING, "notification", "on_error", "turn_end", "on_user_input", "session_end"];
const GUARDED = ["response_guard", "after_llm_call", "stop_guard", "stop"];
const ANSWERED = [...OPENING, ...GUARDED, "turn_end", "on_user_input", "session_end"];

/** Checks that a result follows every tool call, and that no message is empty. */
function expectValid(messages: Outcome["next"]): void {
  const open = new Set<string>();
  for (const message of messages) {
    if (message.role === "tool") expect(open.delete(message.tool_call_id ?? "")).toBe(true);
    else expect([...open]).toEqual([]);
    const { tool_calls: calls = [] } = message as { tool_calls?: { id: string }[] };
    for (const { id } of calls) open.add(id);
    expect(message.content || calls.length > 0).toBeTruthy();
  }
  expect([...open]).toEqual([]);
}

const failing = stream(piece("ha"), '{"error":{"message":"an internal error"}}');
const usedUp = { error: { message: "refused with 429", code: "insufficient_quota" } };
const empty = stream();
const page: Step = () => new Response("<h1>Hello</h1>", { headers: { "content-type": "text/html" } });
const OK: Step = { text: "fine" };

describe("a fault that ends the run", () => {
  test.each<[name: string, script: Step[], code: string, text: string]>([
    ["401", [status(401)], "model_error", "401"],
    ["403", [status(403)], "model_error", "403"],
    ["404", [status(404)], "model_error", "404"],
    ["429 for a quota that is used up", [status(429, usedUp)], "rate_limited", "429"],
    ["429 that wants a long wait", [status(429, {}, { "retry-after": "3600" })], "rate_limited", "429"],
    ["500 every time", [status(500), status(500), status(500)], "model_error", "500"],
    ["an error that is not JSON", [() => new Response("<h1>Bad gateway</h1>", { status: 400 })], "model_error", "400"],
    ["answers that are cut", [stream(piece("ha")), stream(piece("ha")), stream(piece("ha"))], "model_error", ""],
    ["connections that break", [broken, broken, broken], "model_error", ""],
    ["invalid answers", [stream("{nonsense"), stream("{nonsense"), stream("{nonsense")], "model_error", ""],
    ["errors in the middle of answers", [failing, failing, failing], "model_error", "an internal error"],
    ["a page instead of an answer", [page], "model_error", "a web page"],
    ["empty bodies", [empty, empty, empty], "model_error", ""],
  ])("%s", async (_name, script, code, text) => {
    const outcome = await run(script);
    expect(outcome).toMatchObject({ code: 1, errors: [code], requests: script.length, events: FAILED });
    const told = [FAILED.indexOf("notification"), FAILED.indexOf("on_error")].map((index) => outcome.inputs[index]);
    expect(told[0]?.["notification_message"]).toBe(told[1]?.["notification_message"]);
    expect(String(told[0]?.["notification_message"])).toContain(text);
    expect(outcome.stderr).not.toContain("hooksh has a bug");
    expect(outcome.next.map(({ role, content }) => [role, content])).toEqual([["user", "go\n\nmore"]]);
  });
});

describe("a fault that a retry fixes", () => {
  test.each<[name: string, faults: Step[]]>([
    ["500", [status(500)]],
    ["503 twice", [status(503), status(503)]],
    ["408", [status(408)]],
    ["529", [status(529)]],
    ["429", [status(429)]],
    ["429 that says when to come back", [status(429, {}, { "retry-after": "1" })]],
    ["an answer that is cut", [stream(piece("half an "))]],
    ["a connection that breaks", [broken]],
    ["an invalid answer", [stream("{nonsense")]],
    ["an empty body", [empty]],
  ])("%s", async (_name, faults) => {
    const outcome = await run([...faults, OK]);
    expect(outcome).toMatchObject({ code: 0, requests: faults.length + 1, events: ANSWERED });
    expect(outcome.next.map(({ content }) => content)).toEqual(["go", "fine", "more"]);
  });

  test("by another model, which hooks then see", async () => {
    const other = serve(OK, { text: "again" });
    const server = serve(status(401));
    const cwd = tempDir();
    const agent = JSON.parse(agentFor(server, { hooks: logTo(cwd), fallback: { models: ["spare/model"] } }));
    agent.providers.spare = { base_url: other.url };
    await Bun.write(join(cwd, "agent.yaml"), JSON.stringify(agent));
    const ran = await hooksh(["run", "agent.yaml", "--json", "go", "more"], { cwd });
    expect(ran.code).toBe(0);
    const inputs = logIn(cwd);
    const ids = (event: string) =>
      inputs.filter(({ hook_event_name }) => hook_event_name === event).map(({ model_id }) => model_id);
    expect(ids("before_llm_call")).toEqual(["fake/model", "fake/model"]);
    expect(ids("after_llm_call")).toEqual(["spare/model", "spare/model"]);
    const switches = ran.lines().filter(({ type }) => type === "model_fallback");
    expect(switches).toMatchObject([{ failed_model: "fake/model", fallback_model: "spare/model" }]);
  });
});

describe("a reply with a tool call", () => {
  const call = (text: string, name = "shell"): Step => ({ calls: [{ name, arguments: text }] });

  test.each<[name: string, text: string]>([
    ["cut off", '{"cmd": "touch x'],
    ["no object", '["touch x"]'],
    ["not JSON", "touch x"],
    ["of the wrong type", '{"cmd": {"a": 1}}'],
  ])("with arguments that are %s gets an error result, and nothing runs", async (_name, text) => {
    const outcome = await run([call(text), OK]);
    expect(outcome.code).toBe(0);
    expect(outcome.events).not.toContain("pre_tool_use");
    expect(outcome.events).not.toContain("on_tool_approval_decision");
    const told = outcome.inputs.find(({ hook_event_name }) => hook_event_name === "tool_response_transform");
    expect(told).toMatchObject({ tool_error: true, tool_response: expect.stringContaining("malformed arguments") });
    expectValid(outcome.next);
  });

  test("with an unknown name gets an error result", async () => {
    const outcome = await run([call("{}", "no_such_tool"), OK]);
    expect(outcome.code).toBe(0);
    expect(outcome.next.find(({ role }) => role === "tool")?.content).toContain("'no_such_tool' is not available");
    expectValid(outcome.next);
  });

  test("that then fails leaves a history that every provider accepts", async () => {
    const outcome = await run([call('{"cmd":"echo done"}'), status(400)]);
    expect(outcome.code).toBe(1);
    expect(outcome.events.filter((event) => event === "post_tool_use")).toHaveLength(1);
    expectValid(outcome.next);
    expect(outcome.next.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
  });
});

describe("a conversation that no longer fits", () => {
  const error = { code: "context_length_exceeded", message: "maximum context length is 10 tokens" };
  const overflow = status(400, { error });

  test("is summarised once and continues", async () => {
    const outcome = await run([OK, overflow, { text: "SUMMARY" }, OK], {}, "earlier");
    expect(outcome).toMatchObject({ code: 0, requests: 4 });
    expect(outcome.events).toEqual([
      ...OPENING,
      "pre_compact",
      "before_compaction",
      "after_compaction",
      "turn_end",
      ...ANSWERED.slice(2),
    ]);
    expect(outcome.next.map(({ content }) => content)).toEqual(["Session Summary: SUMMARY\n\ngo", "fine", "more"]);
  });

  test("ends the run if it still does not fit", async () => {
    const outcome = await run([OK, overflow, { text: "SUMMARY" }, overflow], {}, "earlier");
    expect(outcome).toMatchObject({ code: 1, requests: 4 });
    expect(outcome.events.filter((event) => event === "on_error")).toHaveLength(1);
  });

  test("and contains only the question ends the run: the same request is not sent again", async () => {
    const outcome = await run([overflow]);
    expect(outcome).toMatchObject({ code: 1, requests: 1, errors: [undefined, "context_exceeded"] });
    expect(outcome.next.map(({ content }) => content)).toEqual(["go\n\nmore"]);
  });
});

describe("a slow session_end hook", () => {
  test.each([[[]], [["--json"]]])("is waited for, even after an error: %j", async (flags) => {
    const server = serve(status(400));
    const hooks = { session_end: [{ type: "command", command: "sleep 1; touch ended" }] };
    const cwd = tempDir({ "agent.yaml": agentFor(server, { hooks }) });
    expect((await hooksh(["run", "agent.yaml", ...flags, "go"], { cwd })).code).toBe(1);
    expect(await Bun.file(join(cwd, "ended")).exists()).toBe(true);
  });
});

test("--yolo continues past max_iterations five times per message, and reports each", async () => {
  const call = (n: number): Step => ({ calls: [{ name: "shell", arguments: { cmd: `echo ${n}` } }] });
  const server = serve(...Array.from({ length: 51 }, (_, n) => call(n)));
  const hooks = { on_session_resume: [{ type: "command", command: "cat >> resumed.log" }] };
  const cwd = tempDir({ "agent.yaml": agentFor(server, { hooks, max_iterations: 1 }) });
  const ran = await hooksh(["run", "agent.yaml", "--yolo", "go"], { cwd });
  expect(ran.code).toBe(124);
  expect(ran.stderr.match(/^⚠️ {2}\d+ iterations? used up: autonomous mode goes on \(\d of 5 times\)$/gm)).toHaveLength(
    5,
  );
  expect(ran.stderr).toContain("\nstopped by max_iterations 1: root has taken 51 iterations; to continue: ");
  const resumed = readFileSync(join(cwd, "resumed.log"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(resumed.map(({ previous_max_iterations: from, new_max_iterations: to }) => [from, to])).toEqual([
    [1, 11],
    [11, 21],
    [21, 31],
    [31, 41],
    [41, 51],
  ]);
});

test.each(["SIGINT", "SIGTERM"] as const)("%s during a slow reply is not an error of the provider", async (signal) => {
  const asked = Promise.withResolvers<void>();
  const server = serve(() => {
    asked.resolve();
    return new Promise<Response>(() => {});
  });
  const cwd = tempDir();
  await Bun.write(join(cwd, "agent.yaml"), agentFor(server, { hooks: logTo(cwd) }));
  const options = { cwd, env: cleanEnv(cwd), stdin: "ignore", stdout: "pipe", stderr: "pipe" } as const;
  const child = Bun.spawn([binary(), "run", "agent.yaml", "go"], options);
  await asked.promise;
  child.kill(signal);
  expect(await child.exited).toBe(130);
  const inputs = logIn(cwd);
  expect(inputs.map(({ hook_event_name }) => String(hook_event_name))).toEqual([...OPENING, "turn_end", "session_end"]);
  expect(inputs.at(-2)).toMatchObject({ reason: "canceled" });
});

test("SIGINT while an MCP server starts ends the start and the started processes", async () => {
  const cwd = tempDir();
  const pidFile = join(cwd, "pid");
  const slow = {
    type: "mcp",
    command: "sh",
    args: ["-c", `echo $$ > ${pidFile}.new; mv ${pidFile}.new ${pidFile}; exec sleep 600`],
  };
  await Bun.write(join(cwd, "agent.yaml"), agentFor({ url: "http://127.0.0.1:9/v1" }, { toolsets: [slow] }));
  const child = Bun.spawn([binary(), "run", "agent.yaml", "go"], {
    cwd,
    env: cleanEnv(cwd),
    stdin: "ignore",
    stderr: "pipe",
  });
  while (!existsSync(pidFile)) await Bun.sleep(10);
  child.kill("SIGINT");
  expect(await child.exited).toBe(130);
  const pid = Number(readFileSync(pidFile, "utf8"));
  expect(() => process.kill(pid, 0)).toThrow("ESRCH");
});
