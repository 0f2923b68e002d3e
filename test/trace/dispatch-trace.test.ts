import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { binary, cleanEnv, hooksh } from "../helpers/binary.ts";
import { serve } from "../helpers/served.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { checkTree, collector, readRequest, spansIn, type TestSpan, treeOf } from "./otlp-receiver.ts";

const PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const [, PARENT_TRACE = "", PARENT_SPAN = ""] = PARENT.split("-");
/** A key that the redaction knows by its shape. */
const SECRET = `ghp_${"A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8".slice(0, 36)}`;

const call = (cmd: string, more = {}) =>
  JSON.stringify({
    hook_event_name: "pre_tool_use",
    session_id: "s1",
    tool_name: "shell",
    tool_input: { cmd },
    tool_use_id: "c1",
    ...more,
  });

const command = (text: string, more = {}) => ({ type: "command", command: text, ...more });
const guarding = (...hooks: object[]) => JSON.stringify({ pre_tool_use: [{ matcher: "shell", hooks }] });

type Options = { args?: string[]; env?: Record<string, string>; input?: string };

/** Dispatches a tool call in a directory of its own, with `trace.jsonl` as the file to trace to. */
async function traced(hooks: string, { args = ["--trace", "trace.jsonl"], env, input = call("ls") }: Options = {}) {
  const cwd = tempDir({ "hooks.yaml": hooks });
  const all = ["dispatch", "--hooks-file", "hooks.yaml", ...args];
  const ran = await hooksh(all, { cwd, input, ...(env ? { env } : {}) });
  return { ...ran, cwd, spans: (remote: string[] = []) => spansIn(join(cwd, "trace.jsonl"), remote) };
}

const named = (spans: readonly TestSpan[], name: string) => spans.find((span) => span.name === name);

describe("a dispatch", () => {
  const hooks = guarding(
    command("exit 0", { name: "silent" }),
    command("echo 'not today' >&2; exit 2", { name: "guard" }),
    command("exit 3", { name: "broken" }),
    command("exit 2", { name: "observer", mode: "observe" }),
  );

  test("is a span with a child for each hook that ran", async () => {
    const { code, spans } = await traced(hooks);
    expect(code).toBe(2);
    expect(treeOf(spans())).toEqual([
      "hooksh.dispatch pre_tool_use",
      "  apply_guardrail silent",
      "  apply_guardrail guard",
      "  apply_guardrail broken",
      "  apply_guardrail observer",
    ]);
  });

  test("says what was decided, by whom and why", async () => {
    const { spans, cwd } = await traced(hooks);
    const all = spans();
    const [dispatch] = all;
    expect(dispatch?.attributes).toEqual({
      "hooksh.event": "pre_tool_use",
      "gen_ai.conversation.id": "s1",
      "gen_ai.tool.name": "shell",
      "gen_ai.tool.call.id": "c1",
      "hooksh.decision": "deny",
      "hooksh.reason": expect.stringContaining("not today"),
    });
    expect(dispatch?.status).toBeUndefined();
    expect(named(all, "apply_guardrail guard")?.attributes).toEqual({
      "gen_ai.operation.name": "apply_guardrail",
      "gen_ai.conversation.id": "s1",
      "hooksh.event": "pre_tool_use",
      "hooksh.decision": "deny",
      "hooksh.hook.decided": true,
      "hooksh.hook.name": "guard",
      "hooksh.hook.type": "command",
      "hooksh.hook.source": `${join(cwd, "hooks.yaml")}: hooks.pre_tool_use[0].hooks[1]`,
      "hooksh.hook.stage": "concurrent",
      "hooksh.hook.outcome": "blocked",
      "hooksh.hook.exit_code": 2,
      "hooksh.hook.matcher": "shell",
      "hooksh.hook.message": "not today",
    });
    expect(named(all, "apply_guardrail silent")?.attributes).toMatchObject({
      "hooksh.decision": "none",
      "hooksh.hook.outcome": "silent",
      "hooksh.hook.exit_code": 0,
    });
    expect(named(all, "apply_guardrail observer")?.attributes).toMatchObject({
      "hooksh.decision": "none",
      "hooksh.hook.mode": "observe",
      "hooksh.hook.would": "deny",
    });
  });

  test("has a hook that failed as an error", async () => {
    const { spans } = await traced(guarding(command("exit 3", { name: "broken" }), command("sleep 9", { timeout: 1 })));
    const all = spans();
    expect(named(all, "apply_guardrail broken")).toMatchObject({
      status: { code: 2, message: "exited with status 3" },
      attributes: { "error.type": "failed", "hooksh.hook.outcome": "failed" },
    });
    expect(named(all, "apply_guardrail sleep 9")).toMatchObject({
      status: { code: 2 },
      attributes: { "error.type": "timed_out", "hooksh.hook.outcome": "timed_out", "hooksh.hook.timeout_s": 1 },
    });
  });

  test("of another agent names it and its event", async () => {
    const payload = {
      session_id: "s2",
      hook_event_name: "PreToolUse",
      tool_name: "Bash",
      tool_input: { command: "ls" },
    };
    const { code, spans } = await traced(hooks, {
      args: ["--trace", "trace.jsonl", "--dialect", "claude"],
      input: JSON.stringify({ ...payload, tool_use_id: "t", transcript_path: "/t", cwd: "/" }),
    });
    expect(code).toBe(0);
    expect(spans()[0]?.attributes).toMatchObject({
      "hooksh.host": "claude",
      "hooksh.host.event": "PreToolUse",
      "gen_ai.conversation.id": "s2",
      "gen_ai.tool.name": "shell",
    });
  });
});

