import type { Payload } from "../../protocol/rewrite.ts";
import { blockAndContextAnswer, nestedToolAnswer, observed } from "../answer-forms.ts";
import { DOUBLE_UNDERSCORES } from "../claude-tools.ts";
import { inputObject } from "../decode.ts";
import type { Channel, Dialect, HostTool, OtherTools, ToolCall } from "../dialect.ts";
import { patchTool } from "../patch-tool.ts";

const PATH = [["file_path", "path"]] as const;

const TOOLS: readonly HostTool[] = [
  { is: "shell", names: ["Execute"], fields: [["command", "cmd"]] },
  { is: "read_file", names: ["Read"], fields: PATH },
  { is: "write_file", names: ["Create"], fields: PATH },
  { is: "edit_file", names: ["Edit"], fields: PATH, edit: ["old_str", "new_str"] },
  { is: "edit_file", names: ["MultiEdit"], fields: PATH, edit: ["old_str", "new_str", "edits"] },
  patchTool(["ApplyPatch"], "input", "patch"),
  { is: "search_files_content", names: ["Grep"] },
  { is: "list_directory", names: ["LS"] },
  { is: "fetch", names: ["FetchUrl"] },
  { is: "transfer_task", names: ["Task"] },
];

const OTHERS: OtherTools = {
  "runs-commands": "KillShell TaskStop",
  "writes-files": "GenerateDroid",
  "reads-files": "Glob",
  network: "ConnectorSearch GenerateImage WebSearch slack_post_file",
  other: "AskUser ExitSpecMode Loop Skill TaskOutput TodoWrite ToolSearch",
};

/** The tool of a connected app that `ConnectorSearch` calls, such as `github__list_issues`. */
function toolCall(payload: Payload): ToolCall | undefined {
  const [outer, original] = [
    payload["tool_name"] ?? payload["toolName"],
    payload["tool_input"] ?? payload["toolInput"],
  ];
  const input = inputObject(original);
  const { action, toolName: name, toolArguments: inner } = input;
  if (outer !== "ConnectorSearch" || action !== "call_tool" || typeof name !== "string" || name === "")
    return undefined;
  const [, app, tool] = /^(.+?)__(.+)$/s.exec(name) ?? [];
  const id = payload["tool_use_id"] ?? payload["toolUseId"];
  return {
    name,
    original,
    input: inputObject(inner),
    id: typeof id === "string" ? id : undefined,
    server: app === undefined || tool === undefined ? undefined : { name: app, tool },
    shownAs: name,
    wrap: (changed) => ({ ...input, toolArguments: typeof inner === "string" ? JSON.stringify(changed) : changed }),
  };
}

/** An `ask` stops a call only in the modes that ask the user anyway; in the others the call runs. */
function beforeTool({ permission_mode: snake, permissionMode: camel }: Payload): readonly Channel[] {
  const asks = ["off", "spec"].includes(String(typeof snake === "string" ? snake : camel));
  return ["block", "allow", "rewrite", "notice", ...(asks ? (["ask"] as const) : [])];
}

/** Factory Droid: https://docs.factory.ai/reference/hooks-reference. Some versions spell their keys in camelCase. */
export const dialect: Dialect = {
  name: "droid",
  keys: {
    event: ["hook_event_name", "hookEventName"],
    session: ["session_id", "sessionId"],
    cwd: ["cwd"],
    toolName: ["tool_name", "toolName"],
    toolInput: ["tool_input", "toolInput"],
    toolUseId: ["tool_use_id", "toolUseId"],
  },
  silence: "",
  countsContinuations: true,
  timeoutSeconds: 60,
  tools: TOOLS,
  others: OTHERS,
  toolCall,
  mcpNames: [DOUBLE_UNDERSCORES, { prefix: "", separator: "___" }],
  events: {
    PreToolUse: { is: ["pre_tool_use"], obeys: ["rewrite"], takes: beforeTool, say: nestedToolAnswer },
    PostToolUse: {
      is: ["post_tool_use"],
      takes: ["context", "notice"],
      say: blockAndContextAnswer,
      blockIsContext: true,
      fields: { tool_response: ["tool_response", "toolResponse"] },
    },
    UserPromptSubmit: {
      is: ["user_prompt_submit"],
      takes: ["block", "context", "notice"],
      say: blockAndContextAnswer,
      fields: { prompt: "prompt" },
    },
    SessionStart: {
      is: ["session_start"],
      takes: ["context", "notice"],
      say: blockAndContextAnswer,
      fields: { source: "source" },
    },
    SessionEnd: { is: ["session_end"], ...observed, fields: { reason: "reason" } },
    Stop: {
      is: ["stop"],
      takes: ["block", "notice"],
      say: blockAndContextAnswer,
      fields: { stop_hook_active: ["stop_hook_active", "stopHookActive"] },
    },
    SubagentStop: {
      is: ["subagent_stop"],
      takes: ["block", "notice"],
      say: blockAndContextAnswer,
      fields: {
        agent_name: ["task_name", "taskName"],
        stop_response: ["task_result", "taskResult", "task_error"],
        stop_hook_active: ["stop_hook_active", "stopHookActive"],
      },
    },
    PreCompact: { is: ["pre_compact"], ...observed, fields: { source: "trigger" } },
    Notification: {
      is: ["notification"],
      ...observed,
      fields: { notification_message: "message" },
      fixed: { notification_level: "warning" },
    },
  },
};
