import type { Payload } from "../../protocol/rewrite.ts";
import { answer, defined, joined, unmatched } from "../answer-forms.ts";
import { SNAKE_KEYS } from "../claude-events.ts";
import type { Channel, Dialect, HostEvent, HostTool, Say, ToolCall } from "../dialect.ts";
import { deleteTool } from "../tool-kinds.ts";
import { inputObject } from "../values.ts";

/** On a denial the model reads `user_message`; `agent_message` is for versions that read that one. */
const permissionAnswer: Say = ({ block, ask, allow, rewrite }) => {
  if (block !== undefined) return answer({ permission: "deny", user_message: block, agent_message: block });
  if (ask !== undefined) return answer({ permission: "ask", user_message: ask });
  if (rewrite) return answer({ permission: "allow", updated_input: rewrite.complete });
  return answer(allow === undefined ? {} : { permission: "allow" });
};

/** `beforeReadFile` knows no `agent_message`. */
const readAnswer: Say = ({ block, allow }) =>
  answer(
    block !== undefined ? { permission: "deny", user_message: block } : {},
    block === undefined && allow !== undefined ? { permission: "allow" } : {},
  );

const resultAnswer: Say = ({ block, context, replace }) =>
  answer(defined({ additional_context: joined(block, context), updated_mcp_tool_output: replace }));

const promptAnswer: Say = ({ block }) => answer(block === undefined ? {} : { continue: false, user_message: block });
const followUp: Say = ({ block }) => answer(defined({ followup_message: block }));
const contextAnswer: Say = ({ context }) => answer(defined({ additional_context: context }));

/** Only the result of an MCP tool can be replaced. */
const resultChannels = ({ tool_name: tool, mcp_server_name: server }: Payload): readonly Channel[] =>
  (typeof tool === "string" && tool.startsWith("MCP:")) || typeof server === "string"
    ? ["block", "replace", "context"]
    : ["block", "context"];

const isFollowUp = ({ loop_count }: Payload): Payload =>
  typeof loop_count === "number" ? { stop_hook_active: loop_count > 0 } : {};

const beforeKind = {
  is: ["pre_tool_use"],
  takes: ["block", "ask", "allow"],
  say: permissionAnswer,
} as const satisfies HostEvent;

/** The tool of an event that is about one kind of tool, and the fields of the payload that are its input. */
const TOOL_OF: Readonly<Record<string, { name: string; input: readonly string[] }>> = {
  beforeShellExecution: { name: "Shell", input: ["command", "cwd", "sandbox"] },
  afterShellExecution: { name: "Shell", input: ["command", "cwd", "sandbox"] },
  beforeReadFile: { name: "Read", input: ["file_path"] },
  afterFileEdit: { name: "Write", input: ["file_path", "edits"] },
};

function toolCall(payload: Payload, event: string): ToolCall | undefined {
  const { tool_name: tool, mcp_server_name: server } = payload;
  if (typeof server === "string" && server !== "" && typeof tool === "string") {
    const original = payload["tool_input"];
    return { name: tool, original, input: inputObject(original), server: { name: server, tool: mcpTool(tool) } };
  }
  const row = Object.hasOwn(TOOL_OF, event) ? TOOL_OF[event] : undefined;
  if (row === undefined) return undefined;
  const input = Object.fromEntries(
    row.input.filter((key) => Object.hasOwn(payload, key)).map((key) => [key, payload[key]]),
  );
  return { name: row.name, original: input, input };
}

function mcpTool(name: string): string {
  return name.startsWith("MCP:") ? name.slice("MCP:".length) : name;
}

/** Cursor has one tool for new files and for edits, so the words for both match it. */
const WRITE: Pick<HostTool, "names" | "fields" | "edit"> = {
  names: ["Write"],
  fields: [["file_path", "path"]],
  edit: ["old_string", "new_string", "edits"],
};

