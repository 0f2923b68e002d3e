import {
  answer,
  blockAndContextAnswer,
  noticeField,
  observed,
  permissionDecision,
  specific,
  unmatched,
} from "../answer-forms.ts";
import { CLAUDE_LIKE, SNAKE_KEYS } from "../claude-events.ts";
import { CLAUDE_OTHERS, CLAUDE_TOOLS, DOUBLE_UNDERSCORES } from "../claude-tools.ts";
import type { Dialect, HostTool, Say } from "../dialect.ts";
import { patchInShell, patchTool } from "../patch-tool.ts";
import { codeTools } from "../tool-kinds.ts";

const SHELL: HostTool = {
  is: "shell",
  names: ["Bash", "exec_command", "shell", "shell_command", "local_shell", "container.exec", "unified_exec"],
  fields: [
    ["command", "cmd"],
    ["cmd", "cmd"],
    ["workdir", "cwd"],
    ["timeout_ms", "timeout", "ms"],
  ],
};

/** Codex fails the whole answer for a bare allow, and takes a rewrite only together with one. */
const beforeTool: Say = (verdict, { event }) => {
  const { rewrite, context } = verdict;
  const decision =
    verdict.block !== undefined ? permissionDecision(verdict) : rewrite ? { permissionDecision: "allow" } : {};
  return answer(
    specific(event, { ...decision, updatedInput: rewrite?.complete, additionalContext: context }),
    noticeField(verdict),
  );
};

/** A replaced result is said as a block, whose reason takes the place of the result. */
const afterTool: Say = ({ replace, block, ...rest }, call) =>
  blockAndContextAnswer(
    block === undefined && replace === undefined
      ? rest
      : { ...rest, block: [replace, block].filter((text) => text !== undefined).join("\n") },
    call,
  );

const vetoAnswer: Say = (verdict) =>
  answer(verdict.block === undefined ? {} : { continue: false, stopReason: verdict.block }, noticeField(verdict));

/** OpenAI Codex: https://developers.openai.com/codex/hooks. An unknown field voids the whole answer. */
export const dialect: Dialect = {
  name: "codex",
  keys: SNAKE_KEYS,
  sends: "turn_id transcript_path model permission_mode agent_id agent_type",
  silence: "",
  timeoutSeconds: 600,
  countsContinuations: true,
  typesUnseen: true,
  tools: [
    patchInShell(SHELL),
    SHELL,
    patchTool(["apply_patch"], "command"),
    ...CLAUDE_TOOLS.filter(({ is }) => is !== "shell" && is !== "transfer_task"),
    {
      is: "transfer_task",
      names: [
        "spawn_agent",
        "send_input",
        "resume_agent",
        "send_message",
        "assign_task",
        "followup_task",
        "spawn_agents_on_csv",
      ],
    },
    { is: "shell", names: ["write_stdin"], runsHidden: true, fields: [["chars", "cmd"]] },
    codeTools("node", ["exec", "js_repl"], "code", "input"),
    { is: "read_file", names: ["read_file", "view_image"], fields: [["file_path", "path"]] },
    { is: "list_directory", names: ["list_dir"], fields: [["dir_path", "path"]] },
    { is: "search_files_content", names: ["grep_files"] },
  ],
  others: {
    ...CLAUDE_OTHERS, // Codex reads configuration that was written for Claude Code
    network: `${CLAUDE_OTHERS.network} web_search image_gen image_generation`,
    other:
      `${CLAUDE_OTHERS.other} clock close_agent create_goal exec_wait get_context_remaining get_goal interrupt_agent ` +
      "js_repl_reset list_agents list_mcp_resource_templates list_mcp_resources new_context_window read_mcp_resource " +
      "report_agent_job_result request_permissions request_plugin_install request_user_input sleep tool_search " +
      "tool_suggest update_goal update_plan wait wait_agent",
  },
  mcpNames: [DOUBLE_UNDERSCORES],
  events: {
    PreToolUse: {
      ...CLAUDE_LIKE.PreToolUse,
      obeys: ["rewrite"],
      takes: ["block", "rewrite", "context", "notice"],
      say: beforeTool,
      rewriteGrants: "required",
    },
    PermissionRequest: CLAUDE_LIKE.PermissionRequest,
    PostToolUse: {
      is: ["tool_response_transform", "post_tool_use"],
      obeys: ["replace"],
      takes: ["block", "replace", "context", "notice"],
      say: afterTool,
      fields: { tool_response: "tool_response" },
    },
    UserPromptSubmit: CLAUDE_LIKE.UserPromptSubmit,
    SessionStart: CLAUDE_LIKE.SessionStart,
    SessionEnd: { ...CLAUDE_LIKE.SessionEnd, timeoutSeconds: 1 },
    Stop: CLAUDE_LIKE.Stop,
    SubagentStop: { ...CLAUDE_LIKE.SubagentStop, sends: "agent_transcript_path" },
    PreCompact: { ...CLAUDE_LIKE.PreCompact, takes: ["block", "notice"], say: vetoAnswer },
    PostCompact: { is: ["after_compaction"], ...observed, sends: "trigger" },
    ...unmatched("SubagentStart", "*"),
    Interrupt: { is: [], takes: [], timeoutSeconds: 1 },
  },
};
