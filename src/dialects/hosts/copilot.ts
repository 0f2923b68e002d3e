import { isObject } from "../../lib/json.ts";
import { answer, defined, joined, permissionDecision, specific } from "../answer-forms.ts";
import { CLAUDE_LIKE } from "../claude-events.ts";
import type { Dialect, HostEvent, HostTool, OtherTools, PayloadKeys, Say } from "../dialect.ts";
import { patchTool } from "../patch-tool.ts";

/** Copilot spells its keys in two ways, and one event has the same keys in both. */
const KEYS: PayloadKeys = {
  event: ["hook_event_name", "hookName"],
  session: ["sessionId", "session_id"],
  cwd: ["cwd"],
  toolName: ["toolName", "tool_name"],
  toolInput: ["toolArgs", "toolInput", "tool_input"],
  toolUseId: ["toolCallId", "tool_call_id", "tool_use_id"],
};

const PATH = [
  ["path", "path"],
  ["file_path", "path"],
] as const;

const EDIT = ["old_str", "new_str"] as const;

/** The tools with the names of the form that payloads are written in first. Their fields are the same in both. */
function tools(form: "camel" | "pascal"): readonly HostTool[] {
  const named = (camel: readonly string[], pascal: readonly string[]) =>
    form === "camel" ? [...camel, ...pascal] : [...pascal, ...camel];
  return [
    { is: "shell", names: named(["bash", "powershell"], ["Bash", "PowerShell"]), fields: [["command", "cmd"]] },
    { is: "read_file", names: named(["view"], ["Read"]), fields: PATH },
    { is: "write_file", names: named(["create"], ["Write"]), fields: [...PATH, ["file_text", "content"]] },
    // A request for permission shows a new file as an edit too.
    {
      is: "edit_file",
      also: ["write_file"],
      names: ["edit"],
      fields: PATH,
      when: (input) => Object.hasOwn(input, "diff"),
    },
    { is: "edit_file", names: named(["edit"], ["Edit"]), fields: PATH, edit: EDIT },
    { is: "read_file", names: ["str_replace_editor"], fields: PATH, when: ({ command }) => command === "view" },
    { is: "edit_file", also: ["write_file"], names: ["str_replace_editor"], fields: PATH, edit: EDIT },
    patchTool(["apply_patch"], "input", "patch"),
    { is: "search_files_content", names: named(["grep", "rg"], ["Grep"]) },
    { is: "fetch", names: named(["web_fetch"], ["WebFetch"]) },
    { is: "transfer_task", names: [...named(["task"], ["Agent", "Task"]), "write_agent"] },
    { is: "shell", names: ["write_bash", "write_powershell"], runsHidden: true, fields: [["input", "cmd"]] },
    { is: "read_file", names: ["show_file"], fields: PATH },
  ];
}

const OTHERS: OtherTools = {
  "runs-commands": "list_bash list_powershell read_bash read_powershell stop_bash stop_powershell",
  "reads-files": "Glob LSP glob lsp",
  network: "WebSearch create_pull_request web_search",
  other:
    "AskUserQuestion ExitPlanMode Skill TodoWrite ask_user code_review codeql_checker context_board exit_plan_mode " +
    "extensions_manage extensions_reload fetch_copilot_cli_documentation list_agents read_agent report_intent " +
    "report_progress send_inbox session_store_sql skill sql store_memory task_complete tool_search_tool_regex update_todo " +
    "vote_memory",
};

/** The host takes the decision, the rewritten input and context at the top level. */
const flat: Say = (verdict) =>
  answer(
    permissionDecision(verdict),
    defined({ modifiedArgs: verdict.rewrite?.complete, additionalContext: verdict.context }),
  );

/** In the Pascal form the nested decision counts too and wins; older versions read the flat one alone. */
const beforeTool: Say = (verdict, call) => {
  const isPascal = call.event === "PreToolUse" || Object.hasOwn(call.payload, "tool_name");
  if (!isPascal) return flat(verdict, call);
  return answer(
    flat(verdict, call)?.json ?? {},
    specific("PreToolUse", {
      ...permissionDecision(verdict),
      updatedInput: verdict.rewrite?.complete,
      additionalContext: verdict.context,
    }),
  );
};

const permission: Say = ({ block, allow }) => {
  if (block !== undefined) return { json: { behavior: "deny", message: block } };
  return allow === undefined ? undefined : { json: { behavior: "allow" } };
};

const blockAndContext: Say = ({ block, context }) =>
  answer(block === undefined ? {} : { decision: "block", reason: block }, defined({ additionalContext: context }));

/** Feedback after a tool is context. A replaced result keeps its kind. */
const afterTool: Say = ({ block, context, replace }, { payload }) => {
  const modifiedResult =
    replace === undefined ? undefined : { resultType: resultType(payload), textResultForLlm: replace };
  return answer(defined({ modifiedResult, additionalContext: joined(block, context) }));
};

