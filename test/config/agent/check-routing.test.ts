import { describe, expect, test } from "bun:test";
import { checkRouting } from "../../../src/config/agent/check-routing.ts";
import { loadAgentFile } from "../../../src/config/agent/load-agent.ts";
import { loadUserHooks } from "../../../src/config/hooks/hook-sources.ts";
import { routingNotices } from "../../../src/config/notices/routing-notices.ts";
import { resolveDirectories } from "../../../src/lib/env.ts";
import { tempDir } from "../../helpers/temp-dir.ts";
import { failure } from "../sources/context.ts";

const BEFORE = "hooks: {before_agent_run: [{type: command, command: ./route.sh}]}";
const AFTER = "hooks: {after_agent_complete: [{type: command, command: ./route.sh}]}";

/** Loads a file and checks its routing; `agents` are the lines below `agents:`, each without the model of its agent. */
async function check(
  agents: Readonly<Record<string, string>>,
  { settings = "", flags = [] as string[], rest = "" } = {},
) {
  const text = Object.entries(agents).map(([name, keys]) => `  ${name}: {model: openai/x, ${keys}}\n`);
  const cwd = tempDir({ "agent.yaml": `agents:\n${text.join("")}${rest}`, "config.yaml": settings });
  const file = await loadAgentFile("agent.yaml", { cwd });
  const directories = { ...resolveDirectories({}, {}), config: cwd };
  const flagHooks = flags.map((command) => ({
    event: "before_agent_run" as const,
    matcher: "",
    command,
    flag: `--hook=before_agent_run=${command}`,
  }));
  const user = await loadUserHooks({ directories, flagHooks, warn: () => {} });
  await checkRouting(file, user.entries);
  return routingNotices(file);
}

const problemsOf = async (...input: Parameters<typeof check>) => (await failure(check(...input))).split("\n");

