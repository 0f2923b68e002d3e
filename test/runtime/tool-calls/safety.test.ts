import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { isProjectEdit } from "../../../src/runtime/tool-calls/safety.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

const workingDir = tempDir({ "agent.yaml": "", "src/a.ts": "" });
const outside = tempDir({ "b.ts": "" });
symlinkSync(outside, join(workingDir, "out"));
symlinkSync(workingDir, join(outside, "back"));
mkdirSync(join(workingDir, ".git"));

test.each([
  [true, "edit_file", { path: "src/a.ts" }],
  [true, "write_file", { path: join(workingDir, "new", "b.ts") }],
  [true, "write_file", { path: join(outside, "back", "src", "a.ts") }],
  [true, "create_directory", { paths: ["one", "src/two"] }],
  [false, "create_directory", { paths: ["one", "../two"] }],
  [false, "write_file", { path: "../b.ts" }],
  [false, "write_file", { path: "out/b.ts" }],
  [false, "write_file", { path: "src/../../b.ts" }],
  [false, "write_file", { path: "~/b.ts" }],
  [false, "write_file", { path: "" }],
  [false, "write_file", {}],
  [false, "write_file", { path: "src/\0" }],
  [false, "write_file", { path: ".git/hooks/pre-commit" }],
  [false, "write_file", { path: "src/.envrc" }],
  [false, "write_file", { path: "agent.yaml" }],
  [false, "remove_directory", { paths: ["src"] }],
  [false, "shell", { cmd: "ls", path: "src/a.ts" }],
])("accept-edits: %p for %s %j", (runs, name, input) => {
  const session = { workingDir, agentFile: join(workingDir, "agent.yaml") };
  expect(isProjectEdit({ name, category: "filesystem" }, input, session)).toBe(runs);
  expect(isProjectEdit({ name, category: "mcp" }, input, session)).toBe(false);
});
