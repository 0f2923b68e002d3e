import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { call, makeToolset, temporaryDirectory, toolContext } from "./fixtures.ts";

test("has three tools of filesystem, which hooks, rules and the model see the same way", async () => {
  const directory = temporaryDirectory();
  const whole = await makeToolset("filesystem", directory);
  const { tools } = await makeToolset("file", directory);
  const plain = (value: unknown) => JSON.parse(JSON.stringify(value));
  expect(tools.map(({ name }) => name)).toEqual(["edit_file", "read_file", "write_file"]);
  for (const tool of tools) {
    expect(tool.category).toBe("filesystem");
    expect(plain(tool)).toEqual(plain(whole.tools.find(({ name }) => name === tool.name)));
  }
});

test("obeys allow_list, deny_list and post_edit", async () => {
  const directory = temporaryDirectory();
  const toolset = await makeToolset("file", directory, {
    allow_list: ["."],
    deny_list: ["keys"],
    post_edit: [{ path: "*.txt", cmd: 'echo "after ${path}" >> edits' }],
  });
  const context = toolContext(directory);
  const run = (name: string, input: Record<string, unknown>) => call(toolset, name, input, context);
  await run("write_file", { path: "a.txt", content: "one" });
  await run("edit_file", { path: "a.txt", edits: [{ oldText: "one", newText: "two" }] });
  expect(await run("read_file", { path: "a.txt" })).toMatchObject({ text: expect.stringContaining("two") });
  expect(readFileSync(join(directory, "edits"), "utf8").split("\n")).toHaveLength(3);
  mkdirSync(join(directory, "keys"));
  writeFileSync(join(directory, "keys/server"), "secret");
  for (const path of ["keys/server", "/etc/hostname"]) {
    const denied = await run("read_file", { path });
    expect(denied).toMatchObject({ isError: true });
    expect(denied.text).toMatch(/deny_list|allow_list/);
  }
  expect((await run("write_file", { path: "keys/b", content: "" })).isError).toBe(true);
});
