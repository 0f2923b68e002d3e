import { CLAUDE_TOOLS, doubleUnderscoreServer } from "../claude-tools.ts";
import type { Dialect, HostTool, Say } from "../dialect.ts";
import { patchTool } from "../patch-tool.ts";
import {
  answer,
  blockAndContextAnswer,
  nestedPermissionAnswer,
  noticeField,
  observed,
  permissionDecision,
  SNAKE_KEYS,
  specific,
  unmatched,
} from "../shapes.ts";

const SHELL: HostTool = {
  is: "shell",
  names: ["Bash"],
  fields: [
    ["command", "cmd"],
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
  silence: "",
  timeoutSeconds: 600,
  countsContinuations: true,
  tools: [
    SHELL,
    patchTool(["apply_patch"], "command"),
    ...CLAUDE_TOOLS.filter(({ is }) => is !== "shell" && is !== "transfer_task"),
    { is: "transfer_task", names: ["spawn_agent"] },
  ],
  serverOf: doubleUnderscoreServer,
  events: {
    PreToolUse: {
      is: ["pre_tool_use"],
      takes: ["block", "rewrite", "context", "notice"],
      say: beforeTool,
      rewriteGrants: "required",
    },
    PermissionRequest: { is: ["permission_request"], takes: ["block", "allow", "notice"], say: nestedPermissionAnswer },
    PostToolUse: {
      is: ["tool_response_transform", "post_tool_use"],
      takes: ["block", "replace", "context", "notice"],
      say: afterTool,
      fields: { tool_response: "tool_response" },
    },
    UserPromptSubmit: {
      is: ["user_prompt_submit"],
      takes: ["block", "context", "notice"],
      say: blockAndContextAnswer,
      fields: { prompt: "prompt" },
    },
    SessionStart: {
      is: ["session_start"],
      takes: ["context", "notice"],
      say: blockAndContextAnswer,
      fields: { source: "source" },
    },
    SessionEnd: { is: ["session_end"], ...observed, fields: { reason: "reason" }, timeoutSeconds: 1 },
    Stop: {
      is: ["stop"],
      takes: ["block", "notice"],
      say: blockAndContextAnswer,
      fields: { stop_response: "last_assistant_message", stop_hook_active: "stop_hook_active" },
    },
    SubagentStop: {
      is: ["subagent_stop"],
      takes: ["block", "notice"],
      say: blockAndContextAnswer,
      fields: {
        agent_name: "agent_type",
        stop_response: "last_assistant_message",
        stop_hook_active: "stop_hook_active",
      },
    },
    PreCompact: { is: ["pre_compact"], takes: ["block", "notice"], say: vetoAnswer, fields: { source: "trigger" } },
    PostCompact: { is: ["after_compaction"], ...observed },
    SubagentStart: unmatched,
    Interrupt: { ...unmatched, timeoutSeconds: 1 },
  },
};
