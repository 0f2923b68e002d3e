import { afterAll, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hooksh } from "../../helpers/binary.ts";
import { agentFor, type FakeOpenAI, fakeOpenAI, type Step } from "../../helpers/fake-openai.ts";
import { settled } from "../../helpers/settled.ts";
import { tempDir } from "../../helpers/temp-dir.ts";
import { until } from "../../helpers/until.ts";
import { begin, type Run, type Setup, tool } from "../harness.ts";
import { assembled } from "./assembled.ts";

const SERVER = join(import.meta.dir, "../../fixtures/mcp/server.ts");
const MISSING = { type: "mcp", command: "no-such-command-here", name: "gone" };
const models: FakeOpenAI[] = [];

afterAll(() => {
  for (const model of models.splice(0)) model.stop();
});

/** The fixture behind a shell command that runs before it. */
const server = (before: string, more: object = {}) => ({
  type: "mcp",
  command: "sh",
  args: ["-c", `${before}; exec "$0" "$1"`, process.execPath, SERVER],
  name: "fix",
  ...more,
});

function run(toolsets: unknown, ...script: Step[]) {
  const model = fakeOpenAI(script);
  models.push(model);
  const cwd = tempDir({ "agent.yaml": agentFor(model, { toolsets }) });
  return { cwd, model, ended: hooksh(["run", "agent.yaml", "--exec", "--yolo", "hi"], { cwd }) };
}

function isAlive(pid: string): boolean {
  return existsSync(`/proc/${pid}`) && !readFileSync(`/proc/${pid}/stat`, "latin1").includes(") Z ");
}

test.each([[{ required: true }], [{ profile: "strict" }], [{ profile: "best-effort", required: true }]])(
  "a toolset with lifecycle %j that does not start ends the run with one line",
  async (lifecycle) => {
    const { model, ended } = run([{ type: "think" }, { ...MISSING, lifecycle }], { text: "never" });
    const { code, stderr } = await ended;
    expect(code).toBe(1);
    expect(stderr.trim().split("\n")).toEqual([
      expect.stringMatching(
        /^agents\.root\.toolsets\[1\] \(mcp\) did not start, .*requires it: .*no-such-command-here/,
      ),
    ]);
    expect(model.requests).toEqual([]);
  },
);

test.each([[undefined], [{ profile: "resilient" }], [{ required: false }], [{ profile: "strict", required: false }]])(
  "a toolset with lifecycle %j that does not start is a warning, and the agent runs",
  async (lifecycle) => {
    const { ended } = run([{ ...MISSING, ...(lifecycle ? { lifecycle } : {}) }], { text: "Hello" });
    const { code, stdout, stderr } = await ended;
    expect({ code, stdout: stdout.trim() }).toEqual({ code: 0, stdout: "Hello" });
    expect(stderr.match(/did not start/g)).toHaveLength(1);
    expect(stderr).toMatch(/^warning: agents\.root\.toolsets\[0\] \(mcp\) did not start, its tools are missing/);
  },
);

test("the last message of a server is one line with control characters escaped", async () => {
  const script = String.raw`printf 'one\n\033[2Jtwo\n' >&2; exit 3`;
  const rude = { type: "mcp", command: "sh", args: ["-c", script], name: "rude" };
  const { warnings, team } = await assembled({ toolsets: [rude] });
  expect(warnings).toEqual([expect.stringContaining(String.raw`\x1b[2Jtwo`)]);
  const fatal = assembled({ toolsets: [{ ...rude, lifecycle: { required: true } }] });
  expect(await settled(fatal)).toThrow(String.raw`\x1b[2Jtwo`);
  await team.close();
});

test("a required toolset of an unsupported type ends the run", async () => {
  const lsp = { type: "lsp", command: "x", lifecycle: { required: true } };
  expect(await settled(assembled({ toolsets: [lsp] }))).toThrow("toolsets[0] (lsp) did not start");
});

const required = { ...MISSING, lifecycle: { required: true } };

test.each([
  ["the same agent", (own: unknown) => ({ root: { toolsets: [own, required] } })],
  [
    "another agent",
    (own: unknown) => ({
      root: { toolsets: [own] },
      other: { model: "fake/model", instruction: "x", toolsets: [required] },
    }),
  ],
  ["a group of a skill", (own: unknown) => ({ root: { toolsets: [own], skills: [forked(["bad"])] } })],
  ["one of two groups of a skill", (own: unknown) => ({ root: { skills: [forked(["bad", "good"])] }, good: own })],
])("a required toolset of %s that does not start leaves nothing running", async (_what, make) => {
  const pid = join(tempDir(), "pid");
  const { root, good, ...others } = make(server(`echo $$ > ${pid}`)) as Record<string, Record<string, unknown>>;
  const agents = { root: { model: "fake/model", instruction: "x", redact_secrets: false, ...root }, ...others };
  const file = { agents, toolsets: { bad: required, ...(good ? { good } : {}) } };
  expect(await settled(assembled({}, { file }))).toThrow("requires it");
  expect(isAlive(readFileSync(pid, "utf8").trim())).toBe(false);
});

function forked(toolsets: string[]) {
  return { name: "x", description: "x", instructions: "x", context: "fork", toolsets };
}