describe("the context", () => {
  test("that the process has is the parent, and hooks get that of the dispatch", async () => {
    const hooks = guarding(command('echo "$TRACEPARENT $TRACESTATE $BAGGAGE" > seen'));
    const env = { TRACEPARENT: PARENT, TRACESTATE: "a=1", BAGGAGE: "k=v" };
    const { cwd, spans } = await traced(hooks, { env });
    const [dispatch] = spans([PARENT_SPAN]);
    expect(dispatch).toMatchObject({ traceId: PARENT_TRACE, parentSpanId: PARENT_SPAN, traceState: "a=1" });
    expect((dispatch?.flags ?? 0) & 0x300).toBe(0x300);
    expect(readFileSync(join(cwd, "seen"), "utf8")).toBe(`00-${PARENT_TRACE}-${dispatch?.spanId}-01 a=1 k=v\n`);
  });

  test("that is invalid is replaced, with all that belongs to it", async () => {
    const hooks = guarding(command('echo "$TRACEPARENT|$TRACESTATE|$BAGGAGE" > seen'));
    const env = { TRACEPARENT: PARENT.toUpperCase(), TRACESTATE: "a=1", BAGGAGE: "no baggage" };
    const { cwd, spans } = await traced(hooks, { env });
    const [dispatch] = spans();
    expect(dispatch?.traceId).not.toBe(PARENT_TRACE);
    expect(readFileSync(join(cwd, "seen"), "utf8")).toBe(`00-${dispatch?.traceId}-${dispatch?.spanId}-01||\n`);
  });

  test("that the process has reaches hooks unchanged if tracing is off", async () => {
    const hooks = guarding(command('echo "$TRACEPARENT" > seen'));
    const { cwd } = await traced(hooks, { args: [], env: { TRACEPARENT: PARENT } });
    expect(readFileSync(join(cwd, "seen"), "utf8")).toBe(`${PARENT}\n`);
  });

  test("of a request to serve is the parent of its dispatch", async () => {
    const cwd = tempDir({ "hooks.yaml": guarding(command("exit 0")) });
    const server = await serve(cwd, ["--hooks-file", "hooks.yaml", "--trace", "trace.jsonl"]);
    const answer = await server.post("/hooksh", JSON.parse(call("ls")), { headers: { traceparent: PARENT } });
    expect(answer.status).toBe(200);
    await server.stop();
    expect(spansIn(join(cwd, "trace.jsonl"), [PARENT_SPAN])[0]).toMatchObject({
      name: "hooksh.dispatch pre_tool_use",
      traceId: PARENT_TRACE,
      parentSpanId: PARENT_SPAN,
    });
  });
});

