import { describe, expect, test } from "bun:test";
import type { Toolset } from "../../src/tools/tool.ts";
import { call, makeToolset, toolContext } from "./fixtures.ts";

async function run(toolset: Toolset, name: string, input: Record<string, unknown> = {}) {
  const { text, isError } = await call(toolset, name, input, toolContext("/"));
  return { isError, json: JSON.parse(text) as Record<string, unknown> };
}

const first = { id: "todo_1", description: "wash", status: "pending" };
const second = { id: "todo_2", description: "dry", status: "pending" };

describe("a todo list", () => {
  test("counts its ids and shows the whole list after every change", async () => {
    const toolset = await makeToolset("todo", "/");
    expect((await run(toolset, "create_todo", { description: "wash" })).json).toEqual({
      created: first,
      all_todos: [first],
      reminder: "Not finished yet: todo_1 (pending): wash",
    });
    const { json } = await run(toolset, "create_todos", { descriptions: ["dry"] });
    expect(json).toMatchObject({ created: [second], all_todos: [first, second] });
  });

  test("updates known ids and names unknown ones", async () => {
    const toolset = await makeToolset("todo", "/");
    await run(toolset, "create_todos", { descriptions: ["wash", "dry"] });
    const updates = [
      { id: "todo_2", status: "completed" },
      { id: "todo_9", status: "completed" },
    ];
    const { json, isError } = await run(toolset, "update_todos", { updates });
    expect(isError).toBeUndefined();
    expect(json).toEqual({
      updated: [updates[0]],
      not_found: ["todo_9"],
      all_todos: [first, { ...second, status: "completed" }],
      reminder: "Not finished yet: todo_1 (pending): wash",
    });
  });

  test("is an error result if no id is known", async () => {
    const toolset = await makeToolset("todo", "/");
    const updates = [{ id: "todo_1", status: "completed" }];
    expect(await run(toolset, "update_todos", { updates })).toEqual({
      isError: true,
      json: { updated: [], not_found: ["todo_1"], all_todos: [] },
    });
  });

  test("refuses a status it does not know", async () => {
    const toolset = await makeToolset("todo", "/");
    await run(toolset, "create_todo", { description: "wash" });
    const result = await call(
      toolset,
      "update_todos",
      { updates: [{ id: "todo_1", status: "done" }] },
      toolContext("/"),
    );
    expect(result.isError).toBe(true);
    expect((await run(toolset, "list_todos")).json).toMatchObject({ todos: [first] });
  });

  test("has no reminder when all todos are completed", async () => {
    const toolset = await makeToolset("todo", "/");
    await run(toolset, "create_todo", { description: "wash" });
    await run(toolset, "update_todos", { updates: [{ id: "todo_1", status: "completed" }] });
    expect((await run(toolset, "list_todos")).json).toEqual({ todos: [{ ...first, status: "completed" }] });
  });

  test("belongs to its toolset unless it is shared", async () => {
    const [own, shared, alsoShared] = await Promise.all([
      makeToolset("todo", "/"),
      makeToolset("todo", "/", { shared: true }),
      makeToolset("todo", "/", { shared: true }),
    ]);
    await run(shared, "create_todo", { description: "wash" });
    expect((await run(alsoShared, "list_todos")).json).toMatchObject({ todos: [{ description: "wash" }] });
    expect((await run(own, "list_todos")).json).toEqual({ todos: [] });
  });
});
