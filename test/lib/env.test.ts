import { expect, test } from "bun:test";
import { variableName } from "../../src/lib/env.ts";

test.each([
  ["Windows, where it is spelled Path", { Path: "p" }, "win32", "Path"],
  ["Windows, where both are there", { Path: "p", PATH: "q" }, "win32", "PATH"],
  ["Windows without one", {}, "win32", "PATH"],
  ["Linux, where they are two variables", { Path: "p" }, "linux", "PATH"],
] as const)("the name of PATH on %s", (_where, env, platform, name) => {
  expect(variableName(env, "PATH", platform)).toBe(name);
});
