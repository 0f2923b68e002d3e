import { describe, expect, test } from "bun:test";
import { mkdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hooksh } from "../helpers/binary.ts";
import { agentSpan, dispatchSpan, exampleRun, exportOf, hookSpan, modelSpan, otlpLines } from "../helpers/otlp.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { sentByScript } from "../helpers/terminal-run.ts";

/** A directory with a trace, and runs of `hooksh trace` in it. */
function setUp(trace: string = otlpLines([exampleRun()])) {
  const cwd = tempDir({ "run.jsonl": trace });
  const show = (args: readonly string[] = [], env: Record<string, string> = {}) =>
    hooksh(["trace", "run.jsonl", ...args], { cwd, env: { COLUMNS: "100", ...env } });
  return { cwd, show };
}

/** The names in the order of the rows. */
const namesIn = (text: string) =>
  [...text.matchAll(/(?:agent|model|tool|event|hook) ([^\s:]+)/g)].map(([, name]) => name);

const span = (spec: Record<string, unknown> = {}) => ({
  traceId: "ab".repeat(16),
  spanId: "cd".repeat(8),
  name: "work",
  startTimeUnixNano: "1750000000000000000",
  endTimeUnixNano: "1750000000005000000",
  ...spec,
});

describe("the waterfall", () => {
  test("shows each span below its parent, in order of time, with its verdict, duration and reason", async () => {
    const { show } = setUp();
    const { code, stdout, stderr } = await show();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toStartWith(
      "run.jsonl: 15 spans, 5 s, 1 denied, 1 failed\n\nsession 0199-session-one · 2026-10-21 09:30:00 UTC\n",
    );
    expect(namesIn(stdout)).toEqual(
      "root session_start add_environment_info gpt-5-mini shell pre_tool_use guard.sh lint gpt-5-mini read_file pre_tool_use guard.sh post_tool_use format stop".split(
        " ",
      ),
    );
    expect(stdout).toMatch(/├ tool shell: git push --force +denied +190 ms +█▍\n/);
    expect(stdout).toMatch(/│ {3}├ hook guard.sh +deny +180 ms .*\n│ {3}│ {3}no force push: push a new branch\n/);
    expect(stdout).toMatch(/hook lint +would ask +40 ms/);
    expect(stdout).toMatch(/hook format +timed out +1 s .*\n.*timed out after 1 s\n/);
  });

  test.each([40, 56, 70, 100, 200])("fits a terminal of %d columns", async (columns) => {
    const { stdout } = await setUp().show([], { COLUMNS: String(columns) });
    const widths = stdout
      .split("\n")
      .slice(2)
      .map((line) => Bun.stringWidth(line));
    expect(Math.max(...widths)).toBeLessThanOrEqual(columns);
    expect(stdout).toContain("pre_tool");
    expect(stdout.includes("█")).toBe(columns >= 56);
  });

  test("of a long list, a denial and the slowest span are shown, wherever they are", async () => {
    const denied = { attributes: { "hooksh.decision": "deny", "hooksh.reason": "not here" } };
    const dispatches = Array.from({ length: 50 }, (_none, at) =>
      dispatchSpan("pre_tool_use", [], { at, takes: at === 41 ? 77 : 1, ...(at === 30 ? denied : {}) }),
    );
    const { stdout } = await setUp(otlpLines(dispatches)).show();
    expect(stdout).toContain("not here");
    expect(stdout).toMatch(/pre_tool_use +77 ms/);
    expect(stdout).toContain("45 of 50 spans are not shown");
  });

  test("trees of a session that follow each other within a second share a scale", async () => {
    const session = { attributes: { "gen_ai.conversation.id": "0199-session-one" } };
    const near = dispatchSpan("session_start", [], { takes: 100, ...session });
    const run = agentSpan("root", [], { at: 100, takes: 900 });
    const later = dispatchSpan("session_end", [], { at: 60_000, takes: 100, ...session });
    const { stdout } = await setUp(otlpLines([near, run, later])).show();
    const bars = stdout.split("\n").flatMap(
      (line) =>
        /(?<= ms )( *)(█+)/
          .exec(line)
          ?.slice(1)
          .map((part) => part.length) ?? [],
    );
    expect(bars).toEqual([0, 3, 3, 31, 0, 35]);
  });

  test("text of a trace cannot move the cursor or forge a line", async () => {
    const evil = "\u001b[2Jgone\u001b]0;title\u0007\r\nforged \u202e";
    const { stdout } = await setUp(
      otlpLines([hookSpan(evil, { attributes: { "hooksh.decision": "deny", "hooksh.hook.message": evil } })]),
    ).show([], { COLUMNS: "200" });
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(stdout).toContain("\\x1b[2Jgone");
    expect(stdout.split("\n").filter((line) => line.startsWith("forged"))).toEqual([]);
  });

  test("a span whose parent is missing is a root, and a cycle of parents ends", async () => {
    const one = span({ spanId: "11".repeat(8), parentSpanId: "22".repeat(8), name: "one" });
    const two = span({ spanId: "22".repeat(8), parentSpanId: "11".repeat(8), name: "two" });
    const lost = span({ spanId: "33".repeat(8), parentSpanId: "44".repeat(8), name: "lost" });
    const { stdout } = await setUp(`${JSON.stringify(exportOf([one, two, lost]))}\n`).show();
    expect(stdout).toMatch(/^one .*\n└ two .*\nlost /m);
  });

  test("a chain of 20,000 spans does not overflow the stack", async () => {
    const id = (index: number) => (index + 1).toString(16).padStart(16, "0");
    const chain = Array.from({ length: 20_000 }, (_none, index) =>
      span({ spanId: id(index), ...(index > 0 ? { parentSpanId: id(index - 1) } : {}) }),
    );
    const { code, stdout } = await setUp(JSON.stringify(exportOf(chain))).show(["--all"]);
    expect(code).toBe(0);
    expect(stdout.match(/\bwork\b/g)).toHaveLength(20_000);
  });

  test("colours are for a terminal, unless NO_COLOR or --no-color turns them off", async () => {
    const { cwd, show } = setUp();
    expect((await show()).stdout).not.toContain("\x1b");
    expect(await sentByScript(cwd, '"$0" trace run.jsonl')).toContain("\x1b[31mdeny");
    expect(await sentByScript(cwd, '"$0" trace run.jsonl --no-color')).not.toContain("\x1b[31m");
    expect(await sentByScript(cwd, 'NO_COLOR=1 "$0" trace run.jsonl')).not.toContain("\x1b[31m");
  });
});

