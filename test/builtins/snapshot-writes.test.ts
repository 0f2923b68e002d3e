import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { run } from "../../builtins/snapshot.ts";
import type { BuiltinInput } from "../../src/protocol/builtin.ts";
import { TestRepository } from "../snapshot/snapshot-repository.ts";

let repo: TestRepository;
let memory: unknown;

beforeEach(async () => {
  memory = undefined;
  repo = await TestRepository.create({ "a.txt": "one\n" });
});

afterEach(() => repo.remove());

/** Dispatches an event to the builtin with `writes`. */
function event(name: BuiltinInput["hook_event_name"], extra: Partial<BuiltinInput> = {}) {
  return run({ session_id: "s", cwd: repo.root, hook_event_name: name, ...extra }, ["writes"], {
    signal: new AbortController().signal,
    memory: <T>(make: () => T) => (memory ??= make()) as T,
    env: repo.env,
    directories: { config: repo.base, data: repo.data, cache: repo.base },
    log: (_level, message) => void repo.log.push(message),
  });
}

test("a turn whose tools only read is not recorded, and costs nothing", async () => {
  await event("pre_tool_use", { tool_name: "read_file", tool_read_only: true });
  repo.write("a.txt", "the user's\n");
  await event("turn_end");
  await event("session_end");
  expect(existsSync(repo.data)).toBe(false);
});

test.each([
  ["shell", false],
  ["transfer_task", true],
])("a turn is recorded from before its first call of %s", async (tool_name, tool_read_only) => {
  const before = await repo.gitFiles();
  await event("pre_tool_use", { tool_name, tool_read_only });
  repo.write("a.txt", "two\n");
  await event("pre_tool_use", { tool_name: "shell" });
  repo.write("b.txt", "new\n");
  await event("turn_end");
  repo.write("c.txt", "the user's\n");
  await event("turn_end");
  await event("session_end");
  expect(await repo.checkpoints()).toEqual([["a.txt", "b.txt"]]);
  await repo.undo();
  expect([repo.read("a.txt"), repo.read("b.txt"), repo.read("c.txt")]).toEqual(["one\n", undefined, "the user's\n"]);
  expect(await repo.gitFiles()).toBe(before);
});
