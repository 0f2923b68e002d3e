import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { decode, eventNamed, hostEvent, isUndecodable, unknownFields } from "../../src/dialects/decode.ts";
import type { HostCall } from "../../src/dialects/dialect.ts";
import { DIALECTS, type DialectName, isDialectName } from "../../src/dialects/names.ts";
import { recognize } from "../../src/dialects/recognize.ts";
import { RECORDED_AGENTS, RECORDINGS } from "../helpers/recordings.ts";
import { codec } from "./codec.ts";

test("a number where text is due is text, so that hooks judge the event", async () => {
  const cursor = await codec("cursor");
  const payload = { conversation_id: 5, workspace_roots: [7], hook_event_name: "beforeSubmitPrompt", prompt: 42 };
  expect(cursor.saw(payload)).toMatchObject({ session_id: "5", prompt: "42" });
  expect(cursor.saw(payload)).not.toHaveProperty("cwd");
});

test("a number where hooks expect one stays one, and input is never changed", async () => {
  const claude = await codec("claude");
  const call = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: 1, timeout: 2000 } };
  expect(claude.saw(call)["tool_input"]).toEqual({ cmd: 1, timeout: 2 });
});

test("hooks are told if a host's tool is in no table", async () => {
  const claude = await codec("claude");
  const hostOf = (tool_name: string) =>
    claude.saw({ hook_event_name: "PreToolUse", tool_name, tool_input: {} })["host"] as Record<string, unknown>;
  expect(hostOf("Frobnicate")).toMatchObject({ tool_name: "Frobnicate", unknown_tool: true });
  for (const known of ["Bash", "WebSearch", "mcp__github__get_issue"])
    expect(hostOf(known)).not.toHaveProperty("unknown_tool");
});

test("other agents' words for the start and the end of a session become hooksh's, unknown ones stay", async () => {
  const cases: [DialectName, event: string, field: string, sent: string, own: string][] = [
    ["claude", "SessionStart", "source", "fork", "resume"],
    ["claude", "SessionStart", "source", "load", "resume"],
    ["claude", "SessionStart", "source", "sideways", "sideways"],
    ["claude", "SessionEnd", "reason", "sideways", "other"],
    ["vscode", "SessionStart", "source", "new", "startup"],
    ["copilot", "sessionStart", "source", "new", "startup"],
    ["copilot", "sessionEnd", "reason", "user_exit", "prompt_input_exit"],
    ["grok", "session_start", "source", "load", "resume"],
    ["grok", "session_end", "reason", "user_exit", "prompt_input_exit"],
    ["claude", "SessionEnd", "reason", "user_exit", "prompt_input_exit"],
    ["claude", "SessionStart", "source", "constructor", "constructor"],
  ];
  for (const [name, event, field, sent, own] of cases)
    expect((await codec(name)).saw({ [field]: sent }, event)[field]).toBe(own);
});

async function callOf(name: DialectName, payload: Record<string, unknown>, file = ""): Promise<HostCall> {
  const { dialect } = await DIALECTS[name].load();
  // Copilot's payloads name no event; files are named after it.
  const event = eventNamed(dialect, payload) ?? file.split(/[/.-]/).find((part) => hostEvent(dialect, part));
  const call = decode(dialect, payload, event);
  if (isUndecodable(call)) throw new Error(call.problem);
  return call;
}

const payload = {
  session_id: "s",
  transcript_path: "/t",
  cwd: "/",
  permission_mode: "default",
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  tool_input: { command: "ls" },
  tool_use_id: "t",
};

describe("fields that hooksh does not know", () => {
  test("are those that no codec reads and no list names", async () => {
    expect(unknownFields(await callOf("claude", payload))).toEqual([]);
    expect(unknownFields(await callOf("claude", { ...payload, sandbox: {}, tool_inputs: 1 }))).toEqual([
      "sandbox",
      "tool_inputs",
    ]);
  });

  test("depend on the event", async () => {
    const stop = { ...payload, hook_event_name: "Stop", tool_name: undefined, background_tasks: [] };
    expect(unknownFields(await callOf("claude", stop))).not.toContain("background_tasks");
    expect(unknownFields(await callOf("claude", { ...payload, background_tasks: [] }))).toEqual(["background_tasks"]);
  });

  test("of an event whose fields are not documented are all known", async () => {
    const changed = { ...payload, hook_event_name: "ConfigChange", anything: 1 };
    expect(unknownFields(await callOf("claude", changed))).toEqual([]);
  });

  test("are named like fields of objects are no exception", async () => {
    const call = await callOf("claude", { ...payload, constructor: 1, toString: 1 });
    expect(unknownFields(call)).toEqual(["constructor", "toString"]);
  });
});

const files = RECORDED_AGENTS.filter((folder) => !folder.startsWith("opencode")) // those are arguments of handlers
  .flatMap((folder) => readdirSync(join(RECORDINGS, folder)).map((file) => `${folder}/${file}`))
  .filter((file) => file.endsWith(".json"));

describe.skipIf(files.length === 0)("recorded payloads", () => {
  test.each(files)("%s has no unknown field", async (file) => {
    const recorded = JSON.parse(readFileSync(join(RECORDINGS, file), "utf8")) as Record<string, unknown>;
    const name = recognize(recorded, {})?.dialect;
    if (name === undefined || !isDialectName(name)) throw new Error(`not recognised: ${name}`);
    expect(unknownFields(await callOf(name, recorded, file))).toEqual([]);
  });
});
