import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hooksh } from "../helpers/binary.ts";
import type { FakeOpenAI } from "../helpers/fake-openai.ts";
import { modelServers } from "../helpers/model-server.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const serve = modelServers();

/** Refuses every command with `rm -rf`. */
const noDelete = {
  type: "command",
  name: "no-delete",
  command: "if grep -q 'rm -rf'; then echo 'deletes a folder' >&2; exit 2; fi",
};
const onShell = (hook: object) => ({ pre_tool_use: [{ matcher: "shell", hooks: [hook] }] });

const call = (name: string, args: object) => ({ calls: [{ name, arguments: args }] });
const remove = call("shell", { cmd: "rm -rf build" });
const transfer = call("transfer_task", { agent: "helper", task: "t", expected_output: "o" });

interface Servers {
  root: FakeOpenAI;
  helper?: FakeOpenAI;
}

/** A team of `root` and `helper`, each with its own model server. */
function team({ root, helper = root }: Servers, keys: Record<string, unknown>, rootKeys: Record<string, unknown> = {}) {
  const common = { instruction: "i", description: "d", redact_secrets: false, toolsets: [{ type: "shell" }] };
  const text = JSON.stringify({
    agents: { root: { model: "one/m", ...common, ...rootKeys }, helper: { model: "two/m", ...common } },
    providers: { one: { base_url: root.url }, two: { base_url: helper.url } },
    ...keys,
  });
  return tempDir({ "agent.yaml": text, "build/file": "kept" });
}

const WARNING =
  "helper can run shell, and the guard no-delete of root does not apply to it; move it to hooks: at the top of the file";

describe("a guard at the top of the file holds for", () => {
  test.each([[["--yolo"]], [["--safety", "balanced"]]])("a sub-agent, with %j", async (flags) => {
    const server = serve(transfer, remove, { text: "failed" }, { text: "ok" });
    const permissions = { allow: ["transfer_task"] };
    const cwd = team({ root: server }, { hooks: onShell(noDelete), permissions }, { sub_agents: ["helper"] });
    const ran = await hooksh(["run", "agent.yaml", ...flags, "go"], { cwd });
    expect(existsSync(join(cwd, "build/file"))).toBe(true);
    expect(ran.stdout).toContain("deletes a folder");
    expect(server.requests[2]?.messages.at(-1)?.content).toContain("rejected by a pre_tool_use hook");
  });

  test("an agent that the conversation is handed to", async () => {
    const server = serve(call("handoff", { agent: "helper" }), remove, { text: "ok" });
    const cwd = team({ root: server }, { hooks: onShell(noDelete) }, { handoffs: ["helper"] });
    const ran = await hooksh(["run", "agent.yaml", "--yolo", "go"], { cwd });
    expect(existsSync(join(cwd, "build/file"))).toBe(true);
    expect(ran.stdout).toContain("deletes a folder");
  });

  test("an agent that works in the background", async () => {
    const wait = call("shell", { cmd: "n=0; until [ -e told ] || [ $n = 400 ]; do n=$((n+1)); sleep 0.05; done" });
    const root = serve(call("run_background_agent", { agent: "helper", task: "t" }), wait, { text: "ok" });
    const helper = serve(remove, { text: "failed" });
    const hooks = { ...onShell(noDelete), subagent_stop: [{ type: "command", command: "touch told" }] };
    const toolsets = [{ type: "shell" }, { type: "background_agents" }];
    const cwd = team({ root, helper }, { hooks }, { sub_agents: ["helper"], toolsets });
    await hooksh(["run", "agent.yaml", "--yolo", "go"], { cwd });
    expect(existsSync(join(cwd, "told"))).toBe(true);
    expect(existsSync(join(cwd, "build/file"))).toBe(true);
    expect(helper.requests[1]?.messages.at(-1)?.content).toContain("deletes a folder");
  });

  test("a forked skill", async () => {
    const server = serve(call("run_skill", { name: "clean", task: "t" }), remove, { text: "failed" }, { text: "ok" });
    const skills = [{ name: "clean", description: "d", instructions: "i", context: "fork", toolsets: ["commands"] }];
    const toolsets = { commands: { type: "shell" } };
    const cwd = team({ root: server }, { hooks: onShell(noDelete), toolsets }, { skills, toolsets: [] });
    const ran = await hooksh(["run", "agent.yaml", "--yolo", "go"], { cwd });
    expect(existsSync(join(cwd, "build/file"))).toBe(true);
    expect(ran.stdout).toContain("deletes a folder");
  });

  /** A team whose helper is in another file, on a server, with the given keys in each file. */
  async function split(server: FakeOpenAI, keys: Record<string, object>, helperKeys: Record<string, object>) {
    const cwd = team({ root: server }, {});
    const { agents, providers } = JSON.parse(readFileSync(join(cwd, "agent.yaml"), "utf8"));
    const together = (own: Record<string, object>) => ({ ...own, providers: { ...providers, ...own["providers"] } });
    const text = JSON.stringify({ agents: { root: agents.helper }, ...together(helperKeys) });
    const host = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(text) });
    const root = { ...agents.root, sub_agents: [`helper:http://127.0.0.1:${host.port}/helper.yaml`] };
    await Bun.write(join(cwd, "agent.yaml"), JSON.stringify({ agents: { root }, ...together(keys) }));
    await hooksh(["run", "agent.yaml", "--yolo", "--trust-all", "go"], { cwd });
    await host.stop(true);
    return cwd;
  }

  test("an agent of another file, whose own file brings its hooks, too", async () => {
    const server = serve(transfer, remove, { text: "failed" }, { text: "ok" });
    const note = { type: "command", command: "echo x >> seen" };
    const cwd = await split(server, { hooks: onShell(noDelete) }, { hooks: { pre_tool_use: [{ hooks: [note] }] } });
    expect(existsSync(join(cwd, "build/file"))).toBe(true);
    expect(server.requests[2]?.messages.at(-1)?.content).toContain("deletes a folder");
    expect(readFileSync(join(cwd, "seen"), "utf8")).toBe("x\n"); // the hooks of that file do not see the call of root
  });

  test("an agent of another file, and asks the model that its own file defines", async () => {
    const server = serve(transfer, remove, { text: "failed" }, { text: "ok" });
    const judge = serve({ text: '{"decision":"deny","reason":"the judge of the team"}' });
    const wrong = serve();
    const hook = { type: "model", model: "judge", prompt: "p", schema: "pre_tool_use_decision" };
    const hooks = { pre_tool_use: [{ matcher: "shell", preempt_yolo: true, hooks: [hook] }] };
    const judged = ({ url }: FakeOpenAI) => ({
      models: { judge: { provider: "three", model: "m" } },
      providers: { three: { base_url: url } },
    });
    const cwd = await split(server, { hooks, ...judged(judge) }, judged(wrong));
    expect(existsSync(join(cwd, "build/file"))).toBe(true);
    expect(server.requests[2]?.messages.at(-1)?.content).toContain("the judge of the team");
  });
});

