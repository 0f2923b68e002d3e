import type { Payload } from "../../protocol/rewrite.ts";
import { answer, joined } from "../answer-forms.ts";
import { SNAKE_KEYS } from "../claude-events.ts";
import type { Answer, Dialect, HostEvent, Say } from "../dialect.ts";

function deny(reason: string): Answer {
  return { json: { decision: "deny", reason } };
}

/** A rewrite is the complete input, without a decision. */
const beforeTool: Say = ({ block, rewrite }) => {
  if (block !== undefined) return deny(block);
  return answer(rewrite ? { hook_specific_output: { tool_input: rewrite.complete } } : {});
};

/** A denial after a tool replaces the text that the model would have read, so feedback is context. */
const afterTool: Say = ({ block, replace, context }) => {
  const feedback = joined(block, context);
  return answer(
    replace === undefined ? {} : { decision: "deny", reason: replace },
    feedback === undefined ? {} : { hook_specific_output: { additional_context: feedback } },
  );
};

const keepGoing: Say = ({ block }) => (block === undefined ? undefined : deny(block));

const failure = ({ tool_status: status }: Payload): Payload =>
  typeof status === "string" && status !== "success" ? { tool_error: true } : {};

const preTool: HostEvent = { is: ["pre_tool_use"], takes: ["block", "rewrite"], say: beforeTool };
const postTool: HostEvent = {
  is: ["tool_response_transform", "post_tool_use"],
  takes: ["block", "replace", "context"],
  say: afterTool,
  fields: { tool_response: ["tool_output_text", "tool_error"] },
  derive: failure,
  sends: "tool_status tool_output duration_ms",
};
const postAgent: HostEvent = { is: ["stop"], takes: ["block"], say: keepGoing };

const PATH = ["file_path", "path"] as const;

/** Mistral Vibe: https://github.com/mistralai/mistral-vibe. Any exit code except 0 is a failure, not a denial. */
export const dialect: Dialect = {
  name: "vibe",
  keys: SNAKE_KEYS,
  sends: "transcript_path parent_session_id",
  silence: "",
  refusal: deny,
  timeoutSeconds: 60,
  mcpNames: [{ prefix: "", separator: "_", isShared: true }],
  tools: [
    { is: "shell", names: ["bash"], fields: [["command", "cmd"]] },
    { is: "read_file", names: ["read_file"], fields: [PATH] },
    { is: "write_file", names: ["write_file"], fields: [PATH] },
    { is: "edit_file", names: ["edit", "search_replace"], fields: [PATH], edit: ["old_string", "new_string"] },
    { is: "search_files_content", names: ["grep"] },
    { is: "transfer_task", names: ["task"] },
    { is: "fetch", names: ["web_fetch"] },
  ],
  others: { network: "web_search", other: "ask_user_question exit_plan_mode skill todo" },
  events: {
    pre_tool: preTool,
    post_tool: postTool,
    post_agent: postAgent,
    // Before version 2.21:
    before_tool: preTool,
    after_tool: postTool,
    post_agent_turn: postAgent,
  },
};