describe("the file", () => {
  test("belongs to the user, and lines are appended", async () => {
    const { cwd } = await traced(guarding(command("exit 0")));
    const file = join(cwd, "trace.jsonl");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const args = ["dispatch", "--hooks-file", "hooks.yaml", "--trace", "trace.jsonl"];
    await hooksh(args, { cwd, input: call("ls") });
    expect(spansIn(file).filter(({ name }) => name.startsWith("hooksh.dispatch"))).toHaveLength(2);
  });

  test("of many processes at once holds whole lines only", async () => {
    const cwd = tempDir({ "hooks.yaml": guarding(command("exit 0")) });
    const args = ["dispatch", "--no-audit", "--hooks-file", "hooks.yaml", "--trace", "trace.jsonl"];
    const input = Array.from({ length: 20 }, () => call("ls")).join("\n");
    await Promise.all(Array.from({ length: 8 }, () => hooksh(args, { cwd, input })));
    const spans = spansIn(join(cwd, "trace.jsonl"));
    expect(spans.filter(({ name }) => name.startsWith("hooksh.dispatch"))).toHaveLength(160);
  });

  test.each<[string, string, (file: string) => unknown]>([
    ["is a directory", "trace.jsonl", (file) => mkdirSync(file)],
    ["is in a directory that does not exist", "missing/trace.jsonl", () => {}],
    ["is a FIFO that nobody reads", "trace.jsonl", (file) => Bun.spawnSync(["mkfifo", file])],
  ])("that %s is reported once, and changes no verdict", async (_what, name, prepare) => {
    const cwd = tempDir({ "hooks.yaml": guarding(command("echo no >&2; exit 2")) });
    prepare(join(cwd, name));
    const input = [call("ls"), call("ls")].join("\n");
    const args = ["dispatch", "--hooks-file", "hooks.yaml", "--output", "result", "--trace", name];
    const { code, stderr, lines } = await hooksh(args, { cwd, input });
    expect([code, lines().map(({ allowed }) => allowed)]).toEqual([2, [false, false]]);
    expect(stderr.split("\n").filter((line) => line.includes("cannot write the trace"))).toHaveLength(1);
  });

  test.each([
    ["HOOKSH_TRACE names it", { env: { HOOKSH_TRACE: "there.jsonl" } }, "there.jsonl"],
    [
      "--trace names it, whatever HOOKSH_TRACE says",
      { env: { HOOKSH_TRACE: "0" }, args: ["--trace", "a.jsonl"] },
      "a.jsonl",
    ],
  ])("is the one that %s", async (_what, options, file) => {
    const { cwd } = await traced(guarding(command("exit 0")), { args: [], ...options });
    expect(spansIn(join(cwd, file))).toHaveLength(2);
  });

  test.each([
    ["HOOKSH_TRACE=1", "", { HOOKSH_TRACE: "1" }, true],
    ["settings.trace: true", "settings: { trace: true }", {}, true],
    ["settings.trace: true and HOOKSH_TRACE=0", "settings: { trace: true }", { HOOKSH_TRACE: "0" }, false],
  ])("of the day is in the data directory with %s", async (_what, config, env: Record<string, string>, isThere) => {
    const cwd = tempDir({ "hooks.yaml": guarding(command("exit 0")), "config/config.yaml": config || "{}" });
    const data = join(cwd, "data");
    mkdirSync(data);
    const args = ["dispatch", "--hooks-file", "hooks.yaml", "--config-dir", "config", "--data-dir", data];
    expect((await hooksh(args, { cwd, input: call("ls"), env })).code).toBe(0);
    const file = join(data, "traces", `${new Date().toISOString().slice(0, 10)}.jsonl`);
    expect(existsSync(file)).toBe(isThere);
    if (isThere) expect(statSync(join(data, "traces")).mode & 0o777).toBe(0o700);
  });

  test("that settings.trace names is relative to the data directory", async () => {
    const cwd = tempDir({
      "hooks.yaml": guarding(command("exit 0")),
      "config/config.yaml": "settings: { trace: t.jsonl }",
    });
    mkdirSync(join(cwd, "data"));
    const args = ["dispatch", "--hooks-file", "hooks.yaml", "--config-dir", "config", "--data-dir", "data"];
    await hooksh(args, { cwd, input: call("ls") });
    expect(spansIn(join(cwd, "data/t.jsonl"))).toHaveLength(2);
  });
});