describe("a guard of one agent", () => {
  test("holds for that agent alone, and a run warns of the agent it can delegate to", async () => {
    const server = serve(transfer, remove, { text: "done" }, { text: "ok" });
    const cwd = team({ root: server }, {}, { sub_agents: ["helper"], hooks: onShell(noDelete) });
    const ran = await hooksh(["run", "agent.yaml", "--yolo", "go"], { cwd });
    expect(existsSync(join(cwd, "build"))).toBe(false);
    expect(ran.stderr.split("\n")[0]).toMatch(
      /^warning: agent\.yaml:1:\d+: agents\.root\.hooks\.pre_tool_use\[0\]\.hooks\[0\]: /,
    );
    expect(ran.stderr.split(WARNING)).toHaveLength(2);
    for (const args of [["hooks", "list"], ["doctor"], ["validate"]]) {
      const told = await hooksh([...args, "agent.yaml"], { cwd });
      expect((told.stdout + told.stderr).split(WARNING)).toHaveLength(2);
    }
  });

  /** What `validate --strict` prints about agents a, b and c, of which a can reach b and b can reach c. */
  async function strict(agents: Record<"a" | "b" | "c", object>, hooks?: object) {
    const common = { model: "openai/x", instruction: "i", description: "d" };
    const named = Object.fromEntries(Object.entries(agents).map(([name, keys]) => [name, { ...common, ...keys }]));
    const cwd = tempDir({ "agent.yaml": JSON.stringify({ agents: named, ...(hooks ? { hooks } : {}) }) });
    const { code, stderr } = await hooksh(["validate", "--strict", "agent.yaml"], { cwd });
    return { code, gaps: stderr.split("\n").flatMap((line) => /(\w+ can run .*); move it/.exec(line)?.[1] ?? []) };
  }
  const shell = { toolsets: [{ type: "shell" }] };
  const files = { toolsets: [{ type: "filesystem" }] };
  const server = { toolsets: [{ type: "mcp", command: "sh" }] };
  const guarded = { hooks: onShell(noDelete) };
  const any = (matcher: string, keys: object = {}) => ({
    hooks: { pre_tool_use: [{ matcher, hooks: [{ ...noDelete, ...keys }] }] },
  });

  test.each([
    ["a sub-agent", { a: { sub_agents: ["b"] } }, "b"],
    ["a handoff", { a: { handoffs: ["b"] } }, "b"],
    ["a forced handoff", { a: { force_handoff: "b" } }, "b"],
    ["agents that delegate to each other", { a: { sub_agents: ["c"] }, c: { handoffs: ["b", "a", "c"] } }, "b"],
    ["two delegations", { a: { sub_agents: ["c"] }, c: { handoffs: ["b"] } }, "b"],
  ])("is reported where an agent with the tool is reached by %s", async (_way, keys, reached) => {
    const { a = {}, c = {} } = keys as { a?: object; c?: object };
    const found = await strict({ a: { ...shell, ...guarded, ...a }, b: shell, c: { ...c } });
    expect(found).toEqual({
      code: 1,
      gaps: [`${reached} can run shell, and the guard no-delete of a does not apply to it`],
    });
  });

  test("is reported with the tools that it guards, those of a server too", async () => {
    const reached = { b: files, c: server };
    const { gaps } = await strict({ a: { ...shell, sub_agents: ["b", "c"], ...any(".*") }, ...reached });
    expect(gaps).toEqual([
      expect.stringMatching(/^b can run \w+, \w+, \w+ and \d+ more tools, and the guard no-delete of a/),
      "c can run the tools of its servers, and the guard no-delete of a does not apply to it",
    ]);
    const mcp = await strict({ a: { ...server, sub_agents: ["b", "c"], ...any("mcp:git:.*") }, ...reached });
    expect(mcp.gaps).toEqual(["c can run the tools of its servers, and the guard no-delete of a does not apply to it"]);
  });

  test.each([
    ["the other agent cannot be reached", { a: { ...shell, ...guarded }, b: shell }],
    ["the other agent lacks the tool", { a: { ...shell, ...guarded, sub_agents: ["b"] }, b: files }],
    [
      "the other agent guards the tool itself",
      { a: { ...shell, ...guarded, sub_agents: ["b"] }, b: { ...shell, ...any("shell", { name: "own" }) } },
    ],
    ["the guard only observes", { a: { ...shell, ...any("shell", { mode: "observe" }), sub_agents: ["b"] }, b: shell }],
    [
      "the hook is no guard",
      {
        a: { ...shell, sub_agents: ["b"], hooks: { post_tool_use: [{ matcher: "shell", hooks: [noDelete] }] } },
        b: shell,
      },
    ],
  ])("is not reported where %s", async (_why, agents) => {
    expect((await strict({ c: {}, ...agents })).gaps).toEqual([]);
  });

  test("is not reported where the top of the file has it, too", async () => {
    const agents = { a: { ...shell, ...guarded, sub_agents: ["b"] }, b: shell, c: {} };
    expect(await strict(agents, onShell(noDelete))).toEqual({ code: 0, gaps: [] });
    expect((await strict(agents, onShell({ ...noDelete, name: "other" }))).gaps).toHaveLength(1);
  });
});

