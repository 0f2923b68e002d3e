import { anyObject, flag, list, object, type Shape, type ShapeValue, text, textObject } from "../lib/schema/shape.ts";
import type { AnswerName } from "./events.ts";
import { MESSAGE } from "./fields.ts";

/** A fragment of `instruction_context`; its content is treated as context. */
const INSTRUCTION = object({}, { content: text });

/** The keys of a fragment of `instruction_context`. */
export const INSTRUCTION_KEYS: readonly string[] = [
  "key",
  "group",
  "label",
  "content",
  "changed_content",
  "removed_content",
  "removed",
  "unavailable",
  "complete_group",
  "set_marker",
];

/** What a routing hook asks for, before it is checked. */
const TRANSITION = object({}, { action: text, agent: text });

export const TRANSITION_KEYS: readonly string[] = ["action", "agent"];

/** A transition to the agent that goes on. */
export interface Transition {
  action: "route";
  agent: string;
}

/** The known fields of `hook_specific_output`, by wire name. */
export const SPECIFIC_FIELDS = {
  /** The event that the output answers. */
  hook_event_name: text,
  /** The verdict on a tool call: `allow`, `ask` or `deny`. */
  permission_decision: text,
  /** Why; the model reads it with a denial, and the user with a question. */
  permission_decision_reason: text,
  /** Arguments to replace, key by key at the top; other arguments stay. */
  updated_input: anyObject,
  /** The conversation that is sent instead, in this model call only. */
  updated_messages: list(MESSAGE),
  /** The response that everything else reads in place of the tool's. */
  updated_tool_response: text,
  /** The answer that everything else reads in place of the model's; an empty text hides the answer. */
  updated_response: text,
  /** Text for the model. */
  additional_context: text,
  /** The summary of a compaction; no model writes one then. */
  summary: text,
  /** Details that the user sees with the question whether a call may run. */
  metadata: textObject,
  /** Context in fragments, as docker-agent writes it; their texts are joined. */
  instruction_context: list(INSTRUCTION),
  /** The agent that goes on: `{"action": "route", "agent": NAME}`. */
  transition: TRANSITION,
} as const satisfies Readonly<Record<string, Shape>>;

/** The known fields at the top of an output, by wire name. */
export const OUTPUT_FIELDS = {
  /** False blocks, with `stop_reason`. */
  continue: flag,
  /** Why `continue` is false. */
  stop_reason: text,
  /** `block` blocks, with `reason`. */
  decision: text,
  /** Why `decision` is `block`. */
  reason: text,
  /** A warning for the user; the model does not read it. */
  system_message: text,
  /** Leaves the standard output of this hook out of logs. */
  suppress_output: flag,
  /** What only some events take: a verdict, a rewrite, context. */
  hook_specific_output: anyObject,
} as const satisfies Readonly<Record<string, Shape>>;

/** The event-specific part of an output. */
export type SpecificOutput = {
  -readonly [K in keyof typeof SPECIFIC_FIELDS]?: ShapeValue<(typeof SPECIFIC_FIELDS)[K]>;
};

/** The answer of one hook. Every field is optional. */
export type HookOutput = Omit<
  { -readonly [K in keyof typeof OUTPUT_FIELDS]?: ShapeValue<(typeof OUTPUT_FIELDS)[K]> },
  "hook_specific_output"
> & {
  /** What only some events take: a verdict, a rewrite, context. */
  hook_specific_output?: SpecificOutput;
};

/** The fields of `hook_specific_output` that belong to each answer. */
export const ANSWER_FIELDS: Record<AnswerName, readonly (keyof SpecificOutput)[]> = {
  permission_decision: ["permission_decision", "permission_decision_reason"],
  updated_input: ["updated_input"],
  updated_messages: ["updated_messages"],
  updated_tool_response: ["updated_tool_response"],
  updated_response: ["updated_response"],
  additional_context: ["additional_context"],
  summary: ["summary"],
  metadata: ["metadata"],
  instruction_context: ["instruction_context"],
  transition: ["transition"],
};

/** The value of `decision` that blocks. */
export const BLOCK = "block";

/** True unless the output says `continue: false`. */
export function shouldContinue(output: HookOutput): boolean {
  return output.continue !== false;
}

/** True if the output blocks, with `continue: false` or `decision: block`. */
export function isBlocked(output: HookOutput): boolean {
  return !shouldContinue(output) || output.decision === BLOCK;
}

/** Returns an output that only adds context; undefined if the context is empty. */
export function contextOutput(event: string, context: string): HookOutput | undefined {
  if (context === "") return undefined;
  return { hook_specific_output: { hook_event_name: event, additional_context: context } };
}
