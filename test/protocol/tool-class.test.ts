import { expect, test } from "bun:test";
import { BUILT_IN_TOOLS } from "../../src/config/toolsets/built-in-tools.ts";
import { knownToolClass, ownToolClass } from "../../src/protocol/tool-class.ts";

test("every tool of hooksh has a class", () => {
  expect(BUILT_IN_TOOLS.filter((tool) => knownToolClass(tool) === undefined)).toEqual([]);
});

test.each([
  ["shell", "runs-commands"],
  ["remove_directory", "writes-files"],
  ["directory_tree", "reads-files"],
  ["fetch", "network"],
  ["run_skill", "delegates"],
  ["think", "other"],
])("%s: %s", (tool, expected) => {
  expect(ownToolClass(tool)).toBe(expected as "other");
});

test("a tool that an agent file declares has the class of its toolset, whatever its name", () => {
  const classes = ["script", "api", "openapi", "shell"].map((category) => knownToolClass("think", category));
  expect(classes).toEqual(["runs-commands", "network", "network", "other"]);
  expect(knownToolClass("toString")).toBeUndefined();
  expect(knownToolClass("deploy", "toString")).toBeUndefined();
  expect(ownToolClass("deploy")).toBe("other");
});
