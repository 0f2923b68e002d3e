import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hooksh } from "../helpers/binary.ts";
import { agentFor, type FakeOpenAI } from "../helpers/fake-openai.ts";
import { modelServers } from "../helpers/model-server.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const serve = modelServers();

const lastOf = (server: FakeOpenAI, request: number) => server.requests[request]?.messages.at(-1)?.content;

describe("a message that starts with a slash", () => {
  test("is expanded before prompt hooks see it", async () => {
    const server = serve({ text: "ok" });
    const keys = {
      commands: { fix: "Fix ${args[0]} with ${shell({cmd: 'echo care'})}" },
      hooks: { user_prompt_submit: [{ type: "command", command: "cat > prompt.json" }] },
    };
    const cwd = tempDir({ "agent.yaml": agentFor(server, keys) });
    expect((await hooksh(["run", "agent.yaml", "--yolo", "/fix this"], { cwd })).code).toBe(0);
    expect(lastOf(server, 0)).toBe("Fix this with care");
    expect(JSON.parse(readFileSync(join(cwd, "prompt.json"), "utf8"))).toMatchObject({ prompt: "Fix this with care" });
  });

  test("prints a URL and asks no model", async () => {
    const server = serve();
    const commands = { docs: { url: "https://example.com/{{session_id}}" } };
    const cwd = tempDir({ "agent.yaml": agentFor(server, { commands }) });
    const printed = await hooksh(["run", "agent.yaml", "/docs"], { cwd });
    expect(printed).toMatchObject({ code: 0, stderr: "" });
    expect(printed.stdout).toMatch(/^https:\/\/example\.com\/[0-9a-f-]{36}\n$/);
    expect((await hooksh(["run", "agent.yaml", "--json", "/docs"], { cwd })).lines().map(({ type }) => type)).toEqual([
      "run_ended",
    ]);
  });

  test("reads a skill of the project, whose commands run only if they are allowed", async () => {
    const skill = "---\ndescription: d\n---\nIt is !`echo the; touch ran`.\n";
    const server = serve({ text: "ok" }, { text: "ok" });
    const cwd = tempDir({ "agent.yaml": agentFor(server, { skills: true }), ".agents/skills/pdf/SKILL.md": skill });
    expect((await hooksh(["run", "agent.yaml", "/pdf read"], { cwd })).code).toBe(0);
    expect(existsSync(join(cwd, "ran"))).toBe(false);
    expect((await hooksh(["run", "agent.yaml", "--yolo", "/pdf read"], { cwd })).code).toBe(0);
    expect(existsSync(join(cwd, "ran"))).toBe(true);
    expect(lastOf(server, 1)).toContain("It is the.");
    expect(server.requests[1]?.messages.some(({ content }) => content.includes("<available_skills>"))).toBe(true);
  });
});

test("a background agent is stopped when the run ends, after its last hooks have run", async () => {
  const start = { name: "run_background_agent", arguments: { agent: "helper", task: "t" } };
  const server = serve({ calls: [start] }, { text: "ok" });
  const silent = serve(() => new Promise<Response>(() => {}));
  const cwd = tempDir();
  const waiting = "n=0; until [ -e calling ] || [ $n = 200 ]; do n=$((n+1)); sleep 0.05; done";
  const agent = JSON.parse(
    agentFor(server, {
      sub_agents: ["helper"],
      toolsets: [{ type: "background_agents" }],
      hooks: {
        turn_end: [{ type: "command", command: waiting }],
        subagent_stop: [{ type: "command", command: "sleep 0.3; touch told" }],
      },
    }),
  );
  agent.providers.silent = { base_url: silent.url };
  agent.agents.helper = {
    model: "silent/model",
    instruction: "h",
    redact_secrets: false,
    hooks: {
      before_llm_call: [{ type: "command", command: "touch calling" }],
      turn_end: [{ type: "command", command: "cat > turn_end.json" }],
      session_end: [{ type: "command", command: "sleep 0.3; touch ended" }],
    },
  };
  await Bun.write(join(cwd, "agent.yaml"), JSON.stringify(agent));
  expect(await hooksh(["run", "agent.yaml", "--yolo", "go"], { cwd })).toMatchObject({ code: 0, stderr: "" });
  expect([existsSync(join(cwd, "ended")), existsSync(join(cwd, "told"))]).toEqual([true, true]);
  const ended = JSON.parse(readFileSync(join(cwd, "turn_end.json"), "utf8"));
  expect(ended).toMatchObject({ reason: "canceled", agent_name: "helper" });
});
