import { expect, test } from "bun:test";
import { assembled } from "./assembled.ts";

test("the model of a toolset is used for the call after its tools, and for no other", async () => {
  const { agent, team } = await assembled({ toolsets: [{ type: "shell", model: "fake/other" }, { type: "think" }] });
  expect(agent.modelAfter?.("shell")?.id).toBe("fake/other");
  expect(agent.modelAfter?.("think")).toBeUndefined();
  await team.close();
});

test("a toolset's model whose key is missing is not used, which is logged", async () => {
  const { agent, logged } = await assembled(
    { toolsets: [{ type: "shell", model: "locked/model" }] },
    {
      file: {
        providers: {
          fake: { base_url: "http://127.0.0.1:1/v1" },
          locked: { base_url: "http://127.0.0.1:1/v1", token_key: "NO_SUCH_KEY" },
        },
      },
    },
  );
  expect(agent.modelAfter?.("shell")).toBeUndefined();
  expect(logged.join("\n")).toContain("NO_SUCH_KEY");
});

test("add_description_parameter adds the argument to tools that can take it", async () => {
  const named = async (keys: Record<string, unknown>) => {
    const { agent } = await assembled({ toolsets: [{ type: "shell" }, { type: "think" }], ...keys });
    const tools = agent.toolsets.flatMap((toolset) => toolset.tools);
    const isDescribed = (parameters: object) => JSON.stringify(parameters).includes('"description":{');
    return tools.filter(({ parameters }) => isDescribed(parameters)).map(({ name }) => name);
  };
  expect(await named({})).toEqual([]);
  expect(await named({ add_description_parameter: true })).toEqual(["shell"]);
});

test("if two tools have the same name, the first is kept and a warning names both places", async () => {
  const twice = { type: "script", shell: { shell: { cmd: "true" } } };
  const { warnings } = await assembled({ toolsets: [{ type: "shell" }, twice] });
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toMatch(/toolsets\[1\] \(script\): the tool shell .*toolsets\[0\] \(shell\)/);
});

test("builtins of all agents of a team share a memory, because the agents work in the same sessions", async () => {
  const hooks = { tool_response_transform: { hooks: { type: "builtin", command: "elide_repeated_tool_results" } } };
  const other = { model: "fake/model", instruction: "Help.", redact_secrets: false, hooks };
  const { agent, team } = await assembled(
    { hooks, sub_agents: ["other"] },
    {
      file: {
        agents: {
          root: { model: "fake/model", instruction: "Help.", redact_secrets: false, hooks, sub_agents: ["other"] },
          other,
        },
      },
    },
  );
  const response = {
    session_id: "s",
    tool_name: "read_file",
    tool_category: "filesystem",
    tool_read_only: true,
    tool_response: "x".repeat(2000),
  };
  const isElided = async (asked = agent) => {
    const { result } = await asked.hooks.dispatch("tool_response_transform", response, { details: true });
    return result.updated_tool_response !== undefined;
  };
  expect([await isElided(), await isElided(team.team.agents.get("other"))]).toEqual([false, true]);
  await team.close();
});

test("background_agents narrows to the tools that its entry keeps", async () => {
  const { agent, warnings } = await assembled({
    toolsets: [{ type: "background_agents", tools: ["run_background_agent", "nonsense"], instruction: "MINE" }],
  });
  expect(agent.background).toMatchObject({ tools: ["run_background_agent", "nonsense"] });
  expect(warnings).toEqual([expect.stringContaining('"nonsense" is not a tool of this toolset')]);
  expect(agent.toolsets.map(({ instructions }) => instructions)).toEqual(["MINE"]);
});

test("a read-only agent has only read-only tools", async () => {
  const { agent } = await assembled({ readonly: true, toolsets: [{ type: "shell" }, { type: "think" }] });
  expect(agent.toolsets.flatMap(({ tools }) => tools.map(({ name }) => name))).toEqual(["think"]);
});

test("the cost of a toolset's model is known too", async () => {
  const cost = { input: 1, output: 2 };
  const { agent } = await assembled(
    { toolsets: [{ type: "shell", model: "dear" }] },
    {
      file: {
        models: { dear: { provider: "fake", model: "other", cost } },
        providers: { fake: { base_url: "http://127.0.0.1:1/v1" } },
      },
    },
  );
  expect(agent.modelAfter?.("shell")?.id).toBe("fake/other");
  expect(agent.prices("fake/other")).toMatchObject(cost);
});
