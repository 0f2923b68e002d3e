import { DOUBLE_UNDERSCORES } from "../claude-tools.ts";
import type { Dialect, HostEvent, HostTool, Say } from "../dialect.ts";

const PATH = [["file_path", "path"]] as const;

const TOOLS: readonly HostTool[] = [
  { is: "shell", names: ["run_terminal_command"], fields: [["command", "cmd"]] },
  { is: "read_file", names: ["read_file"], fields: PATH },
  { is: "write_file", names: ["write"], fields: PATH },
  { is: "edit_file", names: ["search_replace"], fields: PATH, edit: ["old_string", "new_string"] },
  { is: "search_files_content", names: ["grep"] },
  { is: "list_directory", names: ["list_dir"] },
  { is: "fetch", names: ["web_fetch"] },
  { is: "transfer_task", names: ["task", "spawn_subagent"] },
];

/** The host wants the reason as JSON and the exit code as well. */
const denial: Say = ({ block }) =>
  block === undefined ? undefined : { json: { decision: "deny", reason: block }, stderr: block, exitCode: 2 };

const EVENTS: Readonly<Record<string, HostEvent>> = {
  pre_tool_use: { is: ["pre_tool_use"], takes: ["block"], say: denial },
  post_tool_use: {
    is: ["post_tool_use"],
    takes: [],
    fields: { tool_response: ["toolResult", "toolOutput", "toolResponse"] },
  },
  post_tool_use_failure: {
    is: ["post_tool_use"],
    takes: [],
    fields: { tool_response: ["error.message", "error", "toolResult"] },
    fixed: { tool_error: true },
  },
  user_prompt_submit: { is: ["user_prompt_submit"], takes: [], fields: { prompt: "prompt" } },
  session_start: {
    is: ["session_start"],
    takes: [],
    fields: { source: "source" },
  },
  session_end: {
    is: ["session_end"],
    takes: [],
    fields: { reason: "reason" },
    derive: ({ reason }) => (reason === undefined ? { reason: "other" } : {}),
  },
  stop: {
    is: ["stop"],
    takes: [],
    fields: { stop_response: "lastAssistantMessage", stop_hook_active: "stopHookActive" },
  },
  notification: {
    is: ["notification"],
    takes: [],
    fields: { notification_message: "message" },
    fixed: { notification_level: "warning" },
  },
};

/** Grok Build: https://docs.x.ai/build/features/hooks. Only a tool call can be refused, and context has no place. */
export const dialect: Dialect = {
  name: "grok",
  keys: {
    event: ["hookEventName"],
    session: ["sessionId"],
    cwd: ["cwd", "workspaceRoot"],
    toolName: ["toolName"],
    toolInput: ["toolInput"],
    toolUseId: ["toolUseId", "toolCallId"],
  },
  sends: "transcriptPath timestamp prompt toolResponse toolOutput source reason error message notificationType model",
  silence: "",
  timeoutSeconds: 5,
  tools: TOOLS,
  mcpNames: [DOUBLE_UNDERSCORES, { prefix: "", separator: "__", isShared: true }],
  others: {
    "runs-commands": "get_command_or_subagent_output kill_command_or_subagent",
    "reads-files": "file_search glob",
    network: "web_search",
    other: "ask_user_question skill todo_write",
  },
  events: { ...EVENTS, ...underConfiguredNames(EVENTS) },
};

/** Payloads say `pre_tool_use` where the configuration says `PreToolUse`; `--event` may have either. */
function underConfiguredNames(events: Readonly<Record<string, HostEvent>>): Record<string, HostEvent> {
  const pascal = (name: string) => name.replace(/(?:^|_)([a-z])/g, (_match, letter: string) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(events).map(([name, row]) => [pascal(name), row]));
}
