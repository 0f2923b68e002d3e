import { expect, test } from "bun:test";
import { setUp, start } from "../helpers/terminal-run.ts";

test("todos stay above the input line until all are completed; /todos hides them", async () => {
  const update = (...updates: [string, string][]) => ({
    calls: [{ name: "update_todos", arguments: { updates: updates.map(([id, status]) => ({ id, status })) } }],
  });
  const { cwd } = setUp(
    { toolsets: [{ type: "todo" }] },
    { calls: [{ name: "create_todos", arguments: { descriptions: ["read it", "write it"] } }] },
    update(["todo_1", "completed"], ["todo_2", "in-progress"]),
    { text: "half done" },
    update(["todo_2", "completed"]),
    { text: "all done" },
  );
  const run = start(cwd);
  await run.sees("/help shows");
  run.press("go\r");
  await run.sees("half done");
  await run.sees("1 of 2 done");
  await run.sees("[>] write it");
  run.press("/todos\r");
  await run.sees("(todos are hidden");
  run.press("/todos\r");
  await run.sees("(todos are shown");
  await run.sees("1 of 2 done");
  run.press("go on\r");
  await run.sees("all done");
  const before = run.shown().length;
  run.press("/todos\r");
  await run.sees("(todos are hidden");
  expect(run.shown().slice(before)).not.toContain("of 2 done");
  run.press("\x04");
  await run.child.exited;
});
