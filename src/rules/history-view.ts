import type { EventFacts } from "../facts/facts.ts";
import type { Rule } from "./rule.ts";

/** A rule with its place. */
export interface PlacedRule extends Rule {
  /** `FILE:LINE`. */
  source: () => Promise<string>;
}

/** What the past of a session says about a rule. */
export interface HistoryAnswer {
  /** True if all of the rule's conditions on the past hold; if the past cannot be read, as the verdict needs it. */
  truth: boolean;
  /** What could not be read. */
  failed?: string;
  /** Parts of the message: `after CALL`, `3 calls in 10m`. */
  says: readonly string[];
  /** How many calls `more_than` counted. */
  count?: number;
}

/** The past of a session. */
export interface HistoryView {
  holds(rule: PlacedRule, facts: EventFacts): HistoryAnswer | Promise<HistoryAnswer>;
}
