import {
  isSameText,
  PART_NAMES,
  type RewrittenPart,
  strictness,
  type VerdictSummary,
} from "../record/verdict-summary.ts";

/** Parts of a verdict that are only compared on request: they often hold times, counts or states of files. */
const TEXTS = ["reason", "context", "system_message"] as const;

/** A part in which two verdicts differ, besides the decision. */
export type ChangedPart = RewrittenPart | (typeof TEXTS)[number];

/**
 * How a verdict changed: `weaker` if more is let through (a weaker decision, or a rewrite that no longer happens),
 * `stricter` if less is, `other` if only a rewrite or a text differs.
 */
export interface VerdictChange {
  kind: "weaker" | "stricter" | "other";
  before: VerdictSummary;
  after: VerdictSummary;
  /** What differs besides the decision. */
  parts: readonly ChangedPart[];
}

/** Compares two verdicts on one event. Undefined if they are equal. `texts`: compares reasons and contexts too. */
export function compareVerdicts(
  before: VerdictSummary,
  after: VerdictSummary,
  { texts }: { texts: boolean },
): VerdictChange | undefined {
  const compared: readonly ChangedPart[] = texts ? [...PART_NAMES, ...TEXTS] : PART_NAMES;
  const parts = compared.filter((part) => !isSameText(before[part], after[part]));
  if (before.decision === after.decision && parts.length === 0) return undefined;
  return { kind: kindOf(before, after, parts), before, after, parts };
}

function kindOf(before: VerdictSummary, after: VerdictSummary, parts: readonly ChangedPart[]): VerdictChange["kind"] {
  const more = strictness(after.decision) - strictness(before.decision);
  if (more !== 0) return more > 0 ? "stricter" : "weaker";
  const isLost = PART_NAMES.some((part) => parts.includes(part) && after[part] === undefined);
  return isLost ? "weaker" : "other";
}
