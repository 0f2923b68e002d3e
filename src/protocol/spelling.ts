import { nearest } from "../lib/text/nearest.ts";
import { OUTPUT_FIELDS, SPECIFIC_FIELDS } from "./output.ts";

/** The place of a key in an answer: at its top, or inside `hook_specific_output`. */
export type AnswerLevel = "top" | "specific";

const VERDICT = '"decision": "block" or hook_specific_output.permission_decision';

/** Keys by which other agents' hooks and home-made protocols say what an answer says, and how hooksh spells that. */
const OTHER_PROTOCOLS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      "permission",
      "behavior",
      "verdict",
      "action",
      "allow",
      "allowed",
      "approve",
      "approved",
      "deny",
      "denied",
      "block",
      "blocked",
      "reject",
      "rejected",
      "cancel",
      "proceed",
    ].map((key) => [key, VERDICT]),
  ),
  usermessage: "system_message",
  agentmessage: "reason",
  errormessage: "reason",
  contextmodification: "hook_specific_output.additional_context",
  overrideinput: "hook_specific_output.updated_input",
  modifiedargs: "hook_specific_output.updated_input",
  overwrite: "hook_specific_output.updated_input",
};

/** Known keys that decide nothing at the other level: finding them there is no reason to block a call. */
const HARMLESS: Readonly<Record<AnswerLevel, readonly string[]>> = {
  top: ["hook_event_name"],
  specific: ["reason", "stop_reason", "system_message", "suppress_output"],
};

const TOP = spellings(OUTPUT_FIELDS);
const SPECIFIC = spellings(SPECIFIC_FIELDS, "hook_specific_output.");

/** True for a key that has a meaning at its level. */
export function isAnswerKey(key: string, level: AnswerLevel): boolean {
  return Object.hasOwn(level === "top" ? OUTPUT_FIELDS : SPECIFIC_FIELDS, key);
}

/**
 * What an unknown key of an answer was meant to be: a known key in another case or style or at the wrong level, or a key
 * of another protocol. Undefined if it is known, or nothing of the kind.
 */
export function intendedKey(key: string, level: AnswerLevel): string | undefined {
  if (isAnswerKey(key, level) || HARMLESS[level].includes(key)) return undefined;
  const bare = bareKey(key);
  return namedOn(level, bare) ?? (Object.hasOwn(OTHER_PROTOCOLS, bare) ? OTHER_PROTOCOLS[bare] : undefined);
}

/** The known key that an unknown one misspells by a letter or two. Slower than {@link intendedKey}. */
export function misspelledKey(key: string, level: AnswerLevel): string | undefined {
  if (HARMLESS[level].includes(key)) return undefined;
  const bare = bareKey(key);
  const close = nearest(bare, [...TOP.keys(), ...SPECIFIC.keys()]);
  // A longer key may be a note of the hook's own, such as decision_id.
  return close === undefined || Math.abs(close.length - bare.length) > 1 ? undefined : namedOn(level, close);
}

/** The known key of a bare name, at the level asked about or else at the other. */
function namedOn(level: AnswerLevel, bare: string): string | undefined {
  return level === "top" ? (TOP.get(bare) ?? SPECIFIC.get(bare)) : (SPECIFIC.get(bare) ?? TOP.get(bare));
}

/** The keys that decide, without case and separators. */
const DECIDING: ReadonlySet<string> = new Set([
  "continue",
  "decision",
  "permission",
  "permissiondecision",
  "hookspecificoutput",
]);

/** True for a text in which a key that decides, in any spelling, is written as a key of JSON. */
export function mentionsVerdict(text: string): boolean {
  for (const [, key = ""] of text.matchAll(/"([A-Za-z_-]{1,40})"\s{0,20}:/g))
    if (DECIDING.has(bareKey(key))) return true;
  return false;
}

function spellings(fields: object, prefix = ""): Map<string, string> {
  return new Map(Object.keys(fields).map((key) => [bareKey(key), `${prefix}${key}`]));
}

/** A key without case and separators. */
function bareKey(key: string): string {
  return key.toLowerCase().replace(/[^a-z0-9]/g, "");
}
