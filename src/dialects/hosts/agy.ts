import { isObject } from "../../lib/json.ts";
import type { Payload } from "../../protocol/rewrite.ts";
import { answer, defined } from "../answer-forms.ts";
import type { Dialect, HostTool, Say, ToolCall } from "../dialect.ts";
import { codeTools } from "../tool-kinds.ts";
import { inputObject } from "../values.ts";

const MCP_TOOL = "call_mcp_tool";

/** A rewrite is merged into the arguments at their top level, and only together with an allow. */
const beforeTool: Say = ({ block, ask, allow, rewrite }) => {
  if (block !== undefined) return answer({ decision: "deny", reason: block });
  const overwrite = defined({ overwrite: rewrite?.changes });
  if (ask !== undefined) return answer({ decision: "force_ask", reason: ask }, overwrite);
  const isAllowed = allow !== undefined || rewrite !== undefined;
  return answer(isAllowed ? { decision: "allow" } : {}, defined({ reason: allow || undefined }), overwrite);
};

const beforeModel: Say = ({ context }) =>
  answer(context === undefined ? {} : { injectSteps: [{ ephemeralMessage: context }] });

const keepGoing: Say = ({ block }) => answer(block === undefined ? {} : { decision: "continue", reason: block });

/** A finished step need not name its call, so hooks for every tool see it as the tool `step`. */
const UNNAMED: ToolCall = { name: "step", original: undefined, input: {} };

function toolCall({ toolCall: call }: Payload, event: string): ToolCall | undefined {
  if (!isObject(call)) return event === "PostToolUse" ? UNNAMED : undefined;
  if (typeof call["name"] !== "string") return undefined;
  const { name, args: original } = call;
  const outer = inputObject(original);
  const { ServerName: server, ToolName: tool, Arguments: inner } = outer;
  if (name !== MCP_TOOL || typeof server !== "string" || typeof tool !== "string")
    return { name, original, input: outer };
  return {
    name,
    original,
    input: inputObject(inner),
    server: { name: server, tool },
    shownAs: tool,
    wrap: (input) => ({ ...outer, Arguments: typeof inner === "string" ? JSON.stringify(input) : input }),
  };
}

const STOP_KEYS = ["executionNum", "terminationReason", "fullyIdle"];

/** Payloads do not name their event. If in doubt, a call counts as not yet run, so that guards run. */
function eventOf(payload: Payload): string | undefined {
  const isStop = STOP_KEYS.some((key) => Object.hasOwn(payload, key));
  if (typeof payload["error"] === "string" && !isStop) return "PostToolUse";
  if (isObject(payload["toolCall"])) return "PreToolUse";
  if (Object.hasOwn(payload, "invocationNum")) return "PreInvocation";
  if (isStop) return "Stop";
  return Object.hasOwn(payload, "error") ? "PostToolUse" : undefined;
}

/** The payload has no result of the call, only its error. */
const failure = ({ error }: Payload): Payload =>
  typeof error === "string" && error !== "" ? { tool_error: true, tool_response: error } : {};

const PATH = ["TargetFile", "path"] as const;

const EDITS: readonly HostTool[] = [
  {
    is: "edit_file",
    names: ["replace_file_content"],
    fields: [PATH],
    edit: ["TargetContent", "ReplacementContent"],
  },
  {
    is: "edit_file",
    names: ["multi_replace_file_content"],
    fields: [PATH],
    edit: ["TargetContent", "ReplacementContent", "ReplacementChunks"],
  },
];

/** Google Antigravity: CLI, IDE and 2.0: https://antigravity.google/docs/hooks. Each event knows only its own fields. */
export const dialect: Dialect = {
  name: "agy",
  keys: {
    event: [],
    session: ["conversationId"],
    cwd: ["workspacePaths.0"],
    toolName: [],
    toolInput: [],
    toolUseId: [],
  },
  sends: "stepIdx modelName transcriptPath workspacePaths artifactDirectoryPath",
  silence: "{}",
  timeoutSeconds: 30,
  countsContinuations: true,
  tools: [
    {
      is: "shell",
      names: ["run_command"],
      fields: [
        ["CommandLine", "cmd"],
        ["Cwd", "cwd"],
      ],
    },
    { is: "read_file", names: ["view_file"], fields: [["AbsolutePath", "path"]] },
    { is: "write_file", names: ["write_to_file"], fields: [PATH, ["CodeContent", "content"]] },
    ...EDITS,
    { is: "search_files_content", names: ["grep_search"] },
    { is: "list_directory", names: ["list_dir"] },
    { is: "fetch", names: ["read_url_content"] },
    { is: "transfer_task", names: ["invoke_subagent", "browser_subagent", "define_subagent", "send_message"] },
    { is: "shell", names: ["send_command_input"], runsHidden: true, fields: [["Input", "cmd"]] },
    codeTools("node", ["execute_browser_javascript"], "JavaScript"),
    {
      is: "read_file",
      names: ["view_content_chunk", "view_file_outline", "view_code_item"],
      fields: [["File", "path"]],
    },
  ],
  others: {
    "reads-files": "codebase_search find_by_name",
    network:
      "browser_click browser_drag browser_get_dom browser_input browser_press_key browser_resize browser_scroll " +
      "capture_browser_console_logs capture_browser_screenshot click_browser_pixel generate_image list_browser_pages " +
      "open_browser_url read_browser_page search_web",
    other:
      "ask_permission ask_question command_status list_permissions list_resources manage_subagents manage_task " +
      "notify_user read_resource read_terminal schedule task_boundary",
  },
  toolCall,
  eventOf,
  events: {
    PreToolUse: {
      is: ["pre_tool_use"],
      takes: ["block", "ask", "allow", "rewrite"],
      say: beforeTool,
      sends: "toolCall",
      silence: "", // anything else denies the call
    },
    PostToolUse: {
      is: ["post_tool_use"],
      takes: [],
      derive: failure,
      sends: "toolCall error",
    },
    PreInvocation: {
      is: ["turn_start"],
      takes: ["context"],
      say: beforeModel,
      sends: "invocationNum initialNumSteps",
    },
    PostInvocation: { is: ["after_llm_call"], takes: [], sends: "invocationNum initialNumSteps" },
    SessionStart: { is: ["session_start"], takes: ["context"], say: beforeModel },
    Stop: {
      is: ["stop"],
      takes: ["block"],
      say: keepGoing,
      sends: "executionNum terminationReason fullyIdle error",
      silence: '{"decision":""}',
    },
  },
};
