import { isObject } from "../lib/json.ts";
import { nearest } from "../lib/text/nearest.ts";
import { OUTPUT_FIELDS, SPECIFIC_FIELDS } from "./output.ts";

/** Where a key of an answer is: at the top, or inside `hook_specific_output`. */
export type AnswerLevel = "top" | "specific";

const VERDICT = '"decision": "block" or hook_specific_output.permission_decision';

/** Keys of other agents' hook protocols and of home-made ones, and the key of hooksh that says the same. */
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

/** Keys known at the other level only. They decide nothing, so they are no reason to block a call. */
const HARMLESS: Readonly<Record<AnswerLevel, readonly string[]>> = {
  top: ["hook_event_name"],
  specific: ["reason", "stop_reason", "system_message", "suppress_output"],
};

/** Every known key by its bare name. No bare name is known at both levels. */
const KNOWN: ReadonlyMap<string, string> = new Map([
  ...spellings(OUTPUT_FIELDS),
  ...spellings(SPECIFIC_FIELDS, "hook_specific_output."),
]);

function isAnswerKey(key: string, level: AnswerLevel): boolean {
  return Object.hasOwn(level === "top" ? OUTPUT_FIELDS : SPECIFIC_FIELDS, key);
}

/**
 * Returns the key that an unknown key probably means: a known key in another case or style, at the wrong level, or
 * under its name in another protocol. Undefined for known keys and for keys that resemble none.
 */
function intendedKey(key: string, level: AnswerLevel): string | undefined {
  if (isAnswerKey(key, level) || HARMLESS[level].includes(key)) return undefined;
  const bare = bareKey(key);
  return KNOWN.get(bare) ?? (Object.hasOwn(OTHER_PROTOCOLS, bare) ? OTHER_PROTOCOLS[bare] : undefined);
}

/** Returns the known key that differs by a letter or two. Slower than {@link intendedKey}. */
function misspelledKey(key: string, level: AnswerLevel): string | undefined {
  if (HARMLESS[level].includes(key)) return undefined;
  const bare = bareKey(key);
  const close = nearest(bare, [...KNOWN.keys()]);
  // A longer key may be private to the hook, such as decision_id.
  return close === undefined || Math.abs(close.length - bare.length) > 1 ? undefined : KNOWN.get(close);
}

/** Maximum unknown keys of an answer that are checked for a misspelling; each check takes time. */
const MAX_CHECKED_KEYS = 100;

/**
 * A warning about the first unknown key of an answer that looks like a known one, or about an answer that has keys but
 * no known one. Undefined if neither applies.
 */
export function unreadKeyText(level: AnswerLevel, value: object): string | undefined {
  const prefix = level === "top" ? "" : "hook_specific_output.";
  const unknown = Object.keys(value).filter((key) => !isAnswerKey(key, level));
  const intended =
    firstNamed(unknown, (key) => intendedKey(key, level)) ??
    firstNamed(unknown.slice(0, MAX_CHECKED_KEYS), (key) => misspelledKey(key, level));
  if (intended) {
    const name = intended.name.includes(" ") ? intended.name : JSON.stringify(intended.name);
    return `${JSON.stringify(prefix + intended.key)} is not read, ${name} would be`;
  }
  if (unknown.length === 0 || unknown.length < Object.keys(value).length) return undefined;
  const named = unknown
    .slice(0, 3)
    .map((key) => JSON.stringify(prefix + key))
    .join(", ");
  const known = Object.keys(level === "top" ? OUTPUT_FIELDS : SPECIFIC_FIELDS).join(", ");
  return `no key of it is read (${named}): an answer has ${known}, and {} says nothing`;
}

/**
 * Returns an answer with the keys that are known but for their case under their known names, as a reader that ignores
 * case has it: the last spelling counts. Undefined if there is no such key.
 */
export function withKnownCase(value: Readonly<Record<string, unknown>>): Record<string, unknown> | undefined {
  const top = knownCase(value, "top");
  const { hook_specific_output: inner } = top ?? value;
  const specific = isObject(inner) ? knownCase(inner, "specific") : undefined;
  if (!specific) return top;
  return { ...(top ?? value), hook_specific_output: specific };
}

