import { isObject } from "../../lib/json.ts";
import type { EventName } from "../../protocol/events.ts";
import type { Payload } from "../../protocol/rewrite.ts";
import { joined } from "../answer-forms.ts";
import type { ScriptDialect } from "../script-events.ts";
import { lastObject, withoutProgress } from "./pick-answer.ts";
import type { AnswerRules, ScriptEnd } from "./script.ts";

const NESTED_KEYS: readonly string[] = [
  "continue",
  "stopReason",
  "suppressOutput",
  "systemMessage",
  "terminalSequence",
  "decision",
  "reason",
  "hookSpecificOutput",
];

/** Claude Code's shape, which others copied. */
const NESTED_SHAPE: AnswerRules = {
  keys: NESTED_KEYS,
  approvals: [
    ["hookSpecificOutput.permissionDecision", "allow"],
    ["hookSpecificOutput.decision.behavior", "allow"],
    ["decision", "approve"],
  ],
  rewrites: ["hookSpecificOutput.updatedInput", "hookSpecificOutput.decision.updatedInput"],
  contexts: ["hookSpecificOutput.additionalContext"],
  notices: ["systemMessage"],
  results: ["hookSpecificOutput.updatedToolOutput", "hookSpecificOutput.updatedMCPToolOutput"],
};

const START_AND_PROMPT: readonly EventName[] = ["session_start", "user_prompt_submit"];

/** Exit codes alone; text goes to the model at the start and with a prompt. */
const EXIT_CODES: AnswerRules = { keys: [], context: START_AND_PROMPT };

/** Standard error is the answer if standard output is empty. */
const eitherStream = ({ stdout, stderr, exitCode }: ScriptEnd): string =>
  stdout.trim() === "" && exitCode !== 2 && stderr.trim().startsWith("{") ? stderr : stdout;

/** The decision in one word at the top. */
const DECISION_WORD = [
  ["decision", "allow"],
  ["decision", "approve"],
] as const;

const COPILOT: AnswerRules = {
  approvals: [
    ["hookSpecificOutput.permissionDecision", "allow"],
    ["permissionDecision", "allow"],
    ["behavior", "allow"],
    ["decision", "allow"],
  ],
  keys: [
    ...NESTED_KEYS,
    "permissionDecision",
    "permissionDecisionReason",
    "modifiedArgs",
    "additionalContext",
    "modifiedResult",
    "modifiedResponse",
    "modifiedTransformedPrompt",
    "behavior",
    "message",
    "interrupt",
  ],
  rewrites: ["hookSpecificOutput.updatedInput", "modifiedArgs"],
  contexts: ["hookSpecificOutput.additionalContext", "additionalContext"],
  notices: ["systemMessage"],
  results: ["modifiedResult"],
  pick: withoutProgress,
};

/** The texts that Antigravity injects. */
function injected({ injectSteps: steps }: Payload): string | undefined {
  if (!Array.isArray(steps)) return undefined;
  const texts = steps.map((step: unknown) => (isObject(step) ? (step["ephemeralMessage"] ?? step["userMessage"]) : ""));
  return joined(...texts.filter((text): text is string => typeof text === "string" && text !== ""));
}

/** How each host reads answers, by dialect. The pages about them: docs/agents. */
export const ANSWERS: Readonly<Record<string, AnswerRules>> = {
  claude: {
    ...NESTED_SHAPE,
    keys: [...NESTED_KEYS, "permissionDecision", "permissionDecisionReason", "additionalContext"],
    contexts: ["hookSpecificOutput.additionalContext", "additionalContext"],
    // An older form, which the host does not act on.
    ignored: [["permissionDecision", "allow"]],
    namesEvent: true,
    anyCode: true,
    context: START_AND_PROMPT,
  },
  codex: { ...NESTED_SHAPE, allow: "with_rewrite", context: START_AND_PROMPT },
  gemini: {
    ...NESTED_SHAPE,
    approvals: DECISION_WORD,
    rewrites: ["hookSpecificOutput.tool_input"],
    allow: "no_objection",
    anyCode: true,
    pick: eitherStream,
  },
  agy: {
    keys: [
      "decision",
      "reason",
      "overwrite",
      "permissionOverrides",
      "injectSteps",
      "terminationBehavior",
      "allow_tool",
      "deny_reason",
    ],
    approvals: [["decision", "allow"]],
    rewrites: ["overwrite"],
    contextOf: injected,
    keepsGoing: ["decision"],
    allow: "no_objection",
    text: "refuses",
    emptyRefuses: true,
  },
  copilot: COPILOT,
  "copilot-pascal": COPILOT,
  vscode: NESTED_SHAPE,
  droid: { ...NESTED_SHAPE, context: ["session_start"] },
  qwen: { ...NESTED_SHAPE, context: START_AND_PROMPT, pick: eitherStream },
  grok: {
    ...NESTED_SHAPE,
    approvals: [...DECISION_WORD, ["hookSpecificOutput.permissionDecision", "allow"]],
    allow: "no_objection",
  },
  kimi: {
    ...NESTED_SHAPE,
    keys: [...NESTED_KEYS, "message"],
    allow: "no_objection",
    context: ["user_prompt_submit"],
  },
  cursor: {
    keys: [
      "permission",
      "user_message",
      "agent_message",
      "updated_input",
      "additional_context",
      "env",
      "continue",
      "followup_message",
      "updated_mcp_tool_output",
      "pluginPaths",
    ],
    approvals: [["permission", "allow"]],
    rewrites: ["updated_input"],
    contexts: ["additional_context"],
    notices: ["user_message"],
    results: ["updated_mcp_tool_output"],
    keepsGoing: ["followup_message"],
    allow: "no_objection",
  },
  windsurf: { ...EXIT_CODES, context: [] },
  q: EXIT_CODES,
  kiro: EXIT_CODES,
  cline: {
    keys: ["cancel", "contextModification", "errorMessage", "shouldContinue"],
    contexts: ["contextModification"],
    notices: ["errorMessage"],
    anyCode: true,
    pick: lastObject,
  },
  "cline-sdk": {
    keys: ["cancel", "review", "context", "contextModification", "errorMessage", "overrideInput"],
    rewrites: ["overrideInput"],
    contexts: ["context", "contextModification"],
    notices: ["errorMessage"],
    anyCode: true,
    pick: lastObject,
  },
  goose: {
    keys: ["decision", "reason"],
    approvals: DECISION_WORD,
    allow: "no_objection",
    text: "refuses",
    emptyRefuses: true,
  },
  crush: {
    ...NESTED_SHAPE,
    keys: [...NESTED_KEYS, "context", "updated_input", "halt"],
    approvals: [...DECISION_WORD, ["hookSpecificOutput.permissionDecision", "allow"]],
    rewrites: ["updated_input", "hookSpecificOutput.updatedInput"],
    contexts: ["context", "hookSpecificOutput.additionalContext"],
    refusals: [2, 49], // 49 ends the turn
  },
  openhands: {
    keys: ["decision", "reason", "additionalContext", "continue"],
    approvals: DECISION_WORD,
    contexts: ["additionalContext"],
    allow: "no_objection",
    anyCode: true,
  },
  vibe: {
    keys: ["decision", "reason", "system_message", "hook_specific_output"],
    approvals: DECISION_WORD,
    rewrites: ["hook_specific_output.tool_input"],
    contexts: ["hook_specific_output.additional_context"],
    notices: ["system_message"],
    allow: "no_objection",
    refusals: [], // every exit code but 0 is a failure
    text: "refuses",
  },
} satisfies Readonly<Record<ScriptDialect, AnswerRules>>;
