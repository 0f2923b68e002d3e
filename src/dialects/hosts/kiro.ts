import { exitAnswer, unmatched } from "../answer-forms.ts";
import { SNAKE_KEYS } from "../claude-events.ts";
import type { Dialect, HostEvent } from "../dialect.ts";
import { atServer, Q_OTHERS, Q_TOOLS, resultOf } from "../q-tools.ts";

const sessionStart: HostEvent = { is: ["session_start"], takes: ["context"], say: exitAnswer };

const EVENTS: Readonly<Record<string, HostEvent>> = {
  sessionStart,
  agentSpawn: sessionStart,
  sessionEnd: { is: ["session_end"], takes: [], fixed: { reason: "other" } },
  userPromptSubmit: {
    is: ["user_prompt_submit"],
    takes: ["block", "context"],
    say: exitAnswer,
    fields: { prompt: "prompt" },
  },
  preToolUse: { is: ["pre_tool_use"], takes: ["block"], say: exitAnswer },
  postToolUse: { is: ["post_tool_use"], takes: [], derive: resultOf },
  stop: { is: ["stop"], takes: [], fields: { stop_response: "assistant_response" } },
  ...unmatched("notification postFileCreate postFileSave postFileDelete preTaskExec postTaskExec manual"),
};

/** Files of hooks spell an event as `PreToolUse`, payloads as `preToolUse`. */
function inBothSpellings(events: Readonly<Record<string, HostEvent>>): Readonly<Record<string, HostEvent>> {
  const inFiles = Object.entries(events).map(([name, row]) => [name.charAt(0).toUpperCase() + name.slice(1), row]);
  return { ...events, ...Object.fromEntries(inFiles) };
}

/** Kiro IDE and Kiro CLI 3: https://kiro.dev/docs/hooks. */
export const dialect: Dialect = {
  name: "kiro",
  keys: SNAKE_KEYS,
  sends: "prompt tool_response assistant_response",
  silence: "",
  timeoutSeconds: 60,
  tools: Q_TOOLS,
  others: Q_OTHERS,
  serverOf: atServer,
  events: inBothSpellings(EVENTS),
};