function knownCase(value: Readonly<Record<string, unknown>>, level: AnswerLevel): Record<string, unknown> | undefined {
  const others = Object.entries(value).flatMap(([key, given]): [string, unknown][] => {
    const name = key.toLowerCase();
    return !isAnswerKey(key, level) && isAnswerKey(name, level) ? [[name, given]] : [];
  });
  return others.length > 0 ? { ...value, ...Object.fromEntries(others) } : undefined;
}

/** The warning about an answer that blocks with a key in another case, which `unread` names. */
export function blockingCaseText(unread: string): string {
  return `${unread}; it blocks all the same`;
}

function firstNamed(
  keys: readonly string[],
  nameOf: (key: string) => string | undefined,
): { key: string; name: string } | undefined {
  for (const key of keys) {
    const name = nameOf(key);
    if (name !== undefined) return { key, name };
  }
  return undefined;
}

/** The bare names of keys that decide. */
const DECIDING: ReadonlySet<string> = new Set([
  "continue",
  "decision",
  "permission",
  "permissiondecision",
  "hookspecificoutput",
]);

/** True if the text holds a deciding key, in any spelling, written as a JSON key. */
export function mentionsVerdict(text: string): boolean {
  for (const [, key = ""] of text.matchAll(/"([A-Za-z_-]{1,40})"\s{0,20}:/g))
    if (DECIDING.has(bareKey(key))) return true;
  return false;
}

function spellings(fields: object, prefix = ""): Map<string, string> {
  return new Map(Object.keys(fields).map((key) => [bareKey(key), `${prefix}${key}`]));
}

/** The key in lower case and without separators. */
function bareKey(key: string): string {
  return key.toLowerCase().replace(/[^a-z0-9]/g, "");
}

/** How answers of another agent look: whose they are, and the dialects whose scripts print them. */
interface AgentAnswer {
  whose: string;
  dialects: readonly string[];
  is: (answer: Readonly<Record<string, unknown>>) => boolean;
}

const has =
  (...keys: readonly string[]): AgentAnswer["is"] =>
  (answer) =>
    keys.some((key) => Object.hasOwn(answer, key));

const nested = ({ hookSpecificOutput: part }: Readonly<Record<string, unknown>>) => (isObject(part) ? part : {});

/** The most specific first. */
const AGENT_ANSWERS: readonly AgentAnswer[] = [
  {
    whose: "Gemini CLI's",
    dialects: ["gemini"],
    is: (answer) =>
      /^(?:Before|After)/.test(String(nested(answer)["hookEventName"])) || Object.hasOwn(nested(answer), "tool_input"),
  },
  { whose: "Claude Code's", dialects: ["claude"], is: has("hookSpecificOutput") },
  {
    whose: "GitHub Copilot's",
    dialects: ["copilot"],
    is: has("permissionDecision", "modifiedArgs", "modifiedResult", "behavior"),
  },
  { whose: "Cursor's", dialects: ["cursor"], is: has("permission", "user_message", "followup_message") },
  { whose: "Antigravity's", dialects: ["agy"], is: has("overwrite", "injectSteps", "terminationBehavior") },
  { whose: "Cline CLI's", dialects: ["cline-sdk"], is: has("overrideInput", "review") },
  { whose: "Cline's", dialects: ["cline", "cline-sdk"], is: has("cancel", "contextModification", "errorMessage") },
  { whose: "Crush's", dialects: ["crush"], is: has("halt", "updated_input") },
  {
    whose: "several agents'",
    dialects: ["gemini", "agy", "grok", "crush", "openhands", "vibe"],
    is: ({ decision }) => ["deny", "force_ask"].includes(String(decision)),
  },
];

/**
 * Adds advice to the message about an answer in the form of another agent's hooks: the key that makes hooksh read it.
 * Only hooks of type `command` have that key.
 */
export function withDialectAdvice<T extends string | undefined>(
  message: T,
  hook: { type: string },
  answer: Readonly<Record<string, unknown>>,
): T | string {
  const known = hook.type === "command" ? AGENT_ANSWERS.find(({ is }) => is(answer)) : undefined;
  if (message === undefined || known === undefined) return message;
  const choices = known.dialects.map((dialect) => `dialect: ${dialect}`).join(" or ");
  return `${message}; the answer is in ${known.whose} shape: set ${choices} on the hook`;
}