describe("filters", () => {
  test("--min leaves out short spans and says how many, and keeps those above long ones", async () => {
    const { stdout } = await setUp().show(["--min", "1s"]);
    expect(namesIn(stdout)).toEqual(["root", "gpt-5-mini", "gpt-5-mini", "read_file", "post_tool_use", "format"]);
    expect(stdout).toEndWith("9 of 15 spans are left out by --min or --errors\n");
  });

  test("--errors keeps what failed or was denied", async () => {
    const { stdout } = await setUp().show(["--errors"]);
    expect(namesIn(stdout)).toEqual([
      "root",
      "shell",
      "pre_tool_use",
      "guard.sh",
      "read_file",
      "post_tool_use",
      "format",
    ]);
  });

  test("a duration that is none is a usage error", async () => {
    const { code, stderr } = await setUp().show(["--min", "soon"]);
    expect({ code, stderr }).toEqual({
      code: 64,
      stderr: expect.stringContaining('--min takes a duration such as 5ms or 2s, not "soon"'),
    });
  });

  test("--session takes the start of an id that only one session has", async () => {
    const other = agentSpan("other", [modelSpan("opus")], {
      attributes: { "gen_ai.conversation.id": "0199-session-two" },
    });
    const { show } = setUp(otlpLines([exampleRun()]) + otlpLines([other]));
    const { stdout } = await show(["--session", "0199-session-tw"]);
    expect(stdout).toStartWith("session 0199-session-two: 2 spans");
    expect(namesIn(stdout)).toEqual(["other", "opus"]);
    expect(await show(["--session", "0199-s"])).toMatchObject({
      code: 64,
      stderr: expect.stringContaining("0199-session-one, 0199-session-two"),
    });
    expect(await show(["--session", "0199"])).toMatchObject({
      code: 64,
      stderr: expect.stringContaining("at least its first 6 characters"),
    });
    expect(await show(["--session", "nothing"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("no trace of session nothing in run.jsonl"),
    });
  });
});

describe("reading", () => {
  test("a broken line that nests without end is reported", async () => {
    const { show } = setUp(`${JSON.stringify(exportOf([span()]))}\n${"[".repeat(300_000)}\n`);
    const { code, stdout, stderr } = await show();
    expect([code, stderr]).toEqual([0, expect.stringContaining("run.jsonl:2:1: holds a value that has no end")]);
    expect(stdout).toContain("1 span");
  });

  test("a broken line is reported with its place, and the rest is shown", async () => {
    const line = JSON.stringify(exportOf([span()]));
    const { show } = setUp(
      `${line}\n${line.slice(0, 50)}\n{"resourceSpans": oops}\n[]\n${JSON.stringify(exportOf([{ name: "no ids" }]))}\n${line}\n`,
    );
    const { code, stdout, stderr } = await show();
    expect(code).toBe(0);
    expect(stdout).toContain("2 spans");
    expect(stderr).toContain("run.jsonl:2:47: ");
    expect(stderr).toContain("run.jsonl:3:19: ");
    expect(stderr).toContain("run.jsonl:4:1: is not an OTLP trace");
    expect(stderr).toContain("run.jsonl:5:1: resourceSpans[0].scopeSpans[0].spans[0] has no spanId");
  });

  test("a file of another tool is one object over many lines, with numbers where hooksh writes text", async () => {
    const foreign = span({
      startTimeUnixNano: 1750000000000000000,
      status: { code: "STATUS_CODE_ERROR", message: "no route" },
      attributes: [
        { key: "http.retries", value: { intValue: 3 } },
        { key: "tags", value: { arrayValue: { values: [{ stringValue: "a" }] } } },
      ],
    });
    const { show } = setUp(JSON.stringify(exportOf([foreign]), undefined, 2));
    expect((await show()).stdout).toMatch(/work +failed +5 ms .*\n +no route/);
    const { spans } = JSON.parse((await show(["--json"])).stdout);
    expect(spans[0].attributes).toEqual([
      ["http.retries", "3"],
      ["tags", '["a"]'],
    ]);
  });

  test("standard input is the file -", async () => {
    const { cwd } = setUp();
    const { stdout } = await hooksh(["trace", "-"], { cwd, input: otlpLines([modelSpan("opus")]) });
    expect(stdout).toStartWith("standard input: 1 span, 900 ms\n");
  });

  test("a value that nests too deep and a file that is no trace are errors, not crashes", async () => {
    const deep = `{"resourceSpans":${"[".repeat(5000)}${"]".repeat(5000)}}`;
    expect(await setUp(deep).show()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("run.jsonl:1:1: nests deeper than 100 levels"),
    });
    const noise = await setUp("no json\n".repeat(100)).show();
    expect(noise.code).toBe(1);
    expect(noise.stderr).toContain("run.jsonl: 80 more problems");
    expect(noise.stderr).toContain("run.jsonl: no spans");
  });

  test("without a file, the newest trace of the data directory is shown, or the one that HOOKSH_TRACE names", async () => {
    const { cwd } = setUp();
    const traces = join(cwd, ".home/.hooksh/traces");
    mkdirSync(traces, { recursive: true });
    writeFileSync(join(traces, "2026-10-20.jsonl"), otlpLines([modelSpan("older")]));
    writeFileSync(join(traces, "2026-10-21.jsonl"), otlpLines([modelSpan("newer")]));
    utimesSync(join(traces, "2026-10-20.jsonl"), 1, 1);
    const show = (env: Record<string, string> = {}) => hooksh(["trace"], { cwd, env });
    expect((await show()).stdout).toContain("newer");
    expect((await show({ HOOKSH_TRACE: join(cwd, "run.jsonl") })).stdout).toStartWith("run.jsonl: 15 spans");
    expect(await show({ HOOKSH_TRACE: "gone.jsonl" })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("gone.jsonl: no such file"),
    });
  });

  test("without any trace, the error says how to switch tracing on", async () => {
    const { code, stderr } = await hooksh(["trace"], { cwd: tempDir() });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining("switch tracing on with run --trace FILE, HOOKSH_TRACE=1 or settings.trace"),
    });
  });
});

