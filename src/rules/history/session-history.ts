import type { EventFacts } from "../../facts/facts.ts";
import type { HistoryAnswer } from "../history-view.ts";
import type { Condition, OwnSets, Rule, Truth } from "../rule.ts";

/** The value of a condition for an event as a whole: the greatest of its steps. Sets are those of the rule's file. */
export type HoldsAt = (condition: Condition, facts: EventFacts, sets: OwnSets) => Truth | Promise<Truth>;

/** The past of one root session: what rules ask of it, and how events become part of it. */
export interface SessionHistory {
  /** Answers for a rule that has a history key. Reads the store, so ask only if the rest of the rule holds. */
  holds(rule: Rule, facts: EventFacts): Promise<HistoryAnswer>;
  /**
   * Adds an event that was not denied, after its hooks: what the history keys of `rules` ask about it, and nothing if they ask
   * about no such event. Returns why it could not be kept.
   */
  record(rules: readonly Rule[], facts: EventFacts, holdsAt: HoldsAt): Promise<string | undefined>;
}
