import { answer, unmatched } from "../answer-forms.ts";
import { SNAKE_KEYS } from "../claude-events.ts";
import type { Dialect, HostTool, Say } from "../dialect.ts";
import { codeTools, editorTools } from "../tool-kinds.ts";

const blockAnswer: Say = ({ block }) => answer(block === undefined ? {} : { decision: "block", reason: block });

/** The extension of goose itself; older versions put its name in front of those of its tools. */
const OWN = "developer__";

function named(...names: readonly string[]): string[] {
  return names.flatMap((name) => [name, `${OWN}${name}`]);
}

/** Tools of extensions that come with goose. */
const EXTENSION_TOOLS: readonly HostTool[] = [
  {
    is: "transfer_task",
    names: ["delegate", "summon__delegate", "subagent__execute_task", "dynamic_task__create_task"],
  },
  {
    is: "shell",
    names: ["computercontroller__automation_script", "computercontroller__computer_control"],
    runsHidden: true, // the script may be in another language
    fields: [["script", "cmd"]],
  },
  codeTools(
    "node",
    ["execute_typescript", "code_execution__execute_typescript", "code_execution__execute_code"],
    "code",
  ),
  { is: "fetch", names: ["computercontroller__web_scrape"] },
];

/** goose: https://goose-docs.ai/docs/guides/context-engineering/hooks. Only PreToolUse and Stop read an answer. */
export const dialect: Dialect = {
  name: "goose",
  keys: { ...SNAKE_KEYS, event: ["event"], cwd: ["working_dir", "cwd"] },
  sends: "matcher_context message last_assistant_message tool_output tool_response error",
  silence: "",
  timeoutSeconds: 30,
  tools: [
    {
      is: "shell",
      names: named("shell"),
      fields: [
        ["command", "cmd"],
        ["timeout_secs", "timeout"],
      ],
    },
    { is: "write_file", names: named("write") },
    { is: "edit_file", names: named("edit"), edit: ["before", "after"] },
    { is: "directory_tree", names: named("tree") },
    ...editorTools([`${OWN}text_editor`], "write"),
    ...EXTENSION_TOOLS,
  ],
  others: { other: "final_output load" },
  mcpNames: [{ prefix: "", separator: "__" }],
  events: {
    PreToolUse: { is: ["pre_tool_use"], takes: ["block"], say: blockAnswer },
    PostToolUse: { is: ["post_tool_use"], takes: [], fields: { tool_response: "tool_output" } },
    PostToolUseFailure: {
      is: ["post_tool_use"],
      takes: [],
      fields: { tool_response: ["error", "tool_output"] },
      fixed: { tool_error: true },
    },
    UserPromptSubmit: { is: ["user_prompt_submit"], takes: [], fields: { prompt: "message" } },
    SessionStart: { is: ["session_start"], takes: [] },
    SessionEnd: { is: ["session_end"], takes: [], fixed: { reason: "other" } },
    Stop: {
      is: ["stop"],
      takes: ["block"],
      say: blockAnswer,
      fields: { stop_response: "last_assistant_message" },
    },
    // The same calls as PreToolUse and PostToolUse once more.
    ...unmatched("PreToolUseResult BeforeReadFile AfterFileEdit BeforeShellExecution AfterShellExecution"),
  },
};
