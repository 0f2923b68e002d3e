import { expect, test } from "bun:test";
import { join } from "node:path";
import { setUp, start } from "../helpers/terminal-run.ts";

const SECRET = "what-the-agent-may-not-read";

test.each([
  ["deny_list", { deny_list: ["secret.txt"] }],
  ["allow_list", { allow_list: ["public"] }],
])("a file that %s keeps from the tool is shown neither in the question nor in the call", async (_name, rules) => {
  const edits = [{ oldText: "one", newText: "two" }];
  const edit = { calls: [{ name: "edit_file", arguments: { path: "secret.txt", edits } }] };
  const { cwd } = setUp({ toolsets: [{ type: "filesystem", ...rules }] }, edit, { text: "finished" });
  await Bun.write(join(cwd, "secret.txt"), `one\n${SECRET}\n`);
  const run = start(cwd, ["go"]);
  await run.sees("root wants to run edit_file: secret.txt");
  await run.sees("the tool may not read it");
  await run.sees("- one");
  await run.sees("+ two");
  await run.sees("[n]o:");
  run.press("y");
  await run.sees("finished");
  await run.child.exited;
  expect(run.shown()).not.toContain(SECRET);
});