/** Cursor: https://cursor.com/docs/hooks. A call fires an event for all tools and one for its kind; both decode. */
export const dialect: Dialect = {
  name: "cursor",
  keys: { ...SNAKE_KEYS, session: ["conversation_id", "session_id"], cwd: ["cwd", "workspace_roots.0"] },
  sends: "generation_id model model_id model_params cursor_version user_email transcript_path",
  silence: "",
  mcpNames: [{ prefix: "MCP:", separator: "" }],
  tools: [
    {
      is: "shell",
      names: ["Shell"],
      fields: [
        ["command", "cmd"],
        ["working_directory", "cwd"],
      ],
    },
    { is: "read_file", names: ["Read"], fields: [["file_path", "path"]] },
    {
      is: "edit_file",
      also: ["write_file"],
      ...WRITE,
      when: (input) => ["edits", "old_string", "new_string"].some((key) => Object.hasOwn(input, key)),
    },
    { is: "write_file", also: ["edit_file"], ...WRITE },
    { is: "search_files_content", names: ["Grep"] },
    { is: "transfer_task", names: ["Task"] },
    deleteTool(["Delete"], "file_path"),
    { is: "fetch", names: ["WebFetch"] },
  ],
  others: {
    "reads-files": "Glob LS ReadLints SemanticSearch",
    network: "GenerateImage WebSearch",
    other: "AskQuestion CreatePlan FetchMcpResource ListMcpResources SwitchMode TodoWrite",
  },
  toolCall,
  events: {
    preToolUse: {
      is: ["pre_tool_use"],
      takes: ["block", "allow", "rewrite"],
      say: permissionAnswer,
      rewriteGrants: "required",
      sends: "agent_message",
    },
    beforeShellExecution: { ...beforeKind, sends: "command sandbox" },
    beforeMCPExecution: { ...beforeKind, sends: "mcp_server_name url command" },
    beforeReadFile: {
      is: ["pre_tool_use"],
      takes: ["block", "allow"],
      say: readAnswer,
      sends: "file_path content attachments",
    },
    postToolUse: {
      is: ["tool_response_transform", "post_tool_use"],
      takes: resultChannels,
      say: resultAnswer,
      fields: { tool_response: "tool_output" },
      sends: "duration agent_message",
    },
    postToolUseFailure: {
      is: ["post_tool_use"],
      takes: [],
      fields: { tool_response: "error_message" },
      fixed: { tool_error: true },
      sends: "failure_type is_interrupt duration",
    },
    afterShellExecution: {
      is: ["post_tool_use"],
      takes: [],
      fields: { tool_response: "output" },
      sends: "command duration sandbox",
    },
    afterMCPExecution: {
      is: ["post_tool_use"],
      takes: [],
      fields: { tool_response: "result_json" },
      sends: "mcp_server_name url command duration",
    },
    afterFileEdit: { is: ["post_tool_use"], takes: [], sends: "file_path edits" },
    beforeSubmitPrompt: {
      is: ["user_prompt_submit"],
      takes: ["block"],
      say: promptAnswer,
      fields: { prompt: "prompt" },
      sends: "attachments",
    },
    sessionStart: {
      is: ["session_start"],
      takes: ["context"],
      say: contextAnswer,
      sends: "is_background_agent composer_mode",
    },
    sessionEnd: {
      is: ["session_end"],
      takes: [],
      fields: { reason: "reason" },
      sends: "duration_ms final_status is_background_agent",
    },
    afterAgentResponse: { is: ["after_llm_call"], takes: [], fields: { stop_response: "text" } },
    stop: { is: ["stop"], takes: ["block"], say: followUp, derive: isFollowUp, sends: "status loop_count" },
    subagentStop: {
      is: ["subagent_stop"],
      takes: ["block"],
      say: followUp,
      fields: { agent_name: "subagent_type", stop_response: "summary" },
      derive: isFollowUp,
      sends: "*",
    },
    preCompact: { is: ["pre_compact"], takes: [], fields: { source: "trigger" }, sends: "*" },
    ...unmatched("subagentStart", "*"),
    ...unmatched("afterAgentThought", "text duration_ms"),
    ...unmatched("beforeTabFileRead", "file_path content"),
    ...unmatched("afterTabFileEdit", "file_path edits"),
    ...unmatched("workspaceOpen", "*"),
  },
};
