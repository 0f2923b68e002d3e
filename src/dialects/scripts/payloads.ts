import type { EventName } from "../../protocol/events.ts";
import type { Payload } from "../../protocol/rewrite.ts";
import type { ScriptDialect } from "../script-events.ts";
import { cline, clineSdk } from "./cline-payloads.ts";
import { copilot, copilotPascal } from "./copilot-payloads.ts";
import { asText, iso, renamed, text, withoutKeys } from "./payload-parts.ts";
import type { Composing, McpServer, PayloadShape } from "./script.ts";

const doubled = ({ name, tool }: McpServer): string => `mcp__${name}__${tool}`;
const atServer = ({ name, tool }: McpServer): string => `@${name}/${tool}`;

/** The events whose payloads name the permission mode. */
const IN_TURN: readonly EventName[] = [
  "pre_tool_use",
  "permission_request",
  "tool_response_transform",
  "post_tool_use",
  "user_prompt_submit",
  "stop",
  "subagent_stop",
];

/** The fields that Claude Code and its relatives share. */
const common = ({ event }: Composing): Payload => ({
  transcript_path: "",
  ...(IN_TURN.includes(event) ? { permission_mode: "default" } : {}),
});

/** Claude Code's shell returns its two streams. Other tools return objects of unknown shape, so they get the text. */
const streams: PayloadShape["result"] = (stdout, _failed, tool) =>
  tool?.row?.is === "shell" ? { stdout, stderr: "", interrupted: false, isImage: false } : stdout;

const display: PayloadShape["result"] = (llmContent, failed) => ({
  llmContent,
  returnDisplay: llmContent,
  ...(failed ? { error: { message: llmContent } } : {}),
});

/** A patch as one text: a new file, or the edits of an old one. */
function patchText(path: string, { content, edits }: Payload): string | undefined {
  const lines = (prefix: string, value: unknown) =>
    text(value)
      .replace(/\n$/, "")
      .split("\n")
      .map((line) => prefix + line);
  const body = Array.isArray(edits)
    ? [
        `*** Update File: ${path}`,
        ...edits.flatMap((edit: Payload) => ["@@", ...lines("-", edit["oldText"]), ...lines("+", edit["newText"])]),
      ]
    : [`*** Add File: ${path}`, ...lines("+", content)];
  return ["*** Begin Patch", ...body, "*** End Patch"].join("\n");
}

/** Codex writes and edits by a patch. */
const codexInput: PayloadShape["input"] = (tool, own, row) => {
  if (!row.names.includes("apply_patch") || Object.hasOwn(own, "patch") || typeof own["path"] !== "string")
    return undefined;
  return tool === "write_file" || tool === "edit_file" ? { command: patchText(own["path"], own) } : undefined;
};

const claude: PayloadShape = { adds: common, mcp: doubled, result: streams };

const WINDSURF: Readonly<Record<string, string>> = {
  shell: "run_command",
  read_file: "read_code",
  write_file: "write_code",
  edit_file: "write_code",
};

const windsurf: PayloadShape = {
  adds: (call) => ({ execution_id: text(call.tool?.id), timestamp: iso(call) }),
  event: (event, { tool_name: tool, tool_qualified_name: qualified }) => {
    const when = event === "pre_tool_use" ? "pre" : event === "post_tool_use" ? "post" : undefined;
    if (when === undefined) return undefined;
    const kind = typeof qualified === "string" ? undefined : WINDSURF[text(tool)];
    return `${when}_${kind ?? "mcp_tool_use"}`;
  },
  mcp: ({ tool }) => tool,
  input: (_tool, { content, ...own }) =>
    typeof content === "string"
      ? { ...renamed(own, "path", "file_path"), edits: [{ old_string: "", new_string: content }] }
      : undefined,
  finish: (payload, { hostEvent, input, tool }) => {
    if (!tool) return payload;
    const isMcp = hostEvent.endsWith("mcp_tool_use");
    const info = isMcp
      ? { mcp_server_name: tool.server?.name ?? "", mcp_tool_name: tool.name, mcp_tool_arguments: tool.hostInput }
      : { ...(hostEvent.endsWith("run_command") ? { cwd: input["cwd"] } : {}), ...tool.hostInput };
    const result = isMcp && hostEvent.startsWith("post") ? { mcp_result: asText(input["tool_response"] ?? "") } : {};
    return { ...payload, tool_info: { ...info, ...result } };
  },
};

const agy: PayloadShape = {
  adds: ({ input }) => ({ stepIdx: 0, modelName: text(input["model_id"]), transcriptPath: "" }),
  finish: (payload, { hostEvent, input, tool }) => {
    const { tool_response: result, tool_error: failed } = input;
    if (hostEvent === "PreInvocation" || hostEvent === "PostInvocation")
      return { ...payload, invocationNum: 0, initialNumSteps: 0 };
    if (hostEvent === "Stop")
      return { ...payload, executionNum: 0, terminationReason: "NO_TOOL_CALL", fullyIdle: true };
    if (!tool) return payload;
    const { server, name, hostInput } = tool;
    const toolCall = server
      ? { name: "call_mcp_tool", args: { ServerName: server.name, ToolName: server.tool, Arguments: hostInput } }
      : { name, args: hostInput };
    return { ...payload, toolCall, ...(hostEvent === "PostToolUse" ? { error: failed ? asText(result) : "" } : {}) };
  },
};

/** The documentation and the program spell two keys differently, so payloads have both spellings. */
const vscode: PayloadShape = {
  adds: (call) => ({ timestamp: iso(call), transcript_path: "" }),
  finish: (payload) => ({
    ...payload,
    hook_event_name: payload["hookEventName"],
    session_id: payload["sessionId"],
  }),
};

