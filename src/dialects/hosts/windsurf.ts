import { isObject } from "../../lib/json.ts";
import type { Payload } from "../../protocol/rewrite.ts";
import { exitAnswer, unmatched } from "../answer-forms.ts";
import type { Dialect, HostEvent, ToolCall } from "../dialect.ts";
import { inputObject } from "../values.ts";

const before = { is: ["pre_tool_use"], takes: ["block"], say: exitAnswer } as const satisfies HostEvent;
const after = {
  is: ["post_tool_use"],
  takes: ["block"],
  say: exitAnswer,
  fields: { tool_response: "tool_info.mcp_result" },
} as const satisfies HostEvent;

/** What `tool_info` holds besides the input. */
const NOT_INPUT: readonly string[] = ["mcp_result", "response", "transcript_path"];

/** Payloads name no tools: each event has one tool, except for tools of MCP servers. */
function toolCall({ tool_info: given }: Payload, event: string): ToolCall | undefined {
  const info = isObject(given) ? given : {};
  if (event.endsWith("_mcp_tool_use")) return mcpCall(info);
  const input = Object.fromEntries(Object.entries(info).filter(([key]) => !NOT_INPUT.includes(key)));
  return { name: event, original: input, input };
}

function mcpCall(info: Payload): ToolCall | undefined {
  const { mcp_server_name: server, mcp_tool_name: name, mcp_tool_arguments: original } = info;
  if (typeof name !== "string") return undefined;
  const isNamed = typeof server === "string" && server !== "";
  return { name, original, input: inputObject(original), server: isNamed ? { name: server, tool: name } : undefined };
}

/** Windsurf Cascade: https://docs.windsurf.com/windsurf/cascade/hooks. It reads no JSON, only exit code 2. */
export const dialect: Dialect = {
  name: "windsurf",
  // The cwd in tool_info is that of one command.
  keys: {
    event: ["agent_action_name"],
    session: ["trajectory_id"],
    cwd: [],
    toolName: [],
    toolInput: [],
    toolUseId: [],
  },
  sends: "execution_id timestamp tool_info model_name",
  silence: "",
  tools: [
    { is: "shell", names: ["pre_run_command", "post_run_command"], fields: [["command_line", "cmd"]] },
    { is: "read_file", names: ["pre_read_code", "post_read_code"], fields: [["file_path", "path"]] },
    {
      is: "edit_file",
      also: ["write_file"], // new files come as edits too
      names: ["pre_write_code", "post_write_code"],
      fields: [["file_path", "path"]],
      edit: ["old_string", "new_string", "edits"],
    },
  ],
  others: {},
  toolCall,
  events: {
    pre_run_command: { ...before },
    pre_write_code: { ...before },
    pre_read_code: { ...before },
    pre_mcp_tool_use: { ...before },
    post_run_command: { ...after },
    post_write_code: { ...after },
    post_read_code: { ...after },
    post_mcp_tool_use: { ...after },
    pre_user_prompt: {
      is: ["user_prompt_submit"],
      takes: ["block"],
      say: exitAnswer,
      fields: { prompt: "tool_info.user_prompt" },
    },
    post_cascade_response: { is: ["stop"], takes: [], fields: { stop_response: "tool_info.response" } },
    ...unmatched("post_cascade_response_with_transcript"),
    post_setup_worktree: {
      is: ["worktree_create"],
      takes: [],
      fields: {
        worktree_path: "tool_info.worktree_path",
        worktree_source_dir: "tool_info.root_workspace_path",
      },
    },
  },
};
