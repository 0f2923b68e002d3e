import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DIALECTS, type DialectName } from "../../src/dialects/names.ts";
import { classOf, decodeTool } from "../../src/dialects/tools.ts";
import { TOOL_CLASSES, type ToolClass } from "../../src/protocol/tool-class.ts";
import { recordedTools } from "../hosts/record-tools.ts";

const RECORDED = readdirSync(join(import.meta.dir, "../hosts/tools")).map((file) => file.replace(".json", ""));
const NAMES = Object.keys(DIALECTS) as DialectName[];

/** How hooks see a call of a host's tool. */
async function seen(host: string, name: string, input: Record<string, unknown> = {}) {
  const { dialect } = await DIALECTS[host as DialectName].load();
  const payload = { tool_name: name, tool_input: input };
  const call = dialect.toolCall?.(payload, "PreToolUse") ?? { name, input, original: input };
  return decodeTool(dialect, call, payload);
}

describe("every tool that a released program offers has a row with a class", () => {
  test("nine programs were recorded", () => expect(RECORDED).toHaveLength(9));
  for (const host of RECORDED) {
    test(host, async () => {
      const { tools } = recordedTools(host);
      const unknown: string[] = [];
      for (const [name, input] of Object.entries(tools)) {
        const call = Object.fromEntries(input.map((field) => [field, "x"]));
        const { dialect } = await DIALECTS[host as DialectName].load();
        const cls = classOf(dialect, name) ?? (await seen(host, name, call)).class;
        if (cls === undefined) unknown.push(name);
      }
      expect(unknown).toEqual([]);
    });
  }
});

test.each(NAMES)("%s: no tool is listed twice", async (name) => {
  const { dialect } = await DIALECTS[name].load();
  const others = TOOL_CLASSES.flatMap((each) => dialect.others[each]?.split(" ") ?? []);
  expect(others.filter((tool, index) => others.indexOf(tool) !== index)).toEqual([]);
  const always = dialect.tools.filter(({ when }) => when === undefined).flatMap(({ names }) => names);
  expect(others.filter((tool) => always.includes(tool) && classOf(dialect, tool) !== undefined)).toEqual([]);
});

/** Tools that do the work of a tool of hooksh under another name, which a guard of that tool has to be asked about. */
const REACHED: readonly [host: string, tool: string, own: string, cls: ToolClass, input?: Record<string, unknown>][] = [
  ["claude", "Monitor", "shell", "runs-commands", { command: "rm -rf build" }],
  ["claude", "CronCreate", "shell", "runs-commands", { cron: "* * * * *", command: "rm -rf build" }],
  ["claude", "Workflow", "transfer_task", "delegates"],
  ["claude", "SendMessage", "transfer_task", "delegates"],
  ["codex", "write_stdin", "shell", "runs-commands", { session_id: 1, chars: "rm -rf build" }],
  ["codex", "exec_command", "shell", "runs-commands", { cmd: "rm -rf build" }],
  ["codex", "view_image", "read_file", "reads-files"],
  ["qwen", "monitor", "shell", "runs-commands", { command: "rm -rf build" }],
  ["qwen", "tool_call", "shell", "runs-commands", { name: "monitor", arguments: { command: "rm -rf build" } }],
  ["qwen", "tool_call", "shell", "runs-commands", { name: "monitor", arguments: '{"command":"rm -rf build"}' }],
  ["qwen", "notebook_edit", "edit_file", "writes-files", { notebook_path: "a.ipynb" }],
  ["qwen", "agent", "transfer_task", "delegates"],
  ["kimi", "AgentSwarm", "transfer_task", "delegates"],
  ["kimi", "FetchURL", "fetch", "network"],
  ["copilot", "write_bash", "shell", "runs-commands", { shellId: "1", input: "rm -rf build" }],
  ["copilot", "write_agent", "transfer_task", "delegates"],
  ["opencode", "batch", "edit_file", "runs-commands"],
  ["cline-sdk", "team_run_task", "transfer_task", "delegates"],
  ["cursor", "Delete", "write_file", "writes-files", { file_path: "a" }],
  ["vscode", "create_and_run_task", "shell", "runs-commands", { task: { command: "rm", args: ["-rf", "build"] } }],
  ["vscode", "run_notebook_cell", "shell", "runs-commands"],
  ["agy", "send_command_input", "shell", "runs-commands", { Input: "rm -rf build" }],
  ["kiro", "controlBashProcess", "shell", "runs-commands", { action: "start", command: "rm -rf build" }],
  ["goose", "computercontroller__automation_script", "shell", "runs-commands", { script: "rm -rf build" }],
  ["crush", "download", "write_file", "network", { file_path: "a", url: "https://example.com" }],
];

test.each(REACHED)("%s: %s is reached by guards of %s", async (host, tool, own, cls, input = {}) => {
  const call = await seen(host, tool, input);
  expect(call.names).toContain(own);
  expect(call.class).toBe(cls);
  if (JSON.stringify(input).includes("build")) expect(call.input["cmd"]).toBe("rm -rf build");
});

test("a tool that no row covers has no class", async () => {
  expect((await seen("claude", "ToolOfNextMonth", { command: "rm" })).class).toBeUndefined();
  expect((await seen("claude", "CronCreate", { prompt: "look" })).class).toBe("other");
});
