import { describe, expect, test } from "bun:test";
import { decode } from "../../src/dialects/decode.ts";
import type { HostTool } from "../../src/dialects/dialect.ts";
import { toOwnInput } from "../../src/dialects/own-input.ts";
import { patchTool } from "../../src/dialects/patch-tool.ts";
import { toHostInput } from "../../src/dialects/tools.ts";
import type { Payload } from "../../src/protocol/rewrite.ts";
import { codec } from "./codec.ts";

const patch = "*** Begin Patch\n*** Update File: real.ts\n*** End Patch";

describe("every tool of Claude Code that edits files is edit_file", () => {
  test.each([
    [
      "MultiEdit",
      { file_path: "a.ts", edits: [{ old_string: "a", new_string: "b" }] },
      { path: "a.ts", edits: [{ oldText: "a", newText: "b" }] },
    ],
    ["NotebookEdit", { notebook_path: "a.ipynb", new_source: "b" }, { path: "a.ipynb", content: "b" }],
  ])("%s", async (tool_name, tool_input, input) => {
    const { dialect } = await import("../../src/dialects/hosts/claude.ts");
    const call = decode(dialect, { hook_event_name: "PreToolUse", tool_name, tool_input });
    expect(call).toMatchObject({ tool: { input, names: ["edit_file", tool_name] } });
  });
});

describe("a field that the host does not know hides none that it acts on", () => {
  const shell: HostTool = { is: "shell", names: ["Bash"], fields: [["command", "cmd"]] };
  const PATHS: HostTool["fields"] = [
    ["path", "path"],
    ["file_path", "path"],
  ];
  const edit: HostTool = {
    is: "edit_file",
    names: ["Edit"],
    fields: [["file_path", "path"]],
    edit: ["old_string", "new_string"],
  };
  const cases: [HostTool, Payload, Payload][] = [
    [shell, { command: "rm -rf x", cmd: "ls" }, { cmd: "rm -rf x" }],
    [shell, { cmd: "ls", command: "rm -rf x" }, { cmd: "rm -rf x" }],
    [
      edit,
      { file_path: "real.ts", path: "other.ts", old_string: "a", new_string: "b", edits: [] },
      { path: "real.ts", edits: [{ oldText: "a", newText: "b" }] },
    ],
    [
      patchTool(["apply_patch"], "input"),
      { input: patch, path: "other.ts", paths: [], patch: "" },
      { path: "real.ts", paths: ["real.ts"], patch },
    ],
    [
      { is: "read_file", names: ["view"], fields: PATHS },
      { file_path: "other.ts", path: "real.ts" },
      { path: "real.ts" },
    ],
    [patchTool(["apply_patch"], "input"), { input: "none", path: "other.ts" }, { patch: "none" }],
  ];
  test.each(cases)("%#", (tool, input, own) => {
    expect(toOwnInput(tool, input)).toEqual(own);
  });

  test("a list of files of Amazon Q and of the CLI of Cline", async () => {
    const operations = [{ mode: "Line", path: "real.ts" }];
    const payload = { hook_event_name: "preToolUse", tool_name: "fs_read" };
    const saw = (await codec("q")).saw({ ...payload, tool_input: { operations, path: "other.ts" } });
    expect(saw["tool_input"]).toMatchObject({ path: "real.ts", paths: ["real.ts"] });
    const call = { name: "read_files", input: { files: [{ path: "real.ts" }], path: "other.ts", paths: [] } };
    const sdk = (await codec("cline-sdk")).saw({ hookName: "tool_call", tool_call: call });
    expect(sdk["tool_input"]).toMatchObject({ path: "real.ts", paths: ["real.ts"] });
  });
});

test("a patch in any of the fields in which hosts send it, and back in the same", async () => {
  for (const field of ["input", "patch"]) {
    const input = { [field]: patch };
    for (const [name, payload] of [
      ["droid", { hook_event_name: "PreToolUse", tool_name: "ApplyPatch", tool_input: input }],
      ["copilot", { toolName: "apply_patch", toolArgs: input }],
    ] as const) {
      const { tool } = (await codec(name)).read(payload, name === "copilot" ? "preToolUse" : undefined);
      expect(tool?.names).toContain("write_file");
      expect(tool?.input).toEqual({ path: "real.ts", paths: ["real.ts"], patch });
      expect(toHostInput(tool?.row, { ...tool?.input, patch: "other" }, input)).toEqual({ [field]: "other" });
    }
  }
});

describe("input that no call of the host came with", () => {
  test("it has the fields that tell the tool apart", async () => {
    const { dialect } = await codec("q");
    const write = (is: string, input: Payload) =>
      toHostInput(
        dialect.tools.find((tool) => tool.is === is),
        input,
      );
    expect(write("write_file", { path: "a", content: "b" })).toEqual({ command: "create", path: "a", file_text: "b" });
    expect(write("edit_file", { path: "a", edits: [{ oldText: "a", newText: "b" }] })).toEqual({
      command: "str_replace",
      path: "a",
      old_str: "a",
      new_str: "b",
    });
    expect(write("read_file", { path: "a" })).toEqual({ path: "a" });
    const edits = [
      { oldText: "a", newText: "b" },
      { oldText: "c", newText: "d" },
    ];
    const editors = dialect.tools.filter(({ is, also = [] }) => [is, ...also].includes("edit_file"));
    expect(editors.map((tool) => toHostInput(tool, { path: "a", edits }))).toEqual([undefined, undefined]);
    const openhands = await codec("openhands");
    const view = openhands.dialect.tools.find((tool) => tool.is === "read_file");
    expect(toHostInput(view, { path: "a" })).toEqual({ command: "view", path: "a" });
  });

  test("several edits need a tool that takes a list of them", async () => {
    const edits = [
      { oldText: "a", newText: "b" },
      { oldText: "c", newText: "d" },
    ];
    const tools = (await codec("agy")).dialect.tools.filter(({ is }) => is === "edit_file");
    expect(tools.map((tool) => toHostInput(tool, { path: "a", edits }))).toEqual([
      undefined,
      {
        TargetFile: "a",
        ReplacementChunks: [
          { TargetContent: "a", ReplacementContent: "b" },
          { TargetContent: "c", ReplacementContent: "d" },
        ],
      },
    ]);
  });
});
