import type { RuleVerdict } from "./rule.ts";

/** A rule that hit. */
export interface RuleHit {
  name: string;
  /** `FILE:LINE`. */
  source: string;
  verdict: RuleVerdict;
  sure: "certain" | "possible";
  facts: Record<string, string>;
  mode?: "observe";
}

/** What the rules say about an event. */
export interface RulesVerdict {
  decision: "stop" | "deny" | "ask" | "allow" | undefined;
  /** Of the rules whose verdict wins, in the order of the files. */
  messages: string[];
  /** Of `warn`, and of rules that only observe. */
  warnings: string[];
  contexts: string[];
  hits: RuleHit[];
}

/** The verdict if no rule hits. */
export function nothingHit(): RulesVerdict {
  return { decision: undefined, messages: [], warnings: [], contexts: [], hits: [] };
}
