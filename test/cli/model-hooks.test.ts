import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { hooksh } from "../helpers/binary.ts";
import { agentFor, type Step } from "../helpers/fake-openai.ts";
import { modelServers } from "../helpers/model-server.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const serve = modelServers();

const CALL = JSON.stringify({ hook_event_name: "pre_tool_use", tool_name: "shell", tool_input: { cmd: "rm -rf /" } });
const JUDGE = {
  type: "model",
  model: "fake/judge",
  schema: "pre_tool_use_decision",
  prompt: "May this run? {{ .ToolInput | toJSON }}",
  on_error: "ignore",
};

/** Dispatches a call for an agent whose shell calls a model judges. */
async function judge(server: { url: string }, args: string[] = []) {
  const cwd = tempDir({
    "agent.yaml": agentFor(server, { hooks: { pre_tool_use: [{ matcher: "shell", hooks: [JUDGE] }] } }),
  });
  const ran = await hooksh(["dispatch", "agent.yaml", "--output", "result", ...args], { cwd, input: CALL });
  return { code: ran.code, result: ran.lines()[0] };
}

describe("a judge", () => {
  test("is asked with the rendered prompt, and its verdict is used", async () => {
    const server = serve({ text: '{"decision":"deny","reason":"it deletes everything"}' });
    expect(await judge(server)).toMatchObject({
      code: 2,
      result: {
        allowed: false,
        decision: "deny",
        message: "it deletes everything",
        system_message: "🤖 model judge: deny — it deletes everything",
      },
    });
    expect(server.requests[0]?.messages.at(-1)?.content).toBe('May this run? {"cmd":"rm -rf /"}');
  });

  test.each([
    ["prose", { text: "Sounds fine to me." }, "no JSON object in reply"],
    ["an unknown verdict", { text: '{"decision":"yes","reason":""}' }, 'invalid decision "yes"'],
    [
      "two verdicts that disagree",
      { text: '{"decision":"allow","reason":"a"} {"decision":"deny","reason":"b"}' },
      "interpret reply",
    ],
    ["nothing", { text: "" }, "empty model reply"],
    ["an error", () => Response.json({ error: { message: "no" } }, { status: 400 }), "model fake/judge:"],
  ] as [string, Step, string][])("that answers %s blocks, whatever its on_error says", async (_name, step, message) => {
    const { code, result } = await judge(serve(step));
    expect(code).toBe(2);
    expect(result).toMatchObject({ allowed: false, exit_code: -1 });
    expect(String(result?.["message"])).toContain(message);
  });

  test("is replayed with --fake for the call that was recorded, and blocks another one", async () => {
    const question = 'May this run? {"cmd":"rm -rf /"}';
    const chunk = (delta: object, finish: string | null) =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
    const body = chunk({ content: '{"decision":"allow","reason":"a test"}' }, null) + chunk({}, "stop");
    const url = "http://127.0.0.1:9/v1";
    const tape = (asked: string) =>
      JSON.stringify({
        version: 2,
        interactions: [
          {
            id: 0,
            response: { code: 200, body },
            request: {
              method: "POST",
              url: `${url}/chat/completions`,
              body: JSON.stringify({ messages: [{ role: "user", content: asked }] }),
            },
          },
        ],
      });
    const cwd = tempDir({ "same.yaml": tape(question), "other.yaml": tape(question.replace('/"', '/tmp/x"')) });
    const replay = (file: string, ...args: string[]) => judge({ url }, ["--fake", join(cwd, file), ...args]);
    expect(await replay("same.yaml")).toMatchObject({ code: 0, result: { allowed: true, decision: "allow" } });
    const other = await replay("other.yaml");
    expect(other).toMatchObject({ code: 2, result: { allowed: false } });
    expect(String(other.result?.["message"])).toContain(
      'the nearest is interaction 0, POST 127.0.0.1:9/v1/chat/completions "May this run? {\\"cmd\\":\\"rm -rf /tmp/x\\"}"',
    );
    expect(await replay("other.yaml", "--fake-loose")).toMatchObject({ code: 0, result: { allowed: true } });
  });

  test("that cannot be reached blocks", async () => {
    expect(await judge({ url: "http://127.0.0.1:9/v1" })).toMatchObject({ code: 2, result: { allowed: false } });
  });
});

