import { answer, defined } from "../answer-forms.ts";
import { SNAKE_KEYS } from "../claude-events.ts";
import type { Dialect, Say } from "../dialect.ts";
import { patchTool } from "../patch-tool.ts";

/** The bridge stops the call, or says no to the permission, for a block; everything else is nested. */
const bridgeAnswer: Say = ({ block, ask, allow, rewrite, context, replace }, { event }) => {
  const decision = ask !== undefined ? "ask" : allow !== undefined ? "allow" : undefined;
  const nested = defined({
    permission_decision: decision,
    permission_decision_reason: ask ?? (allow || undefined),
    updated_input: rewrite?.complete,
    additional_context: context,
    updated_tool_response: replace,
  });
  return answer(
    block === undefined ? {} : { decision: "block", reason: block },
    Object.keys(nested).length > 0 ? { hook_specific_output: { hook_event_name: event, ...nested } } : {},
  );
};

/**
 * opencode: https://opencode.ai/docs/plugins. It runs no commands; a plugin of hooksh starts one for each of its
 * handlers, with names and arguments as opencode has them. See docs/agents/opencode.md.
 */
export const dialect: Dialect = {
  name: "opencode",
  keys: SNAKE_KEYS,
  sends: "tool_response prompt message source reason error title metadata",
  silence: "{}",
  mcpNames: [{ prefix: "", separator: "_", isShared: true }],
  tools: [
    {
      is: "shell",
      names: ["bash"],
      fields: [
        ["command", "cmd"],
        ["workdir", "cwd"],
        ["timeout", "timeout", "ms"],
      ],
    },
    { is: "read_file", names: ["read"], fields: [["filePath", "path"]] },
    { is: "write_file", names: ["write"], fields: [["filePath", "path"]] },
    { is: "edit_file", names: ["edit"], fields: [["filePath", "path"]], edit: ["oldString", "newString"] },
    {
      is: "edit_file",
      names: ["multiedit"],
      fields: [["filePath", "path"]],
      edit: ["oldString", "newString", "edits"],
    },
    patchTool(["apply_patch", "patch"], "patchText"),
    { is: "search_files_content", names: ["grep"] },
    { is: "list_directory", names: ["list"] },
    { is: "fetch", names: ["webfetch"] },
    { is: "transfer_task", names: ["task"] },
    // It makes several calls of other tools, for which opencode asks no plugin.
    { is: "shell", also: ["read_file", "write_file", "edit_file", "fetch", "transfer_task"], names: ["batch"] },
  ],
  others: {
    "reads-files": "glob lsp",
    network: "codesearch websearch",
    other: "invalid plan_enter plan_exit question skill todoread todowrite",
  },
  events: {
    "tool.execute.before": {
      is: ["pre_tool_use"],
      obeys: ["rewrite"],
      takes: ["block", "ask", "allow", "rewrite", "context"],
      say: bridgeAnswer,
    },
    "tool.execute.after": {
      is: ["tool_response_transform", "post_tool_use"],
      obeys: ["replace"],
      takes: ["block", "replace", "context"],
      say: bridgeAnswer,
      fields: { tool_response: "tool_response" },
    },
    "permission.ask": { is: ["permission_request"], takes: ["block", "allow"], say: bridgeAnswer },
    "chat.message": {
      is: ["user_prompt_submit"],
      takes: ["block", "context"],
      say: bridgeAnswer,
      fields: { prompt: "prompt" },
    },
    "session.created": { is: ["session_start"], takes: [] },
    "session.idle": { is: ["stop"], takes: [] },
    "session.error": {
      is: ["on_error"],
      takes: [],
      fields: { notification_message: ["error", "message"] },
      fixed: { notification_level: "error" },
    },
    "session.deleted": { is: ["session_end"], takes: [], fixed: { reason: "other" } },
  },
};
