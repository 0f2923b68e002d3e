import { answer, defined } from "../answer-forms.ts";
import { SNAKE_KEYS } from "../claude-events.ts";
import type { Dialect, HostTool, Say } from "../dialect.ts";
import { patchTool } from "../patch-tool.ts";
import { codeTools, editorTools } from "../tool-kinds.ts";

/** A denial is said twice, as JSON and by exit code 2 with the reason on standard error. */
const denyAnswer: Say = ({ block, context }) =>
  block === undefined
    ? answer(defined({ additionalContext: context }))
    : { json: { decision: "deny", reason: block }, stderr: block, exitCode: 2 };

const TERMINAL: HostTool = { is: "shell", names: ["terminal", "execute_bash"], fields: [["command", "cmd"]] };

/** OpenHands CLI and SDK: https://docs.openhands.dev/sdk/guides/hooks. */
export const dialect: Dialect = {
  name: "openhands",
  keys: { ...SNAKE_KEYS, event: ["event_type"], cwd: ["working_dir"] },
  sends: "tool_output tool_response message metadata",
  silence: "",
  countsContinuations: true,
  tools: [
    { ...TERMINAL, runsHidden: true, when: ({ is_input: typed }) => typed === true || typed === "true" },
    TERMINAL,
    ...editorTools(["file_editor", "str_replace_editor", "planning_file_editor"], "create"),
    codeTools("python3", ["execute_ipython_cell"], "code"),
    patchTool(["apply_patch"], "patch", "input"),
    { is: "transfer_task", names: ["delegate", "task"] },
    { is: "search_files_content", names: ["grep"] },
    { is: "fetch", names: ["browser_navigate", "fetch"] },
  ],
  others: {
    "reads-files": "glob",
    network:
      "browser_click browser_close_tab browser_get_content browser_get_state browser_get_storage browser_go_back " +
      "browser_list_tabs browser_scroll browser_set_storage browser_start_recording browser_stop_recording " +
      "browser_switch_tab browser_type",
    other: "finish invoke_skill task_tracker think",
  },
  events: {
    PreToolUse: { is: ["pre_tool_use"], takes: ["block"], say: denyAnswer },
    PostToolUse: { is: ["post_tool_use"], takes: [], fields: { tool_response: "tool_output" } },
    UserPromptSubmit: {
      is: ["user_prompt_submit"],
      takes: ["block", "context"],
      say: denyAnswer,
      fields: { prompt: "message" },
    },
    SessionStart: { is: ["session_start"], takes: [] },
    SessionEnd: { is: ["session_end"], takes: [], fixed: { reason: "other" } },
    Stop: { is: ["stop"], takes: ["block"], say: denyAnswer },
    Notification: {
      is: ["notification"],
      takes: [],
      fields: { notification_message: "message" },
      fixed: { notification_level: "warning" },
    },
  },
};