const CURSOR_EVENTS: Readonly<Record<string, Payload>> = {
  beforeSubmitPrompt: { attachments: [] },
  postToolUse: { duration: 0 },
  sessionStart: { is_background_agent: false, composer_mode: "agent" },
  stop: { status: "completed", loop_count: 0 },
  subagentStop: { status: "completed", loop_count: 0, modified_files: [] },
};

const cursor: PayloadShape = {
  adds: ({ hostEvent, input }) => ({
    generation_id: "",
    model: text(input["model_id"]),
    cursor_version: "",
    workspace_roots: [text(input["cwd"])],
    user_email: null,
    transcript_path: "",
    ...CURSOR_EVENTS[hostEvent],
    ...(input["stop_hook_active"] === true ? { loop_count: 1 } : {}),
  }),
  mcp: ({ tool }) => `MCP:${tool}`,
  result: (value) => JSON.stringify(value),
  finish: (payload, { hostEvent, tool }) => {
    // These events concern one kind of tool, and its input fields are at the top level.
    const isFlat = /^(?:before|after)(?:Shell|Read|File)/.test(hostEvent);
    return tool && isFlat ? { ...withoutKeys(payload, "tool_name", "tool_input"), ...tool.hostInput } : payload;
  },
};

const qResult = ({ input }: Composing): Payload =>
  input["tool_response"] === undefined
    ? {}
    : { tool_response: { success: input["tool_error"] !== true, result: [asText(input["tool_response"])] } };

const MODES: Readonly<Record<string, string>> = { list_directory: "Directory", search_files_content: "Search" };

const q: PayloadShape = {
  mcp: atServer,
  input: (tool, own) => (MODES[tool] === undefined ? undefined : { mode: MODES[tool], ...own }),
  adds: qResult,
  finish: (payload) => withoutKeys(payload, "session_id", "tool_use_id"),
};

const SOURCES: Readonly<Record<string, string>> = { startup: "new", resume: "load" };

const grok: PayloadShape = {
  adds: (call) => ({ workspaceRoot: call.input["cwd"], timestamp: iso(call), transcriptPath: "" }),
  finish: (payload) => {
    const { source } = payload;
    return typeof source === "string" ? { ...payload, source: SOURCES[source] ?? source } : payload;
  },
};

const kimi: PayloadShape = {
  adds: () => ({ client_type: "kimi_code_cli" }),
  finish: (payload, { input, hostEvent }) => {
    const prompt = { prompt: [{ type: "text", text: text(input["prompt"]) }], is_steer: false };
    const error = { code: "", message: asText(input["tool_response"] ?? ""), retryable: false };
    return {
      ...renamed(payload, "tool_use_id", "tool_call_id"),
      ...(hostEvent === "UserPromptSubmit" ? prompt : {}),
      ...(hostEvent === "PostToolUseFailure" ? { error } : {}),
    };
  },
};

const goose: PayloadShape = {
  adds: ({ tool }) => ({ matcher_context: tool?.name ?? null }),
  mcp: ({ name, tool }) => `${name}__${tool}`,
  finish: (payload) => renamed(payload, "tool_use_id", "tool_call_id"),
};

const openhands: PayloadShape = {
  adds: () => ({ tool_name: null, tool_input: null, tool_output: null, message: null, metadata: {} }),
  finish: (payload) => withoutKeys(payload, "tool_use_id"),
};

const vibe: PayloadShape = {
  adds: ({ input, hostEvent }) => ({
    transcript_path: "",
    parent_session_id: input["parent_session_id"] ?? null,
    ...(hostEvent === "post_tool"
      ? {
          tool_status: input["tool_error"] === true ? "failure" : "success",
          tool_output: input["tool_response"],
          tool_error: input["tool_error"] === true ? asText(input["tool_response"] ?? "") : null,
          duration_ms: 0,
        }
      : {}),
  }),
  mcp: ({ name, tool }) => `${name}_${tool}`,
  finish: (payload) => renamed(payload, "tool_use_id", "tool_call_id"),
};

/** Properties of a host's payloads that are not in the row of its dialect, by dialect. */
export const PAYLOADS: Readonly<Record<string, PayloadShape>> = {
  claude,
  codex: {
    adds: (call) => ({ ...common(call), model: text(call.input["model_id"]), turn_id: "" }),
    mcp: doubled,
    input: codexInput,
  },
  gemini: {
    adds: (call) => ({
      transcript_path: "",
      timestamp: iso(call),
      ...(call.hostEvent === "AfterAgent" ? { prompt: text(call.input["last_user_message"]) } : {}),
      ...(call.tool?.server
        ? { mcp_context: { server_name: call.tool.server.name, tool_name: call.tool.server.tool } }
        : {}),
    }),
    mcp: ({ name, tool }) => `mcp_${name}_${tool}`,
    result: display,
  },
  agy,
  copilot,
  "copilot-pascal": copilotPascal,
  vscode,
  cursor,
  windsurf,
  q,
  kiro: { ...q, finish: (payload) => withoutKeys(payload, "tool_use_id") },
  cline,
  "cline-sdk": clineSdk,
  droid: { adds: common, mcp: doubled },
  qwen: {
    adds: (call) => ({
      ...common(call),
      timestamp: iso(call),
      ...(call.tool ? { tool_call_id: call.tool.id } : {}),
      ...(call.event === "user_prompt_submit" ? { submitted_prompt: call.input["prompt"] } : {}),
    }),
    mcp: doubled,
    result: display,
  },
  grok,
  kimi,
  goose,
  crush: { mcp: ({ name, tool }) => `mcp_${name}_${tool}`, finish: (payload) => withoutKeys(payload, "tool_use_id") },
  openhands,
  vibe,
} satisfies Readonly<Record<ScriptDialect, PayloadShape>>;
