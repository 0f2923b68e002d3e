import { expect, test } from "bun:test";
import { fileOf } from "../../src/audit/entry.ts";

test.each([
  ["/p/hooks.yaml: hooks.pre_tool_use[0].hooks[1]", "/p/hooks.yaml"],
  ["/p/config.yaml: settings.hooks.stop[0]", "/p/config.yaml"],
  ["/p/agent.yaml: agents.root.hooks.stop[0]", "/p/agent.yaml"],
  ["C:\\p\\hooks.yaml: hooks.stop[0]", "C:\\p\\hooks.yaml"],
  ["hooks.yaml:4", "hooks.yaml"],
  ["hooks.yaml:4:7", "hooks.yaml"],
  ["--hook-stop", "--hook-stop"],
  ["add_date: true", "add_date: true"],
  ["redact_secrets", "redact_secrets"],
])("the file of %s is %s", (source, file) => {
  expect(fileOf(source)).toBe(file);
});
