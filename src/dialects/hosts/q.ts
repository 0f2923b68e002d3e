import { exitAnswer } from "../answer-forms.ts";
import { SNAKE_KEYS } from "../claude-events.ts";
import type { Dialect } from "../dialect.ts";
import { atServer, Q_OTHERS, Q_TOOLS, resultOf } from "../q-tools.ts";

/** Amazon Q Developer CLI and Kiro CLI 2: https://github.com/aws/amazon-q-developer-cli/blob/main/docs/hooks.md. */
export const dialect: Dialect = {
  name: "q",
  keys: SNAKE_KEYS,
  sends: "prompt tool_response assistant_response hook_events",
  silence: "",
  timeoutSeconds: 30,
  tools: Q_TOOLS,
  others: Q_OTHERS,
  serverOf: atServer,
  events: {
    agentSpawn: { is: ["session_start"], takes: ["context"], say: exitAnswer },
    userPromptSubmit: {
      is: ["user_prompt_submit"],
      takes: ["context"],
      say: exitAnswer,
      fields: { prompt: "prompt" },
    },
    preToolUse: { is: ["pre_tool_use"], takes: ["block"], say: exitAnswer },
    postToolUse: { is: ["post_tool_use"], takes: [], derive: resultOf },
    stop: { is: ["stop"], takes: [] },
  },
};