describe("content", () => {
  const hooks = guarding(command(`cat >/dev/null; echo '{"decision":"block","reason":"${SECRET} is in it"}'`));

  test.each(["", "NO_CONTENT", "EVENT_ONLY", "false"])(
    "is left out with %p, and texts hold no secret",
    async (mode) => {
      const env = { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: mode };
      const { cwd, spans, stderr } = await traced(hooks, { env, input: call("ls the-payload") });
      expect(stderr).not.toContain("OTEL");
      const text = readFileSync(join(cwd, "trace.jsonl"), "utf8");
      expect(text).not.toContain("the-payload");
      expect(text).not.toContain(SECRET);
      expect(spans()[0]?.attributes["hooksh.reason"]).toBe("[REDACTED] is in it");
    },
  );

  test.each(["SPAN_ONLY", "span_and_event", "true"])("is there with %p, without secrets", async (mode) => {
    const env = { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: mode };
    const { cwd, spans } = await traced(hooks, { env, input: call(`echo ${SECRET} the-payload`) });
    expect(readFileSync(join(cwd, "trace.jsonl"), "utf8")).not.toContain(SECRET);
    const { attributes } = spans()[1] as TestSpan;
    expect(JSON.parse(String(attributes["hooksh.hook.input"]))).toMatchObject({
      tool_input: { cmd: "echo [REDACTED] the-payload" },
    });
    expect(JSON.parse(String(attributes["hooksh.hook.output"]))).toMatchObject({ exit_code: 0 });
  });

  test("is cut, and stays JSON", async () => {
    const env = { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "SPAN_ONLY" };
    const { spans } = await traced(hooks, { env, input: call("x ".repeat(200_000)) });
    const input = String(spans()[1]?.attributes["hooksh.hook.input"]);
    expect(input.length).toBeLessThan(64 * 1024);
    expect(JSON.parse(input)).toMatchObject({ tool_input: { cmd: expect.stringContaining("characters cut]") } });
  });

  test("with a value that is none of the known ones is left out, with a warning", async () => {
    const env = { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "yes please" };
    const { spans, stderr } = await traced(hooks, { env });
    expect(stderr).toContain("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=yes please is not one of NO_CONTENT");
    expect(spans()[1]?.attributes).not.toHaveProperty("hooksh.hook.input");
  });
});

