import { describe, expect, test } from "bun:test";
import { decode, isUndecodable } from "../../src/dialects/decode.ts";
import { DIALECTS, type DialectName } from "../../src/dialects/names.ts";
import type { Payload } from "../../src/protocol/rewrite.ts";
import { codec } from "./codec.ts";

const crush = { event: "PreToolUse", session_id: "s", cwd: "/p" };
const claude = { hook_event_name: "PreToolUse", session_id: "s", transcript_path: "/t.jsonl", cwd: "/p" };

async function problemOf(name: DialectName, payload: Payload, event?: string): Promise<string | undefined> {
  const { dialect } = await DIALECTS[name].load();
  const call = decode(dialect, payload, event);
  return isUndecodable(call) ? call.problem : undefined;
}

describe("a call that has one field of the host twice cannot be judged", () => {
  const twice: [DialectName, Payload][] = [
    ["crush", { ...crush, tool_name: "bash", tool_input: { command: "ls", Command: "rm -rf x" } }],
    ["crush", { ...crush, tool_name: "bash", tool_input: { COMMAND: "rm -rf x", command: "ls" } }],
    ["crush", { ...crush, tool_name: "view", tool_input: { file_path: "a", "file_\u017Fpath": 1, FILE_PATH: "b" } }],
    ["claude", { ...claude, tool_name: "Bash", tool_input: { command: "ls", Command: "rm -rf x" } }],
    ["kimi", { ...claude, tool_name: "Write", tool_input: { path: "a", file_path: "b" } }],
    ["droid", { ...claude, tool_name: "ApplyPatch", tool_input: { input: "one", patch: "two" } }],
  ];
  test.each(twice)("%s %#", async (name, payload) => {
    expect(await problemOf(name, payload)).toContain("which of the two counts is not clear");
  });

  test("the same value twice is clear, and so is a result", async () => {
    const same = { command: "ls", Command: "ls" };
    expect(await problemOf("crush", { ...crush, tool_name: "bash", tool_input: same })).toBeUndefined();
    const after = { ...claude, hook_event_name: "PostToolUse", tool_name: "Bash", tool_response: "" };
    expect(await problemOf("claude", { ...after, tool_input: { command: "a", Command: "b" } })).toBeUndefined();
  });
});

test("a field of the host in another case is seen under hooksh's name", async () => {
  const payload = { ...crush, tool_name: "bash", tool_input: { Command: "rm -rf x" } };
  expect((await codec("crush")).saw(payload)["tool_input"]).toEqual({ cmd: "rm -rf x" });
});

describe("hooks see every form of input that a call has", () => {
  test("one edit and a list of edits", async () => {
    const single = { old_string: "a", new_string: "b" };
    const input = { file_path: "x", ...single, edits: [{ old_string: "c", new_string: "d" }] };
    const { say, saw } = await codec("crush");
    const payload = { ...crush, tool_name: "multiedit", tool_input: input };
    const edits = [
      { oldText: "a", newText: "b" },
      { oldText: "c", newText: "d" },
    ];
    expect(saw(payload)["tool_input"]).toMatchObject({ edits });
    const { out } = say(payload, {}, { patch: { edits: edits.slice(0, 1) } });
    expect(out).toMatchObject({ decision: "deny" });
  });

  test("commands and files of the CLI of Cline", async () => {
    const { saw } = await codec("cline-sdk");
    const call = (name: string, input: Payload) => saw({ hookName: "tool_call", tool_call: { name, input } });
    const shell = call("run_commands", { commands: ["ls"], command: "rm", args: ["-rf", "x"], input: "id" });
    expect(shell["tool_input"]).toEqual({ cmd: "ls\nid\nrm -rf x" });
    const read = call("read_files", { files: [{ path: "a" }], file_paths: ["b"], input: "c" });
    expect(read["tool_input"]).toMatchObject({ path: "a", paths: ["a", "b", "c"] });
  });
});

describe("the server of an MCP tool", () => {
  test("a name that can be split in several ways is matched in all of them", async () => {
    const { read } = await codec("codex");
    const { tool } = read({ ...claude, tool_name: "mcp__my__server__do", tool_input: {} });
    expect(tool?.names).toEqual(["mcp__my__server__do", "mcp:my:server__do", "mcp:my__server:do"]);
  });

  test("Claude Code says which part of the name it is", async () => {
    const payload = { ...claude, tool_name: "mcp__my__server__do", tool_input: {}, mcp_server: { name: "my__server" } };
    expect((await codec("claude")).saw(payload)["tool_qualified_name"]).toBe("mcp:my__server:do");
  });
});

test("text that a hook rewrites to something else is refused: the host would make the call as it was", async () => {
  const payload = { ...claude, turn_id: "t", tool_name: "Bash", tool_input: { command: "npm i x" } };
  for (const cmd of [null, 5, ["ls"], { a: 1 }]) {
    const { out } = (await codec("codex")).say(payload, {}, { patch: { cmd } });
    expect(out).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
  }
});

test("a rewrite of a call with a number that JSON parsers round is refused: the host would act on the rounded one", async () => {
  const { say } = await codec("claude");
  for (const id of ["9007199254740993", "1e999"]) {
    const payload = {
      ...claude,
      tool_name: "mcp__db__drop",
      tool_input: JSON.parse(`{"note":"a","row":{"ids":[${id}]}}`),
    };
    const { out } = say(payload, {}, { patch: { note: "b" } });
    expect(out).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
    expect(say(payload, {}).out).toBe("");
  }
});
