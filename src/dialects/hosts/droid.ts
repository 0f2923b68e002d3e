import type { Payload } from "../../protocol/rewrite.ts";
import { CLAUDE_LIKE } from "../claude-events.ts";
import { DOUBLE_UNDERSCORES } from "../claude-tools.ts";
import type { Channel, Dialect, HostTool, OtherTools, ToolCall } from "../dialect.ts";
import { patchTool } from "../patch-tool.ts";
import { inputObject } from "../values.ts";

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
  sends: "transcript_path transcriptPath permission_mode permissionMode message_id messageId",
  silence: "",
  countsContinuations: true,
  timeoutSeconds: 60,
  tools: TOOLS,
  others: OTHERS,
  toolCall,
  mcpNames: [DOUBLE_UNDERSCORES, { prefix: "", separator: "___" }],
  events: {
    PreToolUse: { ...CLAUDE_LIKE.PreToolUse, obeys: ["rewrite"], takes: beforeTool },
    PostToolUse: {
      ...CLAUDE_LIKE.PostToolUse,
      takes: ["context", "notice"],
      blockIsContext: true,
      fields: { tool_response: ["tool_response", "toolResponse"] },
    },
    UserPromptSubmit: { ...CLAUDE_LIKE.UserPromptSubmit, sends: "has_images" },
    SessionStart: { ...CLAUDE_LIKE.SessionStart, sends: "CLAUDE_ENV_FILE" },
    SessionEnd: { ...CLAUDE_LIKE.SessionEnd, sends: "session_duration_ms message_count" },
    Stop: {
      ...CLAUDE_LIKE.Stop,
      fields: { stop_hook_active: ["stop_hook_active", "stopHookActive"] },
      sends: "tool_execution_count elapsed_time",
    },
    SubagentStop: {
      ...CLAUDE_LIKE.SubagentStop,
      fields: {
        agent_name: ["task_name", "taskName"],
        stop_response: ["task_result", "taskResult", "task_error"],
        stop_hook_active: ["stop_hook_active", "stopHookActive"],
      },
    },
    PreCompact: { ...CLAUDE_LIKE.PreCompact, sends: "custom_instructions message_count estimated_tokens" },
    Notification: { ...CLAUDE_LIKE.Notification, sends: "title notification_type" },
  },
};