describe("a collector", () => {
  const hooks = guarding(command("echo no >&2; exit 2", { name: "guard" }));
  const json = { OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" };

  test("gets the spans if only its endpoint is set", async () => {
    using server = collector();
    const env = {
      ...json,
      OTEL_EXPORTER_OTLP_ENDPOINT: server.url,
      OTEL_EXPORTER_OTLP_HEADERS: "x-key=k1",
      OTEL_SERVICE_NAME: "guards",
      OTEL_RESOURCE_ATTRIBUTES: "team=red%2Fblue,service.name=other",
    };
    const { code, cwd, stderr } = await traced(hooks, { args: [], env });
    expect([code, stderr]).toEqual([2, "no\n"]);
    expect(existsSync(join(cwd, "trace.jsonl"))).toBe(false);
    const [{ path, headers, body }, ...others] = server.received as [(typeof server.received)[number]];
    expect([path, headers.get("content-type"), headers.get("x-key")]).toEqual(["/v1/traces", "application/json", "k1"]);
    expect(others).toEqual([]);
    const { spans, resource } = readRequest(JSON.parse(new TextDecoder().decode(body)));
    checkTree(spans);
    expect(treeOf(spans)).toEqual(["hooksh.dispatch pre_tool_use", "  apply_guardrail guard"]);
    expect(resource).toEqual({ "service.name": "guards", "service.version": expect.any(String), team: "red/blue" });
  });

  test("gets the same as the file", async () => {
    using server = collector();
    const env = { ...json, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${server.url}/v1/traces`, TRACEPARENT: PARENT };
    const { spans } = await traced(hooks, { env });
    const shown = ({ traceId, spanId, parentSpanId, name, kind, flags, start, end, attributes }: TestSpan) => ({
      ids: [traceId, spanId, parentSpanId],
      ...{ name, kind, flags, start, end, attributes },
    });
    const sent = server.spans().toSorted((a, b) => Number(a.start - b.start));
    expect(sent.map(shown)).toEqual(spans([PARENT_SPAN]).map(shown));
  });

  test("gets protobuf unless another protocol is named", async () => {
    using server = collector();
    await traced(hooks, { args: [], env: { OTEL_EXPORTER_OTLP_ENDPOINT: server.url } });
    const [request] = server.received;
    expect(request?.headers.get("content-type")).toBe("application/x-protobuf");
    expect(new TextDecoder().decode(request?.body)).toContain("hooksh.dispatch pre_tool_use");
  });

  test.each([
    ["OTEL_SDK_DISABLED=true", { OTEL_SDK_DISABLED: "true" }],
    ["OTEL_TRACES_EXPORTER=none", { OTEL_TRACES_EXPORTER: "none" }],
    ["HOOKSH_TRACE=0", { HOOKSH_TRACE: "0" }],
    ["OTEL_TRACES_SAMPLER=always_off", { OTEL_TRACES_SAMPLER: "always_off" }],
    ["a ratio of 0", { OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "0" }],
    ["a parent that is not sampled", { TRACEPARENT: PARENT.replace(/1$/, "0") }],
  ])("gets nothing with %s", async (_what, off: Record<string, string>) => {
    using server = collector();
    const { code, stderr } = await traced(hooks, {
      args: [],
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: server.url, ...off },
    });
    expect([code, stderr, server.received]).toEqual([2, "no\n", []]);
  });

  test("that does not sample leaves the file complete", async () => {
    const { cwd, spans } = await traced(guarding(command('echo "$TRACEPARENT" > seen')), {
      env: { OTEL_TRACES_SAMPLER: "always_off" },
    });
    expect(spans()).toHaveLength(2);
    expect(readFileSync(join(cwd, "seen"), "utf8")).toEndWith("-00\n");
  });

  test.each([
    ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"],
    ["OTEL_TRACES_EXPORTER", "zipkin"],
    ["OTEL_TRACES_SAMPLER", "jaeger_remote"],
    ["OTEL_RESOURCE_ATTRIBUTES", "no-pair"],
  ])("with a value of %s that hooksh does not have is a warning that names it", async (name, value) => {
    using server = collector();
    const { code, stderr } = await traced(hooks, {
      args: [],
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: server.url, [name]: value },
    });
    expect(code).toBe(2);
    expect(stderr).toContain(name);
    expect(stderr).toContain(value);
  });

  test.each([
    ["refuses connections", "http://127.0.0.1:1"],
    ["is no address", "nonsense"],
  ])("that %s is reported once, and the verdict stands", async (_what, endpoint) => {
    const input = [call("ls"), call("ls")].join("\n");
    const { code, stdout, stderr } = await traced(hooks, {
      args: ["--output", "result"],
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint },
      input,
    });
    expect([code, stdout.match(/"allowed":false/g)?.length]).toEqual([2, 2]);
    expect(stderr.split("\n").filter((line) => line.includes("the trace is not sent"))).toHaveLength(1);
  });

  test("that never answers delays no verdict, and is given up after 200 ms", async () => {
    using server = collector(() => new Promise<Response>(() => {}));
    const cwd = tempDir({ "hooks.yaml": hooks });
    const args = ["dispatch", "--hooks-file", "hooks.yaml", "--output", "result"];
    const env = cleanEnv(cwd, { OTEL_EXPORTER_OTLP_ENDPOINT: server.url });
    const child = Bun.spawn([binary(), ...args], {
      cwd,
      env,
      stdin: Buffer.from(call("ls")),
      stdout: "pipe",
      stderr: "pipe",
    });
    const { value } = await child.stdout.getReader().read();
    expect(new TextDecoder().decode(value)).toContain('"allowed":false');
    expect(await child.exited).toBe(2);
    expect(await child.stderr.text()).toContain("no answer within 200 ms");
  });
});

test("tracing off writes no file and keeps the environment", async () => {
  const { cwd } = await traced(guarding(command("env > seen")), { args: [] });
  expect(readFileSync(join(cwd, "seen"), "utf8")).not.toContain("TRACEPARENT");
  expect(existsSync(join(cwd, ".home/.hooksh/traces"))).toBe(false);
});

test("the audit log names the trace", async () => {
  const cwd = tempDir({ "hooks.yaml": guarding(command("exit 0")) });
  mkdirSync(join(cwd, "data"));
  const args = ["dispatch", "--hooks-file", "hooks.yaml", "--trace", "trace.jsonl", "--data-dir", "data"];
  await hooksh(args, { cwd, input: call("ls") });
  const month = new Date().toISOString().slice(0, 7);
  const entry = JSON.parse(readFileSync(join(cwd, "data/audit", `${month}.jsonl`), "utf8"));
  expect(entry.trace_id).toBe(spansIn(join(cwd, "trace.jsonl"))[0]?.traceId);
});
