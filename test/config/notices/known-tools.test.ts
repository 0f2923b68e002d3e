import { expect, test } from "bun:test";
import type { Agent } from "../../../src/config/agent/resolve-agent.ts";
import { toolsOfAgent } from "../../../src/config/notices/known-tools.ts";
import { BUILT_IN_TOOLS, builtInToolFor } from "../../../src/config/toolsets/built-in-tools.ts";
import type { ToolsetConfig } from "../../../src/config/toolsets/toolset-schema.ts";
import { TOOLSETS, type ToolsetTypeName } from "../../../src/tools/index.ts";
import { NAMED_TOOLS } from "../../../src/tools/tool-names.ts";
import type { ToolsetRow } from "../../../src/tools/toolset-row.ts";
import { makeToolset, temporaryDirectory } from "../../tools/fixtures.ts";

/** An agent with these keys. */
const agent = (keys: Partial<Agent>) => ({ toolsets: [], skills: false, ...keys }) as unknown as Agent;
const toolset = (type: string, keys: object = {}) => ({ type, ...keys }) as ToolsetConfig;

/** The types of toolsets without a server. */
const OPTIONS: Partial<Record<ToolsetTypeName, object>> = {
  script: { shell: { greet: { cmd: "echo hi" } } },
  api: { api_config: { name: "weather", endpoint: "https://example.com", method: "GET" } },
};

const LOCAL = Object.entries<ToolsetRow>(TOOLSETS)
  .filter(([, { tools, load }]) => tools && load)
  .map(([type]) => type as ToolsetTypeName);

test.each(LOCAL)("the known tools of %s are those that it creates", async (type) => {
  const options = { ...OPTIONS[type] };
  const made = await makeToolset(type, temporaryDirectory(), options);
  const known = toolsOfAgent(agent({ toolsets: [toolset(type, options)] }), { toolsets: {} });
  expect([...known.names].sort()).toEqual(made.tools.map(({ name }) => name).sort());
  expect(known.mayHaveMore).toBe(false);
});

test.each(["mcp", "openapi", "git"])("the tools of %s are not known", (type) => {
  expect(toolsOfAgent(agent({ toolsets: [toolset(type)] }), { toolsets: {} })).toEqual({
    names: [],
    mayHaveMore: true,
  });
});

test("keys of an agent enable tools, and the tools key of a toolset selects some", () => {
  const keys = {
    sub_agents: ["a"],
    handoffs: ["b"],
    skills: true,
    toolsets: [toolset("filesystem", { tools: ["read_file"] })],
  };
  const { names, mayHaveMore } = toolsOfAgent(agent(keys), { toolsets: { group: toolset("shell") } });
  expect(names).toEqual([
    "read_file",
    "shell",
    "transfer_task",
    "handoff",
    "read_skill",
    "read_skill_file",
    "run_skill",
  ]);
  expect(mayHaveMore).toBe(false);
});

test("the tools for background agents are those of the runtime", () => {
  const { names } = toolsOfAgent(agent({ toolsets: [toolset("background_agents")] }), { toolsets: {} });
  expect(names).toEqual([...NAMED_TOOLS.background_agents.tools]);
});

test.each([
  ["Bash", "shell"],
  ["Shell", "shell"],
  ["MultiEdit", "edit_file"],
  ["WebFetch", "fetch"],
  ["constructor", undefined],
])("%s is %p here", (name, tool) => {
  expect(builtInToolFor(name)).toBe(tool);
  if (tool) expect(BUILT_IN_TOOLS).toContain(tool);
});
