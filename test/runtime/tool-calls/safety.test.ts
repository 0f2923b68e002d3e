import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import {
  isProjectEdit,
  judgeByMode,
  labelOf,
  type SafetyLabel,
  teamAskRulesApply,
} from "../../../src/runtime/tool-calls/safety.ts";
import type { Tool } from "../../../src/tools/tool.ts";
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

const modes = [undefined, "strict", "plan", "accept-edits", "balanced", "restricted", "autonomous", "new"] as const;
const verdicts = (label: SafetyLabel["label"], edits: boolean) =>
  modes.map((mode) => {
    const verdict = judgeByMode(
      mode,
      () => label,
      () => edits,
    );
    return verdict.kind === "open" ? "open" : `${verdict.kind} ${verdict.source}`;
  });

test("a mode decides by the label of a call, and accept-edits by what it edits; an unknown mode leaves all open", () => {
  const [open, all] = ["open", "allow yolo"];
  expect(verdicts("safe", false)).toEqual([
    open,
    open,
    open,
    open,
    "allow mode_balanced",
    "allow mode_restricted",
    all,
    open,
  ]);
  expect(verdicts("unknown", true)).toEqual([
    open,
    open,
    open,
    "allow mode_accept_edits",
    open,
    "deny mode_restricted",
    all,
    open,
  ]);
  expect(judgeByMode("accept-edits", () => "safe")).toEqual({ kind: "open" });
});

test("rules that ask hold unless the user chose to be asked less", () => {
  expect(modes.map((mode) => teamAskRulesApply(mode))).toEqual([true, true, true, true, false, false, false, true]);
});

test("the label of a tool comes from its hints, that of a command line from its text", () => {
  const label = (tool: object, input = {}) => labelOf({ ...tool } as Tool, input);
  expect(label({ destructive: true, readOnly: true })).toEqual({ label: "destructive", details: {} });
  expect(label({ readOnly: true })).toEqual({ label: "safe", details: {} });
  expect(label({})).toEqual({ label: "unknown", details: {} });
  const shell = { name: "shell", category: "shell" };
  expect(label(shell, { cmd: "rm -rf build" })).toMatchObject({
    label: "destructive",
    details: { blast_radius: "high", category: "fs-delete", reason: expect.stringContaining("rm -rf") },
  });
});
