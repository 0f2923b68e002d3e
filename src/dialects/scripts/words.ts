import { isObject } from "../../lib/json.ts";
import type { Payload } from "../../protocol/rewrite.ts";
import { valueAt } from "../values.ts";
import type { AnswerRules } from "./script.ts";

/** The two spellings of the nested part of an answer. */
export const NESTED = ["hookSpecificOutput", "hook_specific_output"] as const;

/** The paths at which any agent looks for a decision. */
const DECISIONS: readonly string[] = [
  "decision",
  "decision.behavior",
  "permissionDecision",
  "permission_decision",
  "permission",
  "behavior",
  "verdict",
  "action",
  ...NESTED.flatMap((nested) =>
    ["permissionDecision", "permission_decision", "decision", "decision.behavior"].map((key) => `${nested}.${key}`),
  ),
];

/** Flags that refuse if they are true; the next list refuses if false. */
const REFUSING: readonly string[] = ["cancel", "halt", "block", "blocked", "deny", "denied", "reject"];
const PERMITTING: readonly string[] = ["allow", "allowed", "approve", "approved", "allow_tool", "proceed"];

const NO = /^(?:den(?:y|ied)|block(?:ed)?|reject(?:ed)?|refuse|cancel)$/i;
const ASK = /^(?:ask|force_ask|defer)$/i;

/** The paths of reasons, the most specific first. */
const REASONS: readonly string[] = [
  ...NESTED.flatMap((nested) => [
    `${nested}.permissionDecisionReason`,
    `${nested}.permission_decision_reason`,
    `${nested}.decision.message`,
    `${nested}.reason`,
  ]),
  "permissionDecisionReason",
  "permission_decision_reason",
  "decision.message",
  "reason",
  "stopReason",
  "stop_reason",
  "user_message",
  "userMessage",
  "agent_message",
  "errorMessage",
  "error_message",
  "deny_reason",
  "followup_message",
  "message",
];

export interface Words {
  no: boolean;
  ask: boolean;
  yes: boolean;
  /** A flag says that the call goes on. */
  goesOn: boolean;
  /** A word that is neither, such as an approval in the shape of another agent. */
  unknown: string | undefined;
}

/**
 * Reads the deciding words of an answer. Denials count in the shape of every agent, because a script that says no means
 * no. An approval counts only where `approvals` has it.
 */
export function decidingWords(value: Payload, { approvals = [], ignored = [] }: AnswerRules): Words {
  const given = DECISIONS.map((path) => [path, valueAt(value, path)] as const);
  const isIgnored = ([path, word]: readonly [string, unknown]) =>
    ignored.some(([at, over]) => at === path && over === word);
  const texts = given.filter(
    (one): one is [string, string] => typeof one[1] === "string" && one[1] !== "" && !isIgnored(one),
  );
  const isYes = ([path, word]: readonly [string, string]) => approvals.some(([at, yes]) => at === path && yes === word);
  const said = texts.map(([, word]) => word);
  const is = (key: string, flag: boolean) => value[key] === flag || value[key] === String(flag);
  return {
    no:
      said.some((word) => NO.test(word)) ||
      REFUSING.some((key) => is(key, true)) ||
      PERMITTING.some((key) => is(key, false)),
    ask: said.some((word) => ASK.test(word)) || is("review", true),
    yes: texts.some(isYes),
    goesOn: REFUSING.some((key) => is(key, false)) || PERMITTING.some((key) => is(key, true)),
    unknown: texts.find((one) => !NO.test(one[1]) && !ASK.test(one[1]) && !isYes(one))?.[1],
  };
}

export function reasonIn(value: Payload): string {
  for (const path of REASONS) {
    const reason = valueAt(value, path);
    if (typeof reason === "string" && reason.trim() !== "") return reason.trim();
  }
  return "";
}

export function nestedPart(value: Payload): Payload {
  for (const key of NESTED) if (isObject(value[key])) return value[key];
  return {};
}
