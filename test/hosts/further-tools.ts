import { join } from "node:path";
import { ranFile } from "./cases.ts";
import type { Sandbox } from "./host.ts";
import type { Step } from "./model-server.ts";

/** A tool whose name or server hooksh has to know, what the model does with it, and the files that configure it. */
export interface FurtherTool {
  steps: readonly Step[];
  /** The program's files by path; `files` are those that it has anyway. */
  files?(sandbox: Sandbox, files: Readonly<Record<string, string>>): Record<string, string>;
}

/** The kinds of such tools: of an MCP server, one that starts agents, a shell to type into, one that no table has. */
export type FurtherKind = "mcp" | "delegate" | "typed" | "unknown";

const SERVER = join(import.meta.dir, "mem-server.ts");
const command = process.execPath;
const argsFor = (sandbox: Sandbox) => [SERVER, ranFile(sandbox)];

/** The tool of the MCP server `mem` under its visible name; `configure` says where its command belongs. */
function mcp(visible: string, files: NonNullable<FurtherTool["files"]>, before: readonly Step[] = []): FurtherTool {
  return { steps: [...before, { call: visible, input: { text: "a note" } }], files };
}

/** The server in a JSON file, in what the program has there already. */
const inJson =
  (path: (sandbox: Sandbox) => string, key: string, extra: object = {}): NonNullable<FurtherTool["files"]> =>
  (sandbox, files) => {
    const server = { command, args: argsFor(sandbox), ...extra };
    return { [path(sandbox)]: JSON.stringify({ ...JSON.parse(files[path(sandbox)] ?? "{}"), [key]: { mem: server } }) };
  };

const inHome = (path: string) => (sandbox: Sandbox) => join(sandbox.home, path);
const delegate = (call: string, input: Record<string, unknown>): FurtherTool => ({ steps: [{ call, input }] });
const TASK = { description: "say", prompt: "say hello" };

/** By program. A program without a kind has no such tool. */
export const FURTHER: Readonly<Record<string, Partial<Record<FurtherKind, FurtherTool>>>> = {
  claude: {
    mcp: mcp("mcp__mem__add_note", inJson(inHome(".claude.json"), "mcpServers"), [
      { call: "ToolSearch", input: { query: "select:mcp__mem__add_note", max_results: 1 } },
    ]),
    delegate: delegate("Agent", { ...TASK, subagent_type: "general-purpose" }),
  },
  codex: {
    mcp: {
      steps: [
        { call: "tool_search", input: { query: "add note", limit: 5 } },
        { call: "add_note", namespace: "mcp__mem", input: { text: "a note" } },
      ],
      files: (sandbox, files) => {
        const path = join(sandbox.home, ".codex/config.toml");
        const server = `\n[mcp_servers.mem]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(argsFor(sandbox))}\n`;
        return { [path]: `${files[path] ?? ""}${server}` };
      },
    },
    delegate: {
      steps: [
        { call: "tool_search", input: { query: "agent", limit: 50 } },
        { call: "spawn_agent", namespace: "multi_agent_v1", input: { message: "say hello" } },
      ],
    },
    typed: delegate("exec_command", { cmd: "bash", tty: true, yield_time_ms: 500 }),
  },
  gemini: {
    mcp: mcp("mcp_mem_add_note", inJson(inHome(".gemini/settings.json"), "mcpServers", { trust: true })),
    delegate: delegate("invoke_agent", { agent_name: "generalist", prompt: "say hello" }),
  },
  copilot: {
    mcp: mcp("mem-add_note", inJson(inHome(".copilot/mcp-config.json"), "mcpServers", { type: "local", tools: ["*"] })),
    delegate: delegate("task", { ...TASK, agent_type: "general-purpose", name: "sayer", mode: "sync" }),
  },
  opencode: {
    mcp: mcp("mem_add_note", (sandbox, files) => {
      const path = join(sandbox.project, "opencode.json");
      const mem = { type: "local", command: [command, ...argsFor(sandbox)], enabled: true };
      return { [path]: JSON.stringify({ ...JSON.parse(files[path] ?? "{}"), mcp: { mem } }) };
    }),
    delegate: delegate("task", { ...TASK, subagent_type: "general" }),
    unknown: {
      steps: [{ call: "ghost", input: { text: "x" } }],
      files: (sandbox) => ({
        [join(sandbox.project, ".opencode/tool/ghost.js")]: `import { writeFileSync } from "node:fs";
export default { description: "Says boo", args: {}, async execute() { writeFileSync(${JSON.stringify(ranFile(sandbox))}, ""); return "boo"; } };
`,
      }),
    },
  },
  qwen: {
    mcp: mcp("mcp__mem__add_note", inJson(inHome(".qwen/settings.json"), "mcpServers", { trust: true })),
    delegate: delegate("agent", { ...TASK, subagent_type: "general-purpose" }),
  },
  kimi: {
    mcp: mcp("mcp__mem__add_note", inJson(inHome(".kimi-code/mcp.json"), "mcpServers")),
    delegate: delegate("AgentSwarm", {
      description: "say",
      prompt_template: "say {{item}}",
      items: ["hello", "bye"],
    }),
  },
  droid: {
    mcp: mcp("mem___add_note", inJson(inHome(".factory/mcp.json"), "mcpServers", { type: "stdio" }), [
      { call: "ToolSearch", input: { query: "select:mem___add_note" } },
    ]),
    delegate: delegate("Task", { ...TASK, subagent_type: "worker" }),
  },
  "cline-sdk": {
    mcp: mcp("mem__add_note", inJson(inHome(".cline/data/settings/cline_mcp_settings.json"), "mcpServers")),
    delegate: delegate("spawn_agent", { systemPrompt: "You say hello.", task: "say hello" }),
  },
};
