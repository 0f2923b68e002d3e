import { hookNames } from "../../config/hooks/hook-names.ts";
import { displayName, type HookEntry } from "../../config/hooks/read-hooks.ts";
import type { PlacedRule } from "../../config/rules/load-rules.ts";
import type { DispatchRecord } from "../../engine/dispatch-record.ts";
import { omitEmpty } from "../../lib/json.ts";
import { compileMatcher } from "../../pattern/pattern.ts";
import { contractOf, type EventName } from "../../protocol/events.ts";
import type { CaseResult } from "../run-case.ts";
import { alternativesOf } from "./alternatives.ts";
import { answerOf, knownAnswers, type SeenAnswer } from "./known-answers.ts";
import { type RuleCoverage, RulesSeen } from "./rule-coverage.ts";

export interface HookCoverage {
  name: string;
  /** `file:line` */
  source: string;
  event: EventName;
  /** Absent if every tool matches, and on events without a tool. */
  matcher?: string;
  /** How often it ran. Runs of its stubs do not count. */
  runs: number;
  /** How often a test answered for it. */
  stubbed: number;
  answers: Partial<Record<SeenAnswer, number>>;
  covered: string[];
  missing: string[];
}

export interface CoverageReport {
  /** The covered points in percent of all, rounded down; 100 if there are none. */
  percent: number;
  covered: number;
  total: number;
  hooks: HookCoverage[];
  /** Absent if no file has rules. */
  rules?: RuleCoverage[];
}

/** The runs of one hook so far. */
interface Seen {
  entry: HookEntry;
  runs: number;
  stubbed: number;
  answers: Map<SeenAnswer, number>;
  /** The names of the tools of every event of the hook's kind. */
  tools: readonly string[][];
}

/** Collects what tests show of hooks and rules. docs/testing.md#coverage says what counts. */
export class Coverage {
  readonly #seen = new Map<string, Seen>();
  readonly #rules = new RulesSeen();

  /** Adds the rules of a test file. */
  expectRules(rules: readonly PlacedRule[]): void {
    this.#rules.expect(rules);
  }

  /** Adds the hooks of a test file. Hooks that no file declares, such as those that hooksh adds, do not count. */
  expectHooks(entries: readonly HookEntry[]): void {
    for (const entry of entries.filter(({ document, implicit }) => document && !implicit)) {
      const key = keyOf(entry);
      if (!this.#seen.has(key)) this.#seen.set(key, { entry, runs: 0, stubbed: 0, answers: new Map(), tools: [] });
    }
  }

  /** Adds the runs of a case. */
  async add(result: CaseResult): Promise<void> {
    const { test, observed } = result;
    await this.#rules.add(result);
    const stubs = [...test.doubles].filter(([, double]) => "answer" in double).map(([name]) => name);
    const faults = [...test.doubles].filter(([, double]) => "fault" in double).map(([name]) => name);
    const isStub = ({ hook }: HookEntry) =>
      hookNames(hook).some((name) => stubs.includes(name)) && !hookNames(hook).some((name) => faults.includes(name));
    for (const record of observed.flatMap(({ records }) => records)) this.#addRecord(record, isStub);
  }

  #addRecord({ event, toolNames, hooks, runs }: DispatchRecord, isStub: (entry: HookEntry) => boolean): void {
    for (const { entry } of hooks) {
      const seen = entry.event === event ? this.#seen.get(keyOf(entry)) : undefined;
      if (seen) seen.tools = [...seen.tools, [...toolNames]];
    }
    for (const run of runs) {
      const seen = this.#seen.get(keyOf(run.hook.entry));
      if (!seen) continue;
      if (isStub(run.hook.entry)) {
        seen.stubbed++;
        continue;
      }
      seen.runs++;
      const answer = answerOf(run);
      seen.answers.set(answer, (seen.answers.get(answer) ?? 0) + 1);
    }
  }

  async report(): Promise<CoverageReport> {
    const hooks = await Promise.all([...this.#seen.values()].map(coverageOf));
    const rules = await this.#rules.report();
    const all = [...hooks, ...rules];
    const covered = all.reduce((sum, one) => sum + one.covered.length, 0);
    const total = all.reduce((sum, one) => sum + one.missing.length, covered);
    const percent = total === 0 ? 100 : Math.floor((100 * covered) / total);
    return { percent, covered, total, hooks, ...omitEmpty({ rules }) };
  }
}

async function coverageOf(seen: Seen): Promise<HookCoverage> {
  const { entry, runs, stubbed, answers } = seen;
  const points = [...runPoints(seen), ...matcherPoints(seen)];
  const named = (isCovered: boolean) => points.filter(([, covered]) => covered === isCovered).map(([name]) => name);
  return {
    name: displayName(entry.hook),
    source: await entry.source(),
    event: entry.event,
    ...(hasMatcher(entry) ? { matcher: entry.matcher } : {}),
    runs,
    stubbed,
    answers: Object.fromEntries(answers),
    covered: named(true),
    missing: named(false),
  };
}

type Point = readonly [name: string, covered: boolean];

/** That it ran, and its answers. A hook that every test stubs has only the points of its matcher. */
function runPoints({ entry, runs, stubbed, answers }: Seen): Point[] {
  if (runs === 0 && stubbed > 0) return [];
  return [
    ["ran", runs > 0],
    ...knownAnswers(entry).map(({ name, any }): Point => [name, any.some((one) => answers.has(one))]),
  ];
}

function matcherPoints({ entry, tools }: Seen): Point[] {
  if (!hasMatcher(entry)) return [];
  const hits = (matcher: string) => tools.some(compileMatcher(matcher));
  const alternatives = alternativesOf(entry.matcher);
  const matches = compileMatcher(entry.matcher);
  return [
    ...alternatives.map((one): Point => [alternatives.length > 1 ? `matches ${one}` : "matches", hits(one)]),
    ["does not match", tools.some((names) => !matches(names))],
  ];
}

/** True for a matcher that some tool does not match. */
function hasMatcher({ event, matcher }: HookEntry): boolean {
  return contractOf(event).matcher && !["", "*", ".*"].includes(matcher);
}

/** The same text for the same place in the configuration. */
function keyOf({ document, path, event, lane }: HookEntry): string {
  return JSON.stringify([document?.file, path, event, lane]);
}