test("a run asks no judge about calls that an allow rule covers, but runs command hooks", async () => {
  const server = serve({ calls: [{ name: "shell", arguments: { cmd: "echo hi" } }] }, { text: "done" });
  const seen = { type: "command", command: "touch seen" };
  const agent = JSON.parse(agentFor(server, { hooks: { pre_tool_use: [{ hooks: [JUDGE, seen] }] } }));
  const cwd = tempDir({ "agent.yaml": JSON.stringify({ ...agent, permissions: { allow: ["shell"] } }) });
  expect((await hooksh(["run", "agent.yaml", "--yolo", "go"], { cwd })).code).toBe(0);
  expect(await Bun.file(join(cwd, "seen")).exists()).toBe(true);
});

test("without a schema the reply is context", async () => {
  const server = serve({ text: " The user seems to be in a hurry. " });
  const cwd = tempDir({
    "agent.yaml": agentFor(server, {
      hooks: { user_prompt_submit: [{ type: "model", model: "fake/helper", prompt: "{{ .Prompt }}" }] },
    }),
  });
  const ran = await hooksh(["dispatch", "agent.yaml", "--output", "result"], {
    cwd,
    input: '{"hook_event_name":"user_prompt_submit","prompt":"quick!"}',
  });
  expect(ran.lines()[0]).toMatchObject({ allowed: true, additional_context: "The user seems to be in a hurry." });
});

describe("a model that decides on a block", () => {
  const decide = (prompt: string) => ({ type: "model", model: "fake/judge", schema: "block_decision", prompt });
  const verdict = (decision: string, reason: string): Step => ({ text: JSON.stringify({ decision, reason }) });

  test("judges whether an agent may stop, and what it says", async () => {
    const server = serve(
      { text: "It costs 5." },
      verdict("block", "name no price"),
      { text: "It is cheap." },
      verdict("allow", "fine"),
      verdict("allow", "the question is answered"),
    );
    const hooks = {
      response_guard: decide("Is a price named? {{ .StopResponse }}"),
      stop_guard: decide("Is {{ .LastUserMessage }} answered? {{ .StopResponse }}"),
    };
    const cwd = tempDir({ "agent.yaml": agentFor(server, { hooks }) });
    const ran = await hooksh(["run", "agent.yaml", "price?"], { cwd });
    expect(ran).toMatchObject({ code: 0, stdout: "It is cheap.\n" });
    expect(ran.stderr).toBe(
      "⚠️  response_guard: the answer is not shown, the model answers again (1 of 8): name no price\n",
    );
    expect([1, 4].map((at) => server.requests[at]?.messages.at(-1)?.content)).toEqual([
      "Is a price named? It costs 5.",
      "Is price? answered? It is cheap.",
    ]);
  });

  test("that gives no verdict withholds an answer, but lets the agent stop", async () => {
    const server = serve({ text: "It costs 5." }, { text: "Sure!" });
    const cwd = tempDir({ "agent.yaml": agentFor(server, { hooks: { response_guard: decide("Fine?") } }) });
    const ran = await hooksh(["run", "agent.yaml", "price?"], { cwd });
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain("[The answer was withheld: ");
    expect(ran.stdout + ran.stderr).not.toContain("It costs 5.");
    const other = serve({ text: "It costs 5." }, { text: "Sure!" });
    const hooks = { stop_guard: decide("Done?") };
    const second = tempDir({ "agent.yaml": agentFor(other, { hooks }) });
    expect(await hooksh(["run", "agent.yaml", "price?"], { cwd: second })).toMatchObject({
      code: 0,
      stdout: "It costs 5.\n",
      stderr: expect.stringContaining("no JSON object in reply"),
    });
  });
});

