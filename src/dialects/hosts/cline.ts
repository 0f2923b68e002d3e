import { isObject } from "../../lib/json.ts";
import type { Payload } from "../../protocol/rewrite.ts";
import { answer, defined, joined } from "../answer-forms.ts";
import type { Answer, Dialect, HostEvent, Say, ToolCall } from "../dialect.ts";
import { patchTool } from "../patch-tool.ts";
import { inputObject } from "../values.ts";

function cancel(reason: string): Answer {
  return { json: { cancel: true, errorMessage: reason } };
}

/** Hooks can cancel only a call that has not run, a prompt and a compaction. */
const guardAnswer: Say = ({ block, context }) =>
  block !== undefined ? cancel(block) : answer({ cancel: false }, defined({ contextModification: context }));

/** After a tool, the reason goes to the model as context; the call cannot be undone. */
const contextAnswer: Say = ({ block, context }) =>
  answer({ cancel: false }, defined({ contextModification: joined(block, context) }));

/** The object of a payload that is named after its event. */
function toolCall(payload: Payload, event: string): ToolCall | undefined {
  const call = payload[event === "PreToolUse" ? "preToolUse" : "postToolUse"];
  if (!isObject(call) || typeof call["toolName"] !== "string") return undefined;
  const { toolName: name, parameters: original } = call;
  const input = inputObject(original);
  const { server_name: server, tool_name: tool } = input;
  const isMcp = name === "use_mcp_tool" && typeof server === "string" && typeof tool === "string";
  return { name, original, input, server: isMcp ? { name: server, tool } : undefined };
}

const failure = ({ postToolUse: call }: Payload): Payload =>
  isObject(call) && call["success"] === false ? { tool_error: true } : {};

const sessionStart = { is: ["session_start"], takes: ["context"], say: guardAnswer } as const satisfies HostEvent;

/** The extension of Cline for VS Code: https://docs.cline.bot/features/hooks. Every parameter of a tool is text. */
export const dialect: Dialect = {
  name: "cline",
  keys: {
    event: ["hookName"],
    session: ["taskId"],
    cwd: ["workspaceRoots.0"],
    toolName: [],
    toolInput: [],
    toolUseId: [],
  },
  sends: "clineVersion timestamp userId workspaceRoots model",
  silence: '{"cancel":false}',
  refusal: cancel,
  timeoutSeconds: 30,
  tools: [
    { is: "shell", names: ["execute_command"], fields: [["command", "cmd"]] },
    { is: "read_file", names: ["read_file"] },
    { is: "write_file", names: ["write_to_file"] },
    { is: "edit_file", names: ["replace_in_file"] },
    { is: "search_files_content", names: ["search_files"] },
    { is: "list_directory", names: ["list_files"] },
    { is: "fetch", names: ["web_fetch"] },
    { is: "transfer_task", names: ["new_task", "use_subagents"] },
    patchTool(["apply_patch"], "input"),
  ],
  others: {
    "writes-files": "new_rule",
    "reads-files": "list_code_definition_names",
    network: "browser_action web_search",
    other:
      "access_mcp_resource act_mode_respond ask_followup_question attempt_completion condense focus_chain " +
      "generate_explanation load_mcp_documentation plan_mode_respond report_bug summarize_task use_mcp_tool use_skill",
  },
  toolCall,
  events: {
    PreToolUse: { is: ["pre_tool_use"], takes: ["block", "context"], say: guardAnswer, sends: "preToolUse" },
    PostToolUse: {
      is: ["post_tool_use"],
      takes: ["block", "context"],
      say: contextAnswer,
      fields: { tool_response: "postToolUse.result" },
      derive: failure,
    },
    UserPromptSubmit: {
      is: ["user_prompt_submit"],
      takes: ["block", "context"],
      say: guardAnswer,
      fields: { prompt: "userPromptSubmit.prompt" },
    },
    TaskStart: { ...sessionStart, sends: "taskStart" },
    TaskResume: { ...sessionStart, fixed: { source: "resume" }, sends: "taskResume" },
    TaskCancel: { is: ["session_end"], takes: [], fixed: { reason: "other" }, sends: "taskCancel" },
    TaskComplete: { is: ["stop"], takes: [], sends: "taskComplete" },
    PreCompact: { is: ["pre_compact"], takes: ["block"], say: guardAnswer, sends: "preCompact" },
    Notification: {
      is: ["notification"],
      takes: [],
      fields: { notification_message: "notification.message" },
      fixed: { notification_level: "warning" },
    },
  },
};