/** Starts a run whose toolsets come from an agent file, plus a tool `open` that creates the file `open`. */
async function withToolsets(toolsets: unknown[], setup: Setup & { keys?: Record<string, unknown> }) {
  const made = await assembled({ toolsets, ...setup.keys });
  const gate = join(made.directory, "open");
  const open = tool("open", async () => {
    await Bun.write(gate, "");
    return { text: "open" };
  });
  const started = await begin({
    mode: "autonomous",
    ...setup,
    agent: { toolsets: [{ tools: [open] }, ...made.agent.toolsets], ...setup.agent },
  });
  return { ...made, run: started };
}

const OPEN = { calls: [{ name: "open" }] };
const gated = (more: object = {}) => server("test -e open || exit 3", more);
const offered = ({ model }: Run) => model.calls.map(({ tools }) => tools.map(({ name }) => name));

test("a toolset that did not start is tried again after a batch, and the next request has its tools", async () => {
  const {
    run: late,
    team,
    warnings,
  } = await withToolsets([gated()], {
    steps: [OPEN, { calls: [{ name: "fix_echo", arguments: { text: "late" } }] }, "done"],
  });
  await late.say("hi");
  expect(offered(late)[0]).toEqual(["open"]);
  expect(offered(late)[1]).toContain("fix_echo");
  expect(late.model.requests[2]?.at(-1)?.content).toContain('"text":"late"');
  expect(late.model.requests[1]?.map(({ content }) => content)).toContain("Be gentle with the fixture.");
  expect(warnings).toEqual([expect.stringContaining("did not start")]);
  await team.close();
});

test("the executable offers a server's tools as soon as the server can start", async () => {
  const touch = { calls: [{ name: "shell", arguments: { cmd: "touch open" } }] };
  const { model, ended } = run([{ type: "shell" }, gated()], touch, { text: "done" });
  const { code, stderr } = await ended;
  expect(code).toBe(0);
  const [first, second] = model.requests.map(({ tools = [] }) => tools.map(({ function: { name } }) => name));
  expect(first).toEqual(["shell"]);
  expect(second).toContain("fix_echo");
  expect(stderr.match(/warning/g)).toHaveLength(1);
});

test("a late tool passes the same guards as any other", async () => {
  const { run: late, team } = await withToolsets([gated()], {
    steps: [OPEN, { calls: [{ name: "fix_wipe" }, { name: "fix_echo" }, { name: "fix_env" }] }, "done"],
    mode: "balanced",
    permissions: { allow: ["open", "mcp:fix:echo"], ask: [], deny: ["mcp:fix:wipe"] },
    answers: {
      pre_tool_use: ({ tool_name }) => (tool_name === "fix_echo" ? { decision: "block", reason: "no" } : undefined),
    },
  });
  await late.say("hi");
  const decided = late
    .inputs("on_tool_approval_decision")
    .map(({ tool_name, approval_decision, approval_source }) => `${tool_name} ${approval_decision} ${approval_source}`);
  expect(decided.slice(1)).toEqual([
    "fix_wipe deny team_permissions_deny",
    "fix_echo deny pre_tool_use_hook_deny",
    "fix_env deny non_interactive_deny",
  ]);
  await team.close();
});

test("a late toolset is limited by its entry and its agent", async () => {
  const { run: late, team } = await withToolsets([gated({ tools: ["echo", "look"] })], {
    steps: [OPEN, "done"],
    keys: { readonly: true },
  });
  await late.say("hi");
  expect(offered(late)[1]).toEqual(["open", "fix_look"]);
  await team.close();
});

test("a late tool with the name of another is left out, with one warning that names both", async () => {
  const twice = { type: "script", shell: { fix_echo: { cmd: "true" } } };
  const { run: late, team, warnings } = await withToolsets([twice, gated(), twice], { steps: [OPEN, OPEN, "done"] });
  await late.say("hi");
  expect(offered(late)[2]?.filter((name) => name === "fix_echo")).toHaveLength(1);
  expect(warnings.slice(1)).toEqual([
    expect.stringMatching(/toolsets\[2\] \(script\): the tool fix_echo is left out: .*toolsets\[0\] \(script\)/),
    expect.stringMatching(/toolsets\[1\] \(mcp\): the tool fix_echo is left out: .*toolsets\[0\] \(script\)/),
  ]);
  await team.close();
});

test("every batch tries once more, without another warning", async () => {
  const calls = (n: number) => ({ calls: [{ name: "open", arguments: { n } }] });
  const {
    run: late,
    directory,
    team,
    warnings,
  } = await withToolsets([server("echo >> tries; exit 3")], {
    steps: [calls(1), calls(2), "done"],
  });
  await late.say("hi");
  expect(readFileSync(join(directory, "tries"), "utf8")).toBe("\n\n\n");
  expect(warnings).toHaveLength(1);
  await team.close();
});

test("the model that an entry names is used after its late tools", async () => {
  const { agent, run: late, team } = await withToolsets([gated({ model: "fake/other" })], { steps: [OPEN, "done"] });
  await late.say("hi");
  expect(agent.modelAfter?.("fix_echo")?.id).toBe("fake/other");
  await team.close();
});

test("a server that is still starting is stopped at the end of the run", async () => {
  const hangs = server("test -e tries || { touch tries; exit 3; }; echo $$ > pid; exec sleep 600");
  const { run: late, directory, team } = await withToolsets([hangs], { steps: [OPEN, "done"] });
  const pid = join(directory, "pid");
  const turn = late.say("hi");
  await until(() => existsSync(pid) && readFileSync(pid, "utf8").endsWith("\n"));
  await team.close();
  expect(isAlive(readFileSync(pid, "utf8").trim())).toBe(false);
  await turn;
});
