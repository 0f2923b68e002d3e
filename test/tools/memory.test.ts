import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Toolset } from "../../src/tools/tool.ts";
import { call, makeToolset, temporaryDirectory, toolContext } from "./fixtures.ts";

async function run(toolset: Toolset, name: string, input: Record<string, unknown> = {}) {
  return call(toolset, name, input, toolContext("/"));
}

async function add(toolset: Toolset, memory: string, category?: string): Promise<string> {
  const { text } = await run(toolset, "add_memory", { memory, ...(category === undefined ? {} : { category }) });
  return /^Memory added successfully with ID: (\d{19,})$/.exec(text)?.[1] ?? `no id in ${text}`;
}

async function memories(
  toolset: Toolset,
  name = "get_memories",
  input: Record<string, unknown> = {},
): Promise<string[]> {
  const rows = JSON.parse((await run(toolset, name, input)).text) as { memory: string }[];
  return rows.map(({ memory }) => memory);
}

describe("a memory", () => {
  test("is available in the next session", async () => {
    const directory = temporaryDirectory();
    const first = await makeToolset("memory", directory, {}, { configName: "pirate" });
    const id = await add(first, "likes rum", "taste");
    await first.close?.();
    expect(existsSync(join(directory, ".data/memory/pirate/memory.db"))).toBe(true);
    const next = await makeToolset("memory", directory, {}, { configName: "pirate" });
    const [row] = JSON.parse((await run(next, "get_memories")).text) as object[];
    expect(row).toMatchObject({
      id,
      memory: "likes rum",
      category: "taste",
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    await next.close?.();
  });

  test("has an id of its own, even among many", async () => {
    const toolset = await makeToolset("memory", temporaryDirectory(), { path: "m.db" });
    const ids = await Promise.all(Array.from({ length: 20 }, (_, index) => add(toolset, `m${index}`)));
    expect(new Set(ids).size).toBe(20);
    await toolset.close?.();
  });

  test("is changed and keeps its category unless a new one is given", async () => {
    const toolset = await makeToolset("memory", temporaryDirectory(), { path: "m.db" });
    const id = await add(toolset, "old", "a");
    await run(toolset, "update_memory", { id, memory: "new" });
    expect(JSON.parse((await run(toolset, "get_memories")).text)).toMatchObject([{ memory: "new", category: "a" }]);
    await run(toolset, "update_memory", { id, memory: "newer", category: "b" });
    expect(JSON.parse((await run(toolset, "get_memories")).text)).toMatchObject([{ memory: "newer", category: "b" }]);
    await toolset.close?.();
  });

  test("can be deleted, and an unknown id is named", async () => {
    const toolset = await makeToolset("memory", temporaryDirectory(), { path: "m.db" });
    const id = await add(toolset, "old");
    expect((await run(toolset, "delete_memory", { id })).isError).toBeUndefined();
    expect(await memories(toolset)).toEqual([]);
    const gone = { text: `Error: no memory has the id "${id}"`, isError: true };
    expect(await run(toolset, "delete_memory", { id })).toEqual(gone);
    expect(await run(toolset, "update_memory", { id, memory: "x" })).toEqual(gone);
    await toolset.close?.();
  });
});

test("a search finds memories with all words, in any case, of the requested category", async () => {
  const toolset = await makeToolset("memory", temporaryDirectory(), { path: "m.db" });
  await add(toolset, "The sky is BLUE", "Nature");
  await add(toolset, "the sea is blue", "nature");
  await add(toolset, "100% blue_jeans", "clothes");
  const search = (input: Record<string, unknown>) => memories(toolset, "search_memories", input);
  expect(await search({ query: "blue the" })).toEqual(["The sky is BLUE", "the sea is blue"]);
  expect(await search({ query: "blue sky" })).toEqual(["The sky is BLUE"]);
  expect(await search({ query: "%" })).toEqual(["100% blue_jeans"]);
  expect(await search({ category: "NATURE" })).toHaveLength(2);
  expect(await search({ query: "blue", category: "clothes" })).toEqual(["100% blue_jeans"]);
  expect(await search({})).toHaveLength(3);
  await toolset.close?.();
});

test.each([
  [
    "with categories",
    "CREATE TABLE memories (id TEXT PRIMARY KEY, created_at TEXT, memory TEXT, category TEXT DEFAULT '')",
  ],
  ["without categories", "CREATE TABLE memories (id TEXT PRIMARY KEY, created_at TEXT, memory TEXT)"],
])("a file written by another program is used, %s", async (_title, create) => {
  const directory = temporaryDirectory();
  const path = join(directory, "theirs.db");
  const theirs = new Database(path);
  theirs.run(create);
  theirs.run(
    "INSERT INTO memories (id, created_at, memory) VALUES ('1700000000000000000', '2024-01-01T10:00:00Z', 'theirs')",
  );
  theirs.close();
  const toolset = await makeToolset("memory", directory, { path });
  await add(toolset, "ours");
  expect(await memories(toolset)).toEqual(["theirs", "ours"]);
  await toolset.close?.();
  const again = new Database(path);
  expect(again.query("SELECT memory FROM memories WHERE category = '' OR category IS NULL").all()).toHaveLength(2);
  again.close();
});

test("a file that cannot be opened is an error result", async () => {
  const toolset = await makeToolset("memory", temporaryDirectory(), { path: "/dev/null/m.db" });
  expect(await run(toolset, "get_memories")).toMatchObject({ isError: true });
  await toolset.close?.();
});

test("a pipe in place of the file is an error result, and is not waited for", async () => {
  const directory = temporaryDirectory();
  const path = join(directory, "m.db");
  Bun.spawnSync(["mkfifo", path]);
  const toolset = await makeToolset("memory", directory, { path });
  expect(await run(toolset, "get_memories")).toMatchObject({
    isError: true,
    text: expect.stringContaining("is not a regular file"),
  });
  await toolset.close?.();
});
