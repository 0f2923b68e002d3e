import type { Rule } from "../rule.ts";

/** A call that shows something, as `hooksh rules explain` takes it. */
export interface Witness {
  tool: string;
  input: Readonly<Record<string, unknown>>;
  /** The branch, the agent and so on, where the answer depends on them. */
  facts?: Readonly<Record<string, string | number | boolean>>;
  /** A call that has to come before. */
  after?: string;
}

/** What a rule answers where only history or an expression decides. */
export type History = (rule: Rule) => boolean;

/** What rules make of one call: the evaluator that dispatches use. */
export interface JudgedCall {
  /** Which of the rules hit, in their order; `if` counts as true. */
  hits(rules: readonly Rule[], history: History): Promise<readonly boolean[]>;
}

/** Computes the facts of a call. */
export type Judge = (call: Witness) => JudgedCall;

/** Restricting verdicts, by their severity. */
const SEVERITY: Readonly<Record<string, number>> = { stop: 3, deny: 2, ask: 1 };

/** 0 for verdicts that let a call run. */
export function severityOf(verdict: string): number {
  return SEVERITY[verdict] ?? 0;
}

/** True for a rule that decides about calls before they run. */
export function isEnforced(rule: Rule): boolean {
  return !rule.observe && rule.on.includes("pre_tool_use");
}

/** True for a rule with a part that proofs cannot look into. */
export function isUndecided(rule: Rule): boolean {
  return rule.if !== undefined;
}
