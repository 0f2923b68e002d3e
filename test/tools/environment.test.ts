import { expect, test } from "bun:test";
import { call, makeToolset, temporaryDirectory, toolContext } from "./fixtures.ts";

test.each([
  ["/bin/bash", "bash"],
  ["/opt/Tools/FISH", "fish"],
])("get_environment_info names the system and the shell %s, and nothing else", async (SHELL, shell) => {
  const directory = temporaryDirectory();
  const toolset = await makeToolset("environment", directory, {}, { env: { SHELL, USER: "me", HOME: "/home/me" } });
  const { text, isError } = await call(toolset, "get_environment_info", {}, toolContext(directory));
  expect(isError).toBeUndefined();
  const os = process.platform === "darwin" ? "macOS" : "Linux";
  expect(text).toBe(`{"os":"${os}","shell":"${shell}"}`);
});
