import { expect, test } from "bun:test";
import { checkAgentFile } from "../../src/config/agent/agent-file.ts";
import { describeEffects } from "../../src/config/agent/effects.ts";
import { parseDocument } from "../../src/config/yaml/document.ts";
import { TOOLSETS } from "../../src/tools/index.ts";
import { NAMED_TOOLS } from "../../src/tools/tool-names.ts";
import type { ToolsetRow } from "../../src/tools/toolset-row.ts";

const ROWS = Object.entries<ToolsetRow>(TOOLSETS);

test.each(ROWS)("the row of %s has a summary, and either starts it or declares it unsupported", async (_type, row) => {
  expect(row.summary).toEndWith(".");
  const ways = [row.load !== undefined, row.isOfRuntime === true, row.facts?.withoutEffect !== undefined];
  expect(ways.filter(Boolean)).toHaveLength(1);
  if (row.load) expect((await row.load()).create).toBeFunction();
});

test("the names of tools that every dispatch compares matchers with are those of the rows", () => {
  const named = ROWS.filter(([, { tools }]) => Array.isArray(tools)).map(([type, { tools }]) => [type, tools]);
  expect(Object.fromEntries(named)).toEqual(
    Object.fromEntries(Object.entries(NAMED_TOOLS).map(([type, { tools }]) => [type, tools])),
  );
});

test("every toolset has effects, except those that affect nothing outside the conversation", async () => {
  const entries = [
    "{type: shell, env: {A: b}}",
    "{type: background_jobs}",
    "{type: script, shell: {t: {cmd: ls}}}",
    "{type: filesystem}",
    "{type: think}",
    "{type: todo}",
    "{type: memory}",
    "{type: fetch}",
    "{type: mcp, command: a, args: [b], env: {C: d}}",
    "{type: mcp, remote: {url: 'https://a.b'}}",
    "{type: mcp, ref: 'docker:x'}",
    "{type: user_prompt}",
    "{type: background_agents}",
    "{type: api, api_config: {name: n, endpoint: 'https://a.b', method: GET}}",
    "{type: openapi, url: 'https://a.b', timeout: 3}",
    "{type: git}",
  ];
  const text = `agents:\n  root:\n    model: openai/gpt-4o\n    toolsets:\n${entries.map((entry) => `      - ${entry}\n`).join("")}`;
  const { file, problems } = await checkAgentFile(await parseDocument(text, "agent.yaml", "/"), "/");
  expect(problems).toEqual([]);
  expect(
    describeEffects(file!)
      .filter((line) => line.includes("toolsets["))
      .map((line) => line.replace(/^agents\.root\.toolsets/, "")),
  ).toEqual([
    '[0]: tools shell {"env":{"A":"b"}}',
    "[1]: tools background_jobs",
    '[2]: tool "t" runs "ls" {"cmd":"ls"}',
    "[3]: tools filesystem",
    "[6]: tools memory",
    "[7]: tools fetch",
    '[8]: starts "a" ["b"] {"env":{"C":"d"}}',
    '[9]: connects to {"url":"https://a.b"}',
    '[10]: starts the MCP server "docker:x"',
    "[12]: tools background_agents",
    '[13]: calls {"name":"n","endpoint":"https://a.b","method":"GET"}',
    '[14]: calls "https://a.b" {"timeout":3}',
    "[15]: tools git",
  ]);
});
