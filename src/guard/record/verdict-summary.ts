import { canonicalJson, omitEmpty } from "../../lib/json.ts";
import type { EventName } from "../../protocol/events.ts";
import {
  type AnyResult,
  DISPATCH_DECISIONS,
  type DispatchDecision,
  decisionOf,
  reasonOf,
} from "../../protocol/result.ts";
import type { Payload } from "../../protocol/rewrite.ts";
import { withoutTags } from "./recording-marks.ts";

/** The verdict on one recorded event: what recordings hold, `replay` compares and tests expect. */
export interface VerdictSummary {
  decision: DispatchDecision;
  /** Why the event is refused, needs approval or is approved. */
  reason?: string;
  /** The names of the hooks that gave the decision. */
  by?: readonly string[];
  /** The tool input after rewriting; absent if nothing differs. The same holds for the next three. */
  input?: unknown;
  messages?: unknown;
  tool_response?: unknown;
  response?: unknown;
  context?: string;
  system_message?: string;
}

/** The parts of a verdict that hold what hooks rewrote: the field of the event, and that of its result. */
const REWRITTEN_PARTS = {
  input: { field: "tool_input", result: "modified_input" },
  messages: { field: "messages", result: "updated_messages" },
  tool_response: { field: "tool_response", result: "updated_tool_response" },
  response: { field: "stop_response", result: "updated_response" },
} as const satisfies Partial<Record<keyof VerdictSummary, { field: string; result: keyof AnyResult }>>;

export type RewrittenPart = keyof typeof REWRITTEN_PARTS;

export const PART_NAMES = Object.keys(REWRITTEN_PARTS) as RewrittenPart[];

/** One dispatch of a recorded event; the event of another agent can be several. */
export interface JudgedDispatch {
  event: EventName;
  payload: Payload;
  result: AnyResult;
  /** The names of the hooks that gave the verdict. */
  by: readonly string[];
}

/**
 * Combines the dispatches of one recorded event as its agent sees them: the strongest decision (a refusal, then an ask,
 * then an allow), the last rewrites, all other texts.
 */
export function summarizeVerdict(dispatches: readonly JudgedDispatch[]): VerdictSummary {
  const ranked = dispatches.map((each) => ({ ...each, decision: decisionOf(each.event, each.result) }));
  const strength = ({ decision }: { decision: DispatchDecision }) => DISPATCH_DECISIONS.indexOf(decision);
  const [strongest] = ranked.toSorted((a, b) => strength(b) - strength(a));
  if (strongest === undefined) return { decision: "none" };
  const { decision, result, by } = strongest;
  return {
    decision,
    ...omitEmpty({
      reason: decision === "none" ? undefined : reasonOf(result),
      by: decision === "none" ? [] : by,
      context: joined(ranked.map((each) => each.result.additional_context)),
      system_message: joined(ranked.map((each) => each.result.system_message)),
    }),
    ...rewritesOf(ranked),
  };
}

/** The strictness of a decision: an allow is weaker than no opinion, and a refusal is the strictest. */
export function strictness(decision: DispatchDecision): number {
  return STRICTNESS.indexOf(decision === "block" ? "deny" : decision);
}

const STRICTNESS: readonly DispatchDecision[] = ["allow", "none", "ask", "deny"];

/**
 * Returns the verdict without the rewrites that only took out secrets: a recording has marks in their place already.
 * `originals` holds the values before the rewrites, as recorded.
 */
export function withoutRedactions(
  verdict: VerdictSummary,
  originals: Partial<Record<RewrittenPart, unknown>>,
): VerdictSummary {
  const kept = Object.entries(verdict).filter(
    ([key, value]) => !isPart(key) || !(key in originals) || !isSameText(value, originals[key]),
  );
  return Object.fromEntries(kept) as unknown as VerdictSummary;
}

/** The rewritable parts of the dispatches as their first hook read them. */
export function originalsOf(dispatches: readonly JudgedDispatch[]): Partial<Record<RewrittenPart, unknown>> {
  const found: Partial<Record<RewrittenPart, unknown>> = {};
  for (const { payload } of dispatches) {
    for (const part of PART_NAMES) found[part] ??= payload[REWRITTEN_PARTS[part].field];
  }
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}

/** True if two values are equal but for the kinds and tags in redaction marks. */
export function isSameText(one: unknown, other: unknown): boolean {
  return withoutTags(canonicalJson(one)) === withoutTags(canonicalJson(other));
}

function rewritesOf(dispatches: readonly JudgedDispatch[]): Partial<Record<RewrittenPart, unknown>> {
  const originals = originalsOf(dispatches);
  const rewrites: Partial<Record<RewrittenPart, unknown>> = {};
  for (const { result } of dispatches) {
    for (const part of PART_NAMES) {
      const value: unknown = result[REWRITTEN_PARTS[part].result];
      if (value === undefined) continue;
      if (canonicalJson(value) === canonicalJson(originals[part])) delete rewrites[part];
      else rewrites[part] = value;
    }
  }
  return rewrites;
}

function isPart(key: string): key is RewrittenPart {
  return Object.hasOwn(REWRITTEN_PARTS, key);
}

function joined(texts: readonly (string | undefined)[]): string | undefined {
  const present = texts.filter(Boolean);
  return present.length === 0 ? undefined : present.join("\n");
}

/** Reads a verdict of a recording. Returns a message if it is not one. */
export function readVerdict(value: Payload): VerdictSummary | string {
  const { decision, reason, by, context, system_message: notice } = value;
  if (!DISPATCH_DECISIONS.some((name) => name === decision))
    return `verdict.decision must be one of ${DISPATCH_DECISIONS.join(", ")}, not ${JSON.stringify(decision)}`;
  for (const [key, text] of Object.entries({ reason, context, system_message: notice })) {
    if (text !== undefined && typeof text !== "string") return `verdict.${key} must be a text`;
  }
  if (by !== undefined && !(Array.isArray(by) && by.every((name) => typeof name === "string")))
    return "verdict.by must be a list of hook names";
  const unknown = Object.keys(value).find((key) => !VERDICT_KEYS.includes(key));
  if (unknown !== undefined) return `verdict has an unknown key ${JSON.stringify(unknown)}`;
  return value as unknown as VerdictSummary;
}

const VERDICT_KEYS: readonly string[] = ["decision", "reason", "by", ...PART_NAMES, "context", "system_message"];
