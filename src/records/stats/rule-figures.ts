import { type AuditEntry, type AuditRule, fileOf } from "../../audit/entry.ts";

/** How often one rule hit. */
export interface RuleFigures {
  rule: string;
  /** Where it was written when it hit last: `file:line`. */
  source: string;
  verdict: string;
  event: string;
  hits: number;
  /** Hits that an expansion decides. */
  possible: number;
  /** Hits that decided nothing: the rule only observes. */
  observed: number;
}

/** Most rules (on each event, by verdict) whose hits are counted, so that memory has a limit. */
const MOST_RULES = 5000;

/** Counts the rules that hit. */
export class RuleHits {
  readonly #figures = new Map<string, RuleFigures>();

  /** Adds the rules of an entry that are selected. */
  add({ event, rules = [] }: AuditEntry, isSelected: (name: string) => boolean): void {
    for (const rule of rules) if (isSelected(rule.name)) this.#addHit(event, rule);
  }

  #addHit(event: string, { name, source, verdict, sure, mode }: AuditRule): void {
    // A rule that moves within its file is still the same rule.
    const key = [event, name, verdict, fileOf(source)].join("\0");
    const known = this.#figures.get(key) ?? { rule: name, source, verdict, event, hits: 0, possible: 0, observed: 0 };
    if (!this.#figures.has(key) && this.#figures.size >= MOST_RULES) return;
    known.source = source;
    known.hits++;
    if (sure === "possible") known.possible++;
    if (mode === "observe") known.observed++;
    this.#figures.set(key, known);
  }

  /** The figures, the largest number of hits first, and equal ones by name. */
  figures(): RuleFigures[] {
    const text = ({ rule, event, verdict, source }: RuleFigures) => [rule, event, verdict, source].join("\0");
    return [...this.#figures.values()].sort((a, b) => b.hits - a.hits || (text(a) < text(b) ? -1 : 1));
  }
}
