import { describe, expect, test } from "bun:test";
import { ToolsetSchema } from "../../src/config/toolsets/toolset-schema.ts";
import { checkSchema } from "../../src/config/yaml/check-schema.ts";
import { TOOLSETS, type ToolsetTypeName } from "../../src/tools/index.ts";
import type { Tool } from "../../src/tools/tool.ts";
import type { ToolsetRow } from "../../src/tools/toolset-row.ts";
import { makeToolset, temporaryDirectory } from "./fixtures.ts";

type Row = [name: string, hints: "" | "R" | "D" | "RD", parameters: Record<string, string>];

/** Every tool as specified: R read-only, D describable; a parameter's type, with `?` when it may be left out. */
const SPECIFIED: { type: ToolsetTypeName; options: Record<string, unknown>; tools: Row[] }[] = [
  { type: "shell", options: {}, tools: [["shell", "D", { cmd: "string", cwd: "string?", timeout: "integer?" }]] },
  {
    type: "background_jobs",
    options: { recall: true },
    tools: [
      ["run_background_job", "D", { cmd: "string", cwd: "string?", recall: "boolean?" }],
      ["list_background_jobs", "RD", {}],
      ["view_background_job", "RD", { job_id: "string" }],
      ["stop_background_job", "D", { job_id: "string" }],
      ["wait_background_job", "RD", { job_id: "string", timeout: "integer?" }],
    ],
  },
  {
    type: "script",
    options: { shell: { greet: { cmd: "echo $who", args: { who: {} } } } },
    tools: [["greet", "", { who: "string" }]],
  },
  {
    type: "filesystem",
    options: {},
    tools: [
      ["directory_tree", "R", { path: "string" }],
      ["edit_file", "D", { path: "string", edits: "array of object" }],
      ["list_directory", "RD", { path: "string" }],
      ["read_file", "R", { path: "string", line: "integer?", limit: "integer?" }],
      ["read_multiple_files", "R", { paths: "array of string", json: "boolean?" }],
      [
        "search_files_content",
        "RD",
        { path: "string", query: "string", is_regex: "boolean?", excludePatterns: "array of string?" },
      ],
      ["write_file", "D", { path: "string", content: "string" }],
      ["create_directory", "", { paths: "array of string" }],
      ["remove_directory", "", { paths: "array of string" }],
    ],
  },
  {
    type: "file",
    options: {},
    tools: [
      ["edit_file", "D", { path: "string", edits: "array of object" }],
      ["read_file", "R", { path: "string", line: "integer?", limit: "integer?" }],
      ["write_file", "D", { path: "string", content: "string" }],
    ],
  },
  { type: "environment", options: {}, tools: [["get_environment_info", "R", {}]] },
  { type: "think", options: {}, tools: [["think", "R", { thought: "string" }]] },
  {
    type: "todo",
    options: {},
    tools: [
      ["create_todo", "R", { description: "string" }],
      ["create_todos", "R", { descriptions: "array of string" }],
      ["update_todos", "R", { updates: "array of object" }],
      ["list_todos", "R", {}],
    ],
  },
  {
    type: "memory",
    options: {},
    tools: [
      ["add_memory", "", { memory: "string", category: "string?" }],
      ["get_memories", "R", {}],
      ["search_memories", "R", { query: "string?", category: "string?" }],
      ["update_memory", "", { id: "string", memory: "string", category: "string?" }],
      ["delete_memory", "", { id: "string" }],
    ],
  },
  {
    type: "fetch",
    options: {},
    tools: [["fetch", "", { urls: "array of string", format: "string", timeout: "integer?" }]],
  },
  {
    type: "user_prompt",
    options: {},
    tools: [["user_prompt", "R", { message: "string", title: "string?", schema: "object?" }]],
  },
  {
    type: "api",
    options: {
      api_config: {
        name: "look",
        endpoint: "https://example.com/${id}",
        method: "GET",
        args: { id: { type: "string" } },
      },
    },
    tools: [["look", "R", { id: "string?" }]],
  },
];

/** Their tools come from a server, or from a document on one. */
const ELSEWHERE = ["openapi", "mcp"];

describe.each(SPECIFIED)("the toolset $type", ({ type, options, tools }) => {
  test("has exactly its tools, parameters and hints", async () => {
    const toolset = await makeToolset(type, temporaryDirectory(), options);
    expect(toolset.tools.map(rowOf)).toEqual(tools);
    for (const [index, tool] of toolset.tools.entries()) {
      // toEqual does not compare the order of properties.
      expect(Object.keys(propertiesOf(tool))).toEqual(Object.keys(tools[index]?.[2] ?? {}));
    }
    await toolset.close?.();
  });

  test("describes itself and its tools", async () => {
    expect(TOOLSETS[type].summary).toEndWith(".");
    const toolset = await makeToolset(type, temporaryDirectory(), options);
    for (const tool of toolset.tools) {
      expect(tool.title).not.toBe("");
      expect(tool.description).not.toBe("");
      expect(tool.destructive).toBeUndefined();
      expect(tool.parameters).toMatchObject({ type: "object", additionalProperties: false });
    }
    await toolset.close?.();
  });

  test("has a schema that takes its keys and no mistyped value for one of them", () => {
    const problemsOf = (more: object) =>
      checkSchema(ToolsetSchema, { type, ...options, ...more }, ["entry"], 15).problems;
    expect(problemsOf({})).toEqual([]);
    for (const key of Object.keys(TOOLSETS[type].keys)) {
      expect(problemsOf({ [key]: () => {} })).toMatchObject([{ path: ["entry", key] }]);
    }
  });
});

test("every toolset of the table is specified here", () => {
  const loaded = Object.entries<ToolsetRow>(TOOLSETS)
    .filter(([, { load }]) => load)
    .map(([type]) => type);
  expect([...SPECIFIED.map(({ type }): string => type), ...ELSEWHERE].sort()).toEqual(loaded.sort());
});

test("the edits of edit_file and the updates of update_todos say what they hold", async () => {
  const tools = [
    ...(await makeToolset("filesystem", temporaryDirectory())).tools,
    ...(await makeToolset("todo", "/")).tools,
  ];
  const items = (name: string, property: string) =>
    propertiesOf(tools.find((tool) => tool.name === name)!)[property]?.items;
  expect(items("edit_file", "edits")).toMatchObject({
    properties: { oldText: { type: "string" }, newText: { type: "string" } },
    required: ["oldText", "newText"],
  });
  expect(items("update_todos", "updates")).toMatchObject({
    properties: { id: { type: "string" }, status: { type: "string", enum: ["pending", "in-progress", "completed"] } },
    required: ["id", "status"],
  });
});

interface Property {
  type: string;
  items?: Property;
}

function propertiesOf(tool: Tool): Record<string, Property> {
  return tool.parameters["properties"] as unknown as Record<string, Property>;
}

function rowOf(tool: Tool): Row {
  const required = tool.parameters["required"] as string[];
  const typeText = (name: string, { type, items }: Property) =>
    `${type}${items ? ` of ${items.type}` : ""}${required.includes(name) ? "" : "?"}`;
  const entries = Object.entries(propertiesOf(tool)).map(([name, property]) => [name, typeText(name, property)]);
  const hints = `${tool.readOnly ? "R" : ""}${tool.describable ? "D" : ""}` as Row[1];
  return [tool.name, hints, Object.fromEntries(entries)];
}