describe("the hooks that route and the key routing", () => {
  test("belong together", async () => {
    expect(await check({ root: `routing: {allowed_agents: [b], default_agent: b}, ${BEFORE}`, b: "" })).toEqual([]);
    expect(await check({ root: `routing: {allowed_agents: [b]}, ${AFTER}`, b: "" })).toEqual([]);
    expect(await check({ root: "", b: "" })).toEqual([]);
  });

  test.each([
    [
      { root: "routing: {allowed_agents: [b]}", b: "" },
      "agent.yaml:2:27: agents.root: routing requires a before_agent_run or after_agent_complete hook",
    ],
    [
      { root: "", b: AFTER },
      "agent.yaml:3:55: agents.b: before_agent_run and after_agent_complete hooks require routing.allowed_agents",
    ],
    [
      { root: `routing: {allowed_agents: [b]}, force_handoff: b, ${AFTER}`, b: "" },
      "agent.yaml:2:108: agents.root: hooks.after_agent_complete cannot be combined with force_handoff",
    ],
    [
      { root: `routing: {allowed_agents: [b]}, ${BEFORE}`, b: "force_handoff: c", c: "force_handoff: root" },
      'agent.yaml:2:3: agents.root: routing cycle detected involving agent "root"',
    ],
    [
      { a: "", root: `routing: {allowed_agents: [b]}, ${BEFORE}`, b: `routing: {allowed_agents: [root]}, ${AFTER}` },
      'agent.yaml:3:3: agents.root: routing cycle detected involving agent "root"',
    ],
    [
      { root: `routing: {allowed_agents: []}, ${BEFORE}` },
      "agent.yaml:2:53: agents.root: routing.allowed_agents must not be empty",
    ],
    [
      { root: `routing: {allowed_agents: [b, b]}, ${BEFORE}`, b: "" },
      'agent.yaml:2:57: agents.root: routing.allowed_agents lists "b" more than once',
    ],
    [
      { root: `routing: {allowed_agents: [root]}, ${BEFORE}` },
      'agent.yaml:2:54: agents.root: routing.allowed_agents must not include the agent itself ("root")',
    ],
    [
      { root: `routing: {allowed_agents: [acme/reviewer]}, ${BEFORE}` },
      'agent.yaml:2:54: agents.root: routing.allowed_agents references unknown local agent "acme/reviewer"',
    ],
    [
      { root: `routing: {allowed_agents: [b], default_agent: c}, ${BEFORE}`, b: "", c: "" },
      'agent.yaml:2:73: agents.root: routing.default_agent "c" must be in routing.allowed_agents',
    ],
    [
      { root: `routing: {allowed_agents: [b]}, ${BEFORE}`, b: "harness: {type: codex}" },
      'agent.yaml:2:54: agents.root: routing.allowed_agents: harness agent "b" cannot be a route target',
    ],
    [
      { root: "", b: `routing: {allowed_agents: [root]}, harness: {type: codex}, ${BEFORE}` },
      "agent.yaml:3:33: agents.b: routing hooks are not supported on harness agents",
    ],
  ])("%j is refused", async (agents, problem) => {
    expect(await problemsOf(agents)).toContain(problem);
  });

  test("are those of all sources together: a hook of the user counts, at its own place", async () => {
    const settings = "settings:\n  hooks:\n    before_agent_run: [{type: command, command: ./mine.sh}]\n";
    expect(await problemsOf({ root: "" }, { settings })).toEqual([
      expect.stringMatching(
        /config\.yaml:3:24: agents\.root: before_agent_run and after_agent_complete hooks require routing\.allowed_agents$/,
      ),
    ]);
    expect(await problemsOf({ root: `routing: {allowed_agents: [b]}, ${BEFORE}`, b: "" }, { settings })).toContainEqual(
      expect.stringMatching(
        /config\.yaml:3:24: agents\.root: hooks\.before_agent_run: at most one selector is allowed after merging, found 2 distinct definitions$/,
      ),
    );
  });

  test("equal hooks of two sources are one selector; another flag is a second one, named by its flag", async () => {
    const agents = { root: `routing: {allowed_agents: [b]}, hooks: {before_agent_run: [{type: command, command: x}]}` };
    const team = { ...agents, b: "routing: {allowed_agents: [c]}", c: "routing: {allowed_agents: [d]}", d: "" };
    const problems = await problemsOf(team, { flags: ["x", "y"] });
    expect(problems.filter((line) => line.includes("agents.root"))).toEqual([
      "--hook=before_agent_run=y: agents.root: hooks.before_agent_run: at most one selector is allowed after merging, found 2 distinct definitions",
    ]);
    const alone = { ...agents, b: "" };
    expect(await problemsOf(alone, { flags: ["x"] })).toEqual([
      "--hook=before_agent_run=x: agents.b: before_agent_run and after_agent_complete hooks require routing.allowed_agents",
    ]);
  });

  test("the routes of an evaluator are its choices and the default agent, not all allowed agents", async () => {
    const hook =
      "hooks: {before_agent_run: [{type: evaluator, evaluator: e, routing_policy: {routes: {x: b, y: b}, min_probability: 0.5}}]}";
    const root = `routing: {allowed_agents: [b, c], default_agent: b}, ${hook}`;
    const rest =
      "evaluators: {e: {provider: typesafe, model: jev-1, type: choice, instructions: i, choices: {x: X, y: Y}}}\n";
    expect(await check({ root, b: "", c: "force_handoff: root" }, { rest })).toHaveLength(1);
    expect(await problemsOf({ root, b: "force_handoff: root", c: "" }, { rest })).toContainEqual(
      expect.stringContaining("routing cycle detected"),
    );
  });
});

test("validate names each place where an agent whose hooks route cannot be reached", async () => {
  const router = `routing: {allowed_agents: [plain]}, ${BEFORE}`;
  const notices = await check({
    root: "sub_agents: [router], handoffs: [router]",
    other: "force_handoff: router",
    entry: `handoffs: [router], routing: {allowed_agents: [plain]}, ${BEFORE}`,
    router,
    plain: "",
  });
  expect(notices.map((line) => line.replace(/: its hooks.*/, ""))).toEqual([
    'agent.yaml:2:40: agents.root.sub_agents[0]: agent "router"',
    'agent.yaml:2:60: agents.root.handoffs[0]: agent "router"',
    'agent.yaml:3:43: agents.other.force_handoff: agent "router"',
  ]);
});
