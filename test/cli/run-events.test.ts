import { describe, expect, test } from "bun:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { hooksh, type Ran } from "../helpers/binary.ts";
import { agentFor, type Step } from "../helpers/fake-openai.ts";
import { modelServers } from "../helpers/model-server.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const serve = modelServers();

const printed = await hooksh(["schema", "events"], { cwd: tempDir() });
const ajv = new Ajv2020({ strict: false, allErrors: false });
addFormats.default(ajv);
const validate = ajv.compile(JSON.parse(printed.stdout));

/** The lines that the schema rejects, with the reason. */
function invalidLines(ran: Ran): unknown[] {
  return ran.lines().flatMap((line) => (validate(line) ? [] : [{ line, errors: validate.errors }]));
}

const call = (name: string, input: unknown): Step => ({ text: "hm", calls: [{ name, arguments: input }] });

test("every line of a run is valid, and the last one says how it ended", async () => {
  const deny = { name: "strict", type: "command", command: "grep -q forbidden && exit 2 || exit 0" };
  const task = { agent: "helper", task: "t", expected_output: "o" };
  const server = serve(
    call("shell", { cmd: "echo one" }),
    call("shell", { cmd: "echo forbidden" }),
    call("shell", { cmd: "exit 3" }),
    call("nothing", {}),
    call("shell", "{]"),
    call("transfer_task", task),
    { text: "helped" },
    () => new Response("busy", { status: 500 }),
    { text: "done" },
  );
  const file = JSON.parse(
    agentFor(server, {
      sub_agents: ["helper"],
      welcome_message: "hi",
      hooks: {
        pre_tool_use: [{ matcher: "shell", hooks: [deny] }],
        stop: [{ type: "command", command: `echo '{"system_message":"careful"}'` }],
      },
    }),
  );
  file.agents.helper = { model: "fake/model", description: "d", instruction: "i" };
  file.models = {};
  const cwd = tempDir({ "agent.yaml": JSON.stringify(file) });
  const ran = await hooksh(["run", "agent.yaml", "--yolo", "--json", "go"], { cwd });
  expect(invalidLines(ran)).toEqual([]);
  const types = ran.lines().map(({ type }) => type);
  expect(types).toEqual(expect.arrayContaining(["hook_blocked", "warning", "agent_switching", "tool_call_response"]));
  expect(types.filter((type) => type === "run_ended")).toHaveLength(1);
  expect(ran.lines().at(-1)).toMatchObject({
    type: "run_ended",
    exit_code: 0,
    reason: "answered",
    agent_name: "root",
    turns: 8,
    unpriced_models: ["fake/model"],
    usage: { input_tokens: 80, output_tokens: 40 },
    calls: { completed: 3, blocked: 1, unknown_tool: 1, malformed_arguments: 1 },
    denied: [{ tool: "shell", call: "shell(cmd: echo forbidden)", outcome: "blocked", hooks: [{ name: "strict" }] }],
  });
});

test("a run that ends with an error says so in its last line", async () => {
  const server = serve(() => Response.json({ error: { message: "no credit" } }, { status: 400 }));
  const cwd = tempDir({ "agent.yaml": agentFor(server) });
  const ran = await hooksh(["run", "agent.yaml", "--json", "go"], { cwd });
  expect({ code: ran.code, invalid: invalidLines(ran) }).toEqual({ code: 1, invalid: [] });
  const error = expect.stringContaining("no credit");
  expect(ran.lines().at(-1)).toMatchObject({ type: "run_ended", exit_code: 1, reason: "error", error });
});

describe("a run that cannot start prints only its last line, with the error", () => {
  const agent = agentFor({ url: "http://127.0.0.1:1" });

  test.each<[string, string[], Record<string, string>, number, string]>([
    ["an unknown flag", ["agent.yaml", "--jason"], { "agent.yaml": agent }, 64, "unknown flag --jason"],
    ["an unknown agent", ["agent.yaml", "-a", "boss"], { "agent.yaml": agent }, 64, "no such agent"],
    ["a missing file", ["other.yaml"], {}, 1, "other.yaml"],
    ["a broken file", ["agent.yaml"], { "agent.yaml": "agents: {root: {modle: x/y}}" }, 1, "modle"],
    ["a missing key", ["agent.yaml"], { "agent.yaml": "agents: {root: {model: openai/gpt-4o}}" }, 1, "OPENAI_API_KEY"],
    ["a wrong limit", ["agent.yaml", "--max-turns", "x"], { "agent.yaml": agent }, 64, "--max-turns"],
  ])("%s", async (_name, args, files, code, error) => {
    const ran = await hooksh(["run", ...args, "--json", "go"], { cwd: tempDir(files) });
    expect({ code: ran.code, invalid: invalidLines(ran) }).toEqual({ code, invalid: [] });
    expect(ran.lines()).toMatchObject([
      { type: "run_ended", exit_code: code, reason: "error", error: expect.stringContaining(error) },
    ]);
    expect(ran.stderr).toContain(error);
  });

  test("but nothing without --json, and nothing for a --json that belongs to the message", async () => {
    const options = { cwd: tempDir({ "agent.yaml": agent }) };
    expect((await hooksh(["run", "agent.yaml", "-a", "boss", "go"], options)).stdout).toBe("");
    expect((await hooksh(["run", "agent.yaml", "-a", "boss", "--", "--json"], options)).stdout).toBe("");
  });
});

test("characters at which readers of lines split are escaped", async () => {
  const text = "one\u2028two\u2029three\u0085four";
  const cwd = tempDir({ "agent.yaml": agentFor(serve({ text })) });
  const ran = await hooksh(["run", "agent.yaml", "--json", "go"], { cwd });
  expect(ran.stdout).not.toMatch(/[\u0085\u2028\u2029]/);
  expect(ran.lines()).toContainEqual(expect.objectContaining({ type: "agent_choice", content: text }));
});

test("the warning of a failed hook names its event once", async () => {
  const hook = { name: "strict", type: "command", command: "exit 3" };
  const hooks = { pre_tool_use: [{ matcher: "*", hooks: [{ ...hook, on_error: "warn" }] }], turn_end: [hook] };
  const cwd = tempDir({ "agent.yaml": agentFor(serve(call("shell", { cmd: "true" }), { text: "done" }), { hooks }) });
  const ran = await hooksh(["run", "agent.yaml", "--yolo", "go"], { cwd });
  const warnings = ran.stderr.split("\n").filter((line) => line.startsWith("⚠️") && line.includes("strict"));
  expect(warnings).not.toEqual([]);
  for (const line of warnings)
    expect(line).toMatch(/^⚠️ {2}(pre_tool_use|turn_end) hook failed to execute: hook "strict"/);
});
