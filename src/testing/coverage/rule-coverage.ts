import type { PlacedRule } from "../../config/rules/load-rules.ts";
import type { EventName } from "../../protocol/events.ts";
import type { CaseResult } from "../run-case.ts";

/** What tests showed of a rule. */
export interface RuleCoverage {
  name: string;
  /** `file:line` */
  source: string;
  on: readonly EventName[];
  /** How often it hit, also where it only observes. */
  hits: number;
  /** How often it was asked and did not hit. */
  passes: number;
  covered: string[];
  missing: string[];
}

interface Asked {
  rule: PlacedRule;
  hits: number;
  passes: number;
}

/** Collects which rules hit in tests, and which let an event pass. */
export class RulesSeen {
  readonly #asked = new Map<string, Asked>();

  expect(rules: readonly PlacedRule[]): void {
    for (const rule of rules) {
      const key = keyOf(rule);
      if (!this.#asked.has(key)) this.#asked.set(key, { rule, hits: 0, passes: 0 });
    }
  }

  async add({ test, observed }: CaseResult): Promise<void> {
    const records = observed.flatMap((step) => step.records);
    for (const rule of test.rules) {
      const asked = this.#asked.get(keyOf(rule));
      if (!asked) continue;
      for (const { event, rules: hits } of records) {
        if (!rule.on.includes(event)) continue;
        const named = hits.filter(({ name }) => name === rule.name);
        const source = named.length > 0 ? await rule.source() : "";
        if (named.some((hit) => hit.source === source)) asked.hits++;
        else asked.passes++;
      }
    }
  }

  report(): Promise<RuleCoverage[]> {
    return Promise.all(
      [...this.#asked.values()].map(async ({ rule, hits, passes }) => {
        const points = [["hits", hits > 0] as const, ["lets pass", passes > 0] as const];
        const named = (isCovered: boolean) => points.filter(([, is]) => is === isCovered).map(([name]) => name);
        return {
          name: rule.name,
          source: await rule.source(),
          on: rule.on,
          hits,
          passes,
          covered: named(true),
          missing: named(false),
        };
      }),
    );
  }
}

/** The same text for the same rule in a file, or of a ready-made set. */
function keyOf({ document, path, name }: PlacedRule): string {
  return JSON.stringify([document?.file, path, name]);
}