function resultType({ toolResult, tool_result: snake }: Readonly<Record<string, unknown>>): string {
  const result = toolResult ?? snake;
  const type = isObject(result) ? (result["resultType"] ?? result["result_type"]) : undefined;
  return typeof type === "string" ? type : "success";
}

const contextOnly = { takes: ["context"], say: blockAndContext } as const satisfies Partial<HostEvent>;

const EVENTS = {
  sessionStart: {
    is: ["session_start"],
    ...contextOnly,
    fields: { source: "source" },
  },
  sessionEnd: {
    is: ["session_end"],
    takes: [],
    fields: { reason: "reason" },
  },
  userPromptSubmitted: {
    is: ["user_prompt_submit"],
    takes: ["block", "context"],
    say: blockAndContext,
    fields: { prompt: "prompt" },
  },
  userPromptTransformed: { is: [], takes: [] },
  preToolUse: {
    is: ["pre_tool_use"],
    obeys: ["rewrite"],
    takes: ["block", "ask", "allow", "rewrite", "context"],
    say: beforeTool,
  },
  permissionRequest: { is: ["permission_request"], takes: ["block", "allow"], say: permission },
  postToolUse: {
    is: ["tool_response_transform", "post_tool_use"],
    obeys: ["replace"],
    takes: ["block", "replace", "context"],
    say: afterTool,
    fields: { tool_response: ["toolResult", "tool_result"] },
    derive: (payload) => (resultType(payload) === "success" ? {} : { tool_error: true }),
  },
  postToolUseFailure: {
    is: ["post_tool_use"],
    takes: ["block", "context"],
    say: afterTool,
    fields: { tool_response: ["error.message", "error"] },
    fixed: { tool_error: true },
  },
  agentStop: {
    is: ["stop"],
    takes: ["block"],
    say: blockAndContext,
    fields: { stop_response: ["last_assistant_message", "response"], stop_hook_active: "stop_hook_active" },
  },
  subagentStart: { is: [], takes: [] },
  subagentStop: {
    is: ["subagent_stop"],
    takes: ["block"],
    say: blockAndContext,
    fields: {
      agent_name: ["agentName", "agent_name", "agent_type"],
      stop_response: ["response", "last_assistant_message"],
      stop_hook_active: "stop_hook_active",
    },
  },
  errorOccurred: { ...CLAUDE_LIKE.StopFailure, takes: [] },
  preCompact: { ...CLAUDE_LIKE.PreCompact, takes: [] },
  notification: { ...CLAUDE_LIKE.Notification, ...contextOnly },
} as const satisfies Readonly<Record<string, HostEvent>>;

const PASCAL_EVENTS: Readonly<Record<string, HostEvent>> = {
  SessionStart: EVENTS.sessionStart,
  SessionEnd: EVENTS.sessionEnd,
  UserPromptSubmit: EVENTS.userPromptSubmitted,
  UserPromptTransformed: EVENTS.userPromptTransformed,
  PreToolUse: EVENTS.preToolUse,
  PermissionRequest: EVENTS.permissionRequest,
  PostToolUse: EVENTS.postToolUse,
  PostToolUseFailure: EVENTS.postToolUseFailure,
  Stop: EVENTS.agentStop,
  SubagentStart: EVENTS.subagentStart,
  SubagentStop: EVENTS.subagentStop,
  ErrorOccurred: EVENTS.errorOccurred,
  PreCompact: EVENTS.preCompact,
  Notification: EVENTS.notification,
};

const shared = {
  keys: KEYS,
  // In every event alike: the same list for both spellings, of fields that one event or another has.
  sends:
    "timestamp transcriptPath transcript_path prompt initialPrompt initial_prompt transformedPrompt source reason error " +
    "stopReason stop_reason stop_hook_active agentName agentId agentType parentAgentId agent_name agent_id agent_type " +
    "parent_agent_id agentDisplayName agentDescription response last_assistant_message toolResult tool_result " +
    "permissionSuggestions trigger customInstructions custom_instructions message title notification_type recoverable " +
    "errorContext",
  others: OTHERS,
  silence: "",
  timeoutSeconds: 30,
  mcpNames: [{ prefix: "", separator: "-", isShared: true }],
  ownServers: ["github-mcp-server", "playwright"],
  // A request for permission has a slash between the server and its tool.
  serverOf: (name: string) => {
    const [, server, tool] = /^([^/]+)\/(.+)$/s.exec(name) ?? [];
    return server !== undefined && tool !== undefined ? { name: server, tool } : undefined;
  },
} satisfies Partial<Dialect>;

/** GitHub Copilot CLI: https://docs.github.com/en/copilot/reference/hooks-configuration. It reads both forms. */
export const dialect: Dialect = {
  name: "copilot",
  ...shared,
  tools: tools("camel"),
  events: { ...EVENTS, ...PASCAL_EVENTS },
};

/** The form of the payloads of an event that is configured under its Pascal name. */
export const pascalDialect: Dialect = {
  name: "copilot-pascal",
  ...shared,
  tools: tools("pascal"),
  events: { ...PASCAL_EVENTS, permissionRequest: EVENTS.permissionRequest },
};