describe("hooks at the top of an agent file", () => {
  const count = { type: "command", name: "count", command: "echo x >> count" };
  const file = (hooks: unknown) =>
    JSON.stringify({
      agents: {
        root: {
          model: "openai/x",
          instruction: "i",
          description: "d",
          sub_agents: ["helper"],
          toolsets: [{ type: "shell" }],
        },
        helper: {
          model: "openai/x",
          instruction: "i",
          description: "d",
          toolsets: [{ type: "shell" }],
          hooks: { pre_tool_use: [{ matcher: "shell", hooks: [{ ...count, name: "own" }, count] }] },
        },
      },
      hooks,
    });
  const event = (cmd: string) =>
    JSON.stringify({ hook_event_name: "pre_tool_use", tool_name: "shell", tool_input: { cmd } });
  const withCount = { pre_tool_use: [{ matcher: "shell", hooks: [noDelete, count] }] };

  test("guard a dispatch for any agent of the file", async () => {
    const cwd = tempDir({ "agent.yaml": file(withCount) });
    for (const agent of ["root", "helper"]) {
      const ran = await hooksh(["dispatch", "agent.yaml", "--agent", agent], { cwd, input: event("rm -rf build") });
      expect(ran.code).toBe(2);
      expect(ran.stdout).toContain("deletes a folder");
    }
  });

  test("run before the agent's own, and once if both have the same", async () => {
    const cwd = tempDir({ "agent.yaml": file(withCount) });
    const args = ["dispatch", "agent.yaml", "--agent", "helper", "--output", "result", "--details"];
    const ran = await hooksh(args, { cwd, input: event("ls") });
    const { hooks } = JSON.parse(ran.stdout) as { hooks: { name: string }[] };
    expect(hooks.map(({ name }) => name).filter((name) => !name.startsWith("redact"))).toEqual([
      "no-delete",
      "count",
      "own",
    ]);
    expect(readFileSync(join(cwd, "count"), "utf8")).toBe("x\nx\n");
  });

  test("are listed and explained with their place", async () => {
    const cwd = tempDir({ "agent.yaml": file(withCount) });
    const list = await hooksh(["hooks", "list", "agent.yaml", "--agent", "helper", "--json"], { cwd });
    const hooks = JSON.parse(list.stdout) as { name: string; source: string }[];
    expect(hooks.slice(0, 2)).toMatchObject([{ name: "no-delete", source: "agent.yaml:1" }, { name: "count" }]);
    const query = ["--event", "pre_tool_use", "--tool", "shell"];
    const explained = await hooksh(["hooks", "explain", "agent.yaml", "--agent", "root", ...query], { cwd });
    expect(explained.stdout).toContain("no-delete");
  });

  test("run in hooksh test, with their examples", async () => {
    const examples = { deny: ["rm -rf build"], none: ["ls"] };
    const cwd = tempDir({
      "agent.yaml": file(onShell({ ...noDelete, examples })),
      "agent.hooktest.yaml": `hooks: agent.yaml\nagent: helper\ntests:\n  - {name: n, event: pre_tool_use, tool: shell, input: {cmd: rm -rf x}, expect: {decision: deny}}\n`,
    });
    const ran = await hooksh(["test"], { cwd });
    expect(ran.stdout + ran.stderr).toContain("3 passed");
    expect(ran.code).toBe(0);
  });

  test("have their examples checked by validate, if they are hooksh's own", async () => {
    const examples = { allow: ["rm -rf x"] };
    const cwd = tempDir({ "agent.yaml": file(onShell({ type: "builtin", command: "safer_shell", examples })) });
    const ran = await hooksh(["validate", "agent.yaml"], { cwd });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain("expected allow");
  });

  test("are counted by doctor", async () => {
    const cwd = tempDir({ "agent.yaml": file(withCount) });
    const counts = async () =>
      (
        JSON.parse(
          (await hooksh(["doctor", "--json", "agent.yaml"], { cwd, env: { OPENAI_API_KEY: "k" } })).stdout,
        ) as { hooks: { agent: number } }
      ).hooks.agent;
    const before = await counts();
    await Bun.write(join(cwd, "agent.yaml"), file(undefined));
    expect(before - (await counts())).toBe(2);
  });

  test.each([
    [
      { pre_tool_use: [{ matcher: "shell", hooks: [{ type: "command" }] }] },
      "hooks.pre_tool_use[0].hooks[0]: command is required",
    ],
    [{ pre_tool: [] }, "hooks.pre_tool: unknown event"],
    [[], "hooks must be a mapping of events"],
  ])("stop everything with their place if they are invalid: %j", async (hooks, message) => {
    const cwd = tempDir({ "agent.yaml": file(hooks) });
    for (const args of [
      ["validate", "agent.yaml"],
      ["run", "agent.yaml", "go"],
      ["hooks", "list", "agent.yaml"],
    ]) {
      const ran = await hooksh(args, { cwd });
      expect(ran.code).toBe(1);
      expect(ran.stderr).toMatch(/agent\.yaml:1:\d+: /);
      expect(ran.stderr).toContain(message);
    }
  });
});