describe("a model that guards", () => {
  const guard = (more: object = {}) => ({
    type: "model",
    model: "fake/judge",
    schema: "guard_decision",
    prompt: "{{ .Prompt }}{{ .ToolInput | toJSON }}",
    ...more,
  });
  const verdict = (decision: string): Step => ({ text: JSON.stringify({ decision, reason: "off topic" }) });

  async function submit(server: { url: string }, more: object = {}) {
    const cwd = tempDir({ "agent.yaml": agentFor(server, { hooks: { user_prompt_submit: [guard(more)] } }) });
    const input = '{"hook_event_name":"user_prompt_submit","prompt":"weather?"}';
    return (await hooksh(["dispatch", "agent.yaml", "--output", "result"], { cwd, input })).lines()[0];
  }

  test("blocks a prompt with its reason, or adds nothing", async () => {
    expect(await submit(serve(verdict("deny")))).toMatchObject({ allowed: false, message: "off topic" });
    expect(await submit(serve(verdict("allow")))).toEqual({ event: "user_prompt_submit", allowed: true });
  });

  test("that gives no verdict lets a prompt pass with a warning, unless on_error is block", async () => {
    const warned = 'user_prompt_submit hook failed to execute: hook "model": interpret reply: invalid guard verdict';
    expect(await submit(serve({ text: "maybe" }))).toMatchObject({ allowed: true, system_message: warned });
    expect(await submit(serve({ text: "maybe" }), { on_error: "block" })).toMatchObject({
      allowed: false,
      message: warned,
    });
  });

  test("never approves a tool call", async () => {
    const server = serve(verdict("allow"));
    const cwd = tempDir({
      "agent.yaml": agentFor(server, { hooks: { pre_tool_use: [{ hooks: [guard()] }] } }),
    });
    const ran = await hooksh(["dispatch", "agent.yaml", "--output", "result"], { cwd, input: CALL });
    expect(ran.lines()[0]).toEqual({ event: "pre_tool_use", allowed: true });
    expect(server.requests).toHaveLength(1);
  });

  test("is asked in every mode; in the default lane of pre_tool_use an allow rule answers in its place", async () => {
    const call: Step = { calls: [{ name: "shell", arguments: { cmd: "echo hi" } }] };
    const ruled = serve(call, { text: "done" });
    const asked = serve(call, verdict("deny"), { text: "done" });
    const guarded = serve(call, verdict("deny"), { text: "done" });
    const run = async (server: { url: string }, event: string, allow: string[]) => {
      const agent = JSON.parse(agentFor(server, { hooks: { [event]: [{ hooks: [guard()] }] } }));
      const cwd = tempDir({ "agent.yaml": JSON.stringify({ ...agent, permissions: { allow } }) });
      const ran = await hooksh(["run", "agent.yaml", "--yolo", "--json", "go"], { cwd });
      return ran.lines().find(({ type }) => type === "tool_call_response")?.["outcome"];
    };
    expect(await run(ruled, "pre_tool_use", ["shell"])).toBe("completed");
    expect(await run(asked, "pre_tool_use", [])).toBe("blocked");
    expect(await run(guarded, "tool_guard", ["shell"])).toBe("blocked");
  });

  test("is named by validate where its failure lets the event go on, or where a rule answers in its place", async () => {
    const hooks = {
      user_prompt_submit: [guard()],
      stop_guard: [guard({ on_error: "block" })],
      pre_tool_use: [{ matcher: "shell", hooks: [guard()] }],
    };
    const agent = JSON.parse(agentFor({ url: "http://127.0.0.1:9/v1" }, { hooks }));
    const cwd = tempDir({ "agent.yaml": JSON.stringify({ ...agent, permissions: { allow: ["shell"] } }) });
    const { code, stderr } = await hooksh(["validate", "agent.yaml"], { cwd });
    expect(code).toBe(0);
    expect(stderr.match(/does not block if its model fails/g)).toHaveLength(1);
    expect(stderr).toContain("hooks.user_prompt_submit[0]: model does not block if its model fails");
    expect(stderr.match(/is not asked about calls that "shell" covers/g)).toHaveLength(1);
  });
});
