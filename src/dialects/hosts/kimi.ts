import type { Payload } from "../../protocol/rewrite.ts";
import { permissionDecision, specific, unmatched } from "../answer-forms.ts";
import { CLAUDE_LIKE, SNAKE_KEYS } from "../claude-events.ts";
import { DOUBLE_UNDERSCORES } from "../claude-tools.ts";
import type { Dialect, HostTool, OtherTools, Say } from "../dialect.ts";

const PATH = [
  ["path", "path"],
  ["file_path", "path"],
] as const;

const TOOLS: readonly HostTool[] = [
  {
    is: "shell",
    names: ["Bash", "Shell"],
    fields: [
      ["command", "cmd"],
      ["timeout", "timeout", "ms"],
    ],
  },
  { is: "read_file", names: ["Read", "ReadFile"], fields: PATH },
  { is: "write_file", names: ["Write", "WriteFile"], fields: PATH },
  { is: "edit_file", names: ["Edit", "StrReplaceFile"], fields: PATH, edit: ["old_string", "new_string"] },
  { is: "search_files_content", names: ["Grep"] },
  { is: "transfer_task", names: ["Agent", "AgentSwarm", "Task"] },
  { is: "fetch", names: ["FetchURL"] },
  { is: "read_file", names: ["ReadMediaFile"], fields: PATH },
];

const OTHERS: OtherTools = {
  "runs-commands": "TaskStop",
  "reads-files": "Glob",
  network: "SearchWeb WebSearch",
  other:
    "AskUserQuestion CreateGoal CronCreate CronDelete CronList EnterPlanMode ExitPlanMode GetGoal SendDMail SetGoalBudget " +
    "SetTodoList Skill TaskList TaskOutput Think TodoList UpdateGoal WaitFor",
};

/** Before a tool the host reads the decision alone, without the name of the event. */
const beforeTool: Say = ({ block }) =>
  block === undefined ? undefined : { json: { hookSpecificOutput: permissionDecision({ block }) } };

/** A prompt and a stop are refused like a tool. Context is plain text. */
const refusalOrText: Say = ({ block, context }, { event }) =>
  block === undefined
    ? context === undefined
      ? undefined
      : { text: context }
    : { json: specific(event, permissionDecision({ block })) };

/** The host knows more severities than hooksh has levels. */
const level = ({ severity }: Payload): Payload => ({
  notification_level: severity === "error" || severity === "critical" ? "error" : "warning",
});

const stopFields = { stop_hook_active: "stop_hook_active", stop_response: ["response", "last_assistant_message"] };

/**
 * Kimi Code: https://moonshotai.github.io/kimi-code. It waits only for hooks before a tool, on a prompt and at a stop,
 * and reads nothing but a denial there, and text as context of a prompt.
 */
export const dialect: Dialect = {
  name: "kimi",
  keys: SNAKE_KEYS,
  sends: "client_type agent_name",
  silence: "",
  timeoutSeconds: 30,
  tools: TOOLS,
  mcpNames: [DOUBLE_UNDERSCORES],
  others: OTHERS,
  events: {
    PreToolUse: { is: ["pre_tool_use"], takes: ["block"], say: beforeTool },
    PostToolUse: { is: ["post_tool_use"], takes: [], fields: { tool_response: "tool_output" } },
    PostToolUseFailure: {
      ...CLAUDE_LIKE.PostToolUseFailure,
      takes: [],
      fields: { tool_response: ["error.message", "error", "tool_output"] },
    },
    PermissionRequest: { is: ["permission_request"], takes: [] },
    PermissionResult: {
      is: ["on_tool_approval_decision"],
      takes: [],
      fields: { approval_reason: "reason" },
      derive: approval,
    },
    UserPromptSubmit: {
      ...CLAUDE_LIKE.UserPromptSubmit,
      takes: ["block", "context"],
      say: refusalOrText,
      sends: "is_steer",
    },
    Stop: { is: ["stop"], takes: ["block"], say: refusalOrText, fields: stopFields },
    StopFailure: {
      ...CLAUDE_LIKE.StopFailure,
      takes: [],
      fields: { notification_message: ["error_message", "error"] },
      sends: "error_type",
    },
    SessionStart: { ...CLAUDE_LIKE.SessionStart, takes: [], sends: "model profile" },
    SessionEnd: { ...CLAUDE_LIKE.SessionEnd, takes: [] },
    SubagentStop: { is: ["subagent_stop"], takes: [], fields: { ...stopFields, agent_name: "agent_name" } },
    PreCompact: { ...CLAUDE_LIKE.PreCompact, takes: [], sends: "token_count" },
    PostCompact: { is: ["after_compaction"], takes: [], sends: "trigger token_count" },
    Notification: {
      is: ["notification"],
      takes: [],
      fields: { notification_message: ["body", "title"] },
      derive: level,
      sends: "notification_type severity sink source_kind source_id",
    },
    ...unmatched("SubagentStart", "prompt"),
    ...unmatched("TurnStarted", "turn_id origin_kind prompt"),
    ...unmatched("UserPromptQueued Interrupt TaskStarted SessionHeartbeat", "*"),
  },
};

/** The user's decision on a call, if the payload holds one in words that hooksh knows. */
function approval({ decision }: Payload): Payload {
  if (typeof decision !== "string") return {};
  if (/^(allow|approve)/.test(decision)) return { approval_decision: "allow" };
  return /^(deny|reject|decline)/.test(decision) ? { approval_decision: "deny" } : {};
}
