import type { CompiledRule } from "./compile.ts";
import { type HeldTest, heldTests } from "./evaluate/explain.ts";
import type { At } from "./evaluate/fact-values.ts";
import { type Finding, factsOfHit, fillMessage, shortValue, suffixOf, WOULD_HAVE } from "./message.ts";
import { CERTAIN, type RuleVerdict, type Truth } from "./rule.ts";
import { nothingHit, type RuleHit, type RulesVerdict } from "./verdict.ts";

/** A rule that holds, with what made it hold. */
export interface Outcome {
  rule: CompiledRule;
  at: At;
  truth: Truth;
  says: readonly string[];
  count: number | undefined;
  /** Set if the evaluation failed. */
  error?: unknown;
}

/** The verdicts that decide, most severe first. */
const DECISIONS = ["stop", "deny", "ask", "allow"] as const;

/** Makes one verdict of the rules that hit, which come in the order of the files. */
export async function reportOf(outcomes: readonly Outcome[], observe: boolean): Promise<RulesVerdict> {
  const verdict = nothingHit();
  const decided: { decision: RuleVerdict; message: string }[] = [];
  for (const outcome of outcomes) {
    const { hit, message, bare } = await described(outcome);
    const observes = observe || outcome.rule.rule.observe;
    verdict.hits.push(observes ? { ...hit, mode: "observe" } : hit);
    if (observes) {
      verdict.warnings.push(`rule ${hit.name} only observes: it would have ${WOULD_HAVE[hit.verdict]}: ${message}`);
    } else if (hit.verdict === "warn") verdict.warnings.push(message);
    else if (hit.verdict === "context") verdict.contexts.push(bare);
    else decided.push({ decision: hit.verdict, message });
  }
  verdict.decision = DECISIONS.find((decision) => decided.some((one) => one.decision === decision));
  verdict.messages = decided.flatMap(({ decision, message }) => (decision === verdict.decision ? [message] : []));
  return verdict;
}

async function described(outcome: Outcome): Promise<{ hit: RuleHit; message: string; bare: string }> {
  const { rule, at, truth, says, count, error } = outcome;
  const source = await rule.rule.source();
  if ("error" in outcome) return failed(outcome, source, error);
  const held: HeldTest[] = rule.tree ? heldTests(rule.tree, at) : [];
  const finding: Finding = { name: rule.rule.name, at, held, says, count };
  const bare = fillMessage(rule.message, finding);
  const hit: RuleHit = {
    name: rule.rule.name,
    source,
    verdict: rule.rule.verdict,
    sure: truth === CERTAIN ? "certain" : "possible",
    facts: factsOfHit(held),
  };
  return { hit, message: `${bare} ${suffixOf(source, finding)}`, bare };
}

/** A rule that restricts and cannot be evaluated denies the call. */
function failed(
  { rule: { rule }, at }: Outcome,
  source: string,
  error: unknown,
): { hit: RuleHit; message: string; bare: string } {
  const reason = shortValue(error instanceof Error ? error.message : String(error));
  const message = `rule ${rule.name} at ${source} could not be evaluated: ${reason}`;
  const isSofter = rule.verdict === "warn" || rule.verdict === "context" || rule.verdict === "ask";
  const verdict =
    at.facts.event === "pre_tool_use" && isSofter ? "deny" : rule.verdict === "context" ? "warn" : rule.verdict;
  return { hit: { name: rule.name, source, verdict, sure: "possible", facts: {} }, message, bare: message };
}