test("--json prints the spans, parents first, and the durations of each hook", async () => {
  const { spans, hooks, origin } = JSON.parse((await setUp().show(["--json"])).stdout);
  expect(spans).toHaveLength(15);
  expect(spans[0]).toMatchObject({ name: "root", kind: "agent", parent: -1, start: 0, milliseconds: 5000 });
  expect(spans[6]).toMatchObject({ name: "guard.sh", kind: "hook", verdict: "deny", tone: "bad", parent: 5 });
  expect(new Date(origin).toISOString()).toBe("2026-10-21T09:30:00.000Z");
  const guard = hooks.find(({ hook }: { hook: string }) => hook === "guard.sh");
  expect(guard).toEqual({
    hook: "guard.sh",
    event: "pre_tool_use",
    runs: 2,
    failures: 0,
    p50: 90,
    p95: 180,
    max: 180,
    total: 270,
  });
});

test("--perfetto and --json exclude each other, and two files are a usage error", async () => {
  const { show } = setUp();
  expect(await show(["--json", "--perfetto"])).toMatchObject({
    code: 64,
    stderr: expect.stringContaining("--perfetto and --json exclude each other"),
  });
  expect(await show(["--perfetto", "out.json"])).toMatchObject({
    code: 64,
    stderr: expect.stringContaining("--perfetto=FILE"),
  });
});

test("a page goes to standard output if that is no terminal", async () => {
  const { cwd, show } = setUp();
  expect((await show(["--html"])).stdout).toStartWith("<!doctype html>\n");
  const sent = await sentByScript(cwd, '"$0" trace run.jsonl --html');
  expect(sent).toContain("use --html=FILE, or redirect it");
  expect(sent).not.toContain("<!doctype");
});

test("an output file that cannot be written is an error with its name", async () => {
  const { show } = setUp();
  const { code, stderr } = await show(["--html=run.jsonl/x.html"]);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^run\.jsonl\/x\.html: cannot be written: /)]);
});

test("an output file is for its owner only", async () => {
  const { cwd, show } = setUp();
  expect(await show(["--perfetto=out.json"])).toMatchObject({ code: 0, stdout: "" });
  expect(statSync(join(cwd, "out.json")).mode & 0o777).toBe(0o600);
});
