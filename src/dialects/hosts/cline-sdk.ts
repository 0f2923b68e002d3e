import { isObject } from "../../lib/json.ts";
import type { Payload } from "../../protocol/rewrite.ts";
import { answer, defined, joined, unmatched } from "../answer-forms.ts";
import type { Answer, Dialect, HostEvent, HostTool, Say, ToolCall } from "../dialect.ts";
import { patchTool } from "../patch-tool.ts";
import { inputObject } from "../values.ts";

function cancel(reason: string): Answer {
  return { json: { cancel: true, errorMessage: reason } };
}

/** A cancel ends the whole run. There is no ask: `review` stops nothing under auto-approval, which is the default. */
const beforeTool: Say = ({ block, allow, rewrite, context }) => {
  if (block !== undefined) return cancel(block);
  return answer(allow === undefined ? {} : { cancel: false }, defined({ overrideInput: rewrite?.complete, context }));
};

const afterTool: Say = ({ block, context }) => answer(defined({ context: joined(block, context) }));

/** The host ignores the output on every event that is not about a tool. */
const observed = { takes: [] } as const satisfies Partial<HostEvent>;

const SHELL_NAME = "run_commands";

/** The call under its name and under that of the extension; the latter's parameters are JSON texts. */
function toolCall(payload: Payload, event: string): ToolCall | undefined {
  const [own, ofExtension] =
    event === "tool_call"
      ? [payload["tool_call"], payload["preToolUse"]]
      : [payload["tool_result"], payload["postToolUse"]];
  const call = isObject(own) ? own : {};
  const copy = isObject(ofExtension) ? ofExtension : {};
  const name = call["name"] ?? copy["toolName"];
  if (typeof name !== "string") return undefined;
  const original = call["input"] ?? copy["parameters"];
  const id = typeof call["id"] === "string" ? call["id"] : undefined;
  const input = inputObject(original);
  return { name, original, id, input: name === SHELL_NAME ? commandsOf(input) : input };
}

/**
 * The commands as a list of texts. The tool also takes one command, a list alone, and commands with arguments; of a call
 * with several of them hooks see all.
 */
function commandsOf(input: Payload): Payload {
  const { commands, input: alone, command, args, ...rest } = input;
  const given = [...listOf(commands), ...listOf(alone), ...(command === undefined ? [] : [{ command, args }])];
  return given.length === 0 ? input : { ...rest, commands: given.map(commandText) };
}

function listOf(value: unknown): unknown[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  if (typeof value !== "string") return [value];
  try {
    const parsed: unknown = JSON.parse(value);
    if (Array.isArray(parsed)) return parsed;
  } catch {
    // one command
  }
  return [value];
}

function commandText(command: unknown): string {
  if (typeof command === "string") return command;
  if (!isObject(command) || typeof command["command"] !== "string") return JSON.stringify(command);
  const { command: program, args } = command;
  return [program, ...(Array.isArray(args) ? args : [])].join(" ");
}

const READ: HostTool = {
  is: "read_file",
  also: ["read_multiple_files"],
  names: ["read_files"],
  read: (input) => {
    const listed = [input["files"], input["file_paths"], input["input"]];
    const paths = listed
      .flat()
      .flatMap((file: unknown) =>
        typeof file === "string" ? [file] : isObject(file) && typeof file["path"] === "string" ? [file["path"]] : [],
      );
    return { ...input, ...(paths.length > 0 ? { path: paths[0], paths } : {}) };
  },
  write: ({ path, paths, ...input }, original) =>
    Object.keys(original).length === 0 ? { files: [{ path }], ...input } : input,
};

const failure = ({ tool_result: result, postToolUse: copy }: Payload): Payload => {
  const error = isObject(result) ? result["error"] : undefined;
  const isFailure = (isObject(copy) && copy["success"] === false) || (typeof error === "string" && error !== "");
  return isFailure ? { tool_error: true } : {};
};

/** Cline CLI and SDK: https://docs.cline.bot. A payload has the call twice, in its own form and in the extension's. */
export const dialect: Dialect = {
  name: "cline-sdk",
  keys: {
    event: ["hookName"],
    session: ["taskId"],
    cwd: ["workspaceInfo.rootPath", "workspaceRoots.0"],
    toolName: [],
    toolInput: [],
    toolUseId: [],
  },
  sends:
    "clineVersion timestamp sessionContext workspaceRoots workspaceInfo userId agent_id parent_agent_id model iteration turn",
  silence: "",
  refusal: cancel,
  timeoutSeconds: 120,
  mcpNames: [{ prefix: "", separator: "__" }],
  tools: [
    { is: "shell", names: [SHELL_NAME], fields: [["commands", "cmd", "lines"]] },
    { is: "read_file", names: ["editor"], when: ({ command }) => command === "view" },
    { is: "edit_file", also: ["write_file"], names: ["editor"] },
    READ,
    patchTool(["apply_patch"], "input"),
    { is: "search_files_content", names: ["search_codebase"] },
    { is: "fetch", names: ["fetch_web_content"] },
    {
      is: "transfer_task",
      names: [
        "spawn_agent",
        "team_spawn_teammate",
        "team_run_task",
        "team_task",
        "team_send_message",
        "team_broadcast",
      ],
    },
  ],
  others: {
    other:
      "ask_question skills submit_and_exit team_attach_outcome_fragment team_await_runs team_cancel_run team_cleanup " +
      "team_create_outcome team_finalize_outcome team_list_outcomes team_list_runs team_mission_log team_read_mailbox " +
      "team_review_outcome_fragment team_shutdown_teammate team_status",
  },
  toolCall,
  events: {
    tool_call: {
      is: ["pre_tool_use"],
      obeys: ["rewrite"],
      takes: ["block", "allow", "rewrite", "context"],
      say: beforeTool,
      sends: "tool_call preToolUse",
    },
    tool_result: {
      is: ["post_tool_use"],
      takes: ["block", "context"],
      say: afterTool,
      fields: { tool_response: ["tool_result.output", "tool_result.error", "postToolUse.result"] },
      derive: failure,
    },
    agent_start: { is: ["session_start"], ...observed, sends: "taskStart" },
    agent_resume: { is: ["session_start"], ...observed, fixed: { source: "resume" }, sends: "taskResume" },
    prompt_submit: {
      is: ["user_prompt_submit"],
      ...observed,
      fields: { prompt: ["prompt", "userPromptSubmit.prompt"] },
    },
    agent_end: {
      is: ["stop", "subagent_stop"],
      ...observed,
      only: ({ parent_agent_id: parent }) => [typeof parent === "string" && parent !== "" ? "subagent_stop" : "stop"],
      fields: { stop_response: "turn.outputText" },
      sends: "taskComplete",
    },
    agent_error: {
      is: ["on_error"],
      ...observed,
      fields: { notification_message: ["error", "message"] },
      fixed: { notification_level: "error" },
      sends: "taskError",
    },
    session_shutdown: { is: ["session_end"], ...observed, fixed: { reason: "other" }, sends: "reason" },
    pre_compact: { is: ["pre_compact"], ...observed, sends: "preCompact" },
    ...unmatched("agent_abort", "taskCancel reason"),
  },
};
