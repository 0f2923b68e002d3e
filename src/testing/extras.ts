import { isatty } from "node:tty";
import type { Flags } from "../cli/flags.ts";
import type { Paint } from "../cli/paint.ts";
import { print, printStyled, warn } from "../cli/print.ts";
import { DIALECTS, dialectRow, isDialectName } from "../dialects/names.ts";
import { UsageError } from "../lib/errors.ts";
import { counted } from "../lib/text/counted.ts";
import { escapeControls } from "../lib/text/escape-controls.ts";
import { nearest } from "../lib/text/nearest.ts";
import { Durations, type HookDurations, parseBudget } from "./budget.ts";
import { Coverage, type CoverageReport, type HookCoverage } from "./coverage/coverage.ts";
import type { RuleCoverage } from "./coverage/rule-coverage.ts";
import type { FuzzOptions, FuzzSummary } from "./fuzz/fuzz.ts";
import type { Reporter } from "./reporter.ts";
import type { CaseResult, RunSettings } from "./run-case.ts";
import type { LoadedFiles } from "./run-files.ts";
import type { TestCase } from "./test-case.ts";
import type { TEST_FLAGS } from "./test-flags.ts";

/** The parts of a test run beyond its tests: coverage, spellings, budget, other agents. */
export interface Extras {
  reporters: readonly Reporter[];
  /** Returns the cases to run in place of those of a file: for other agents. */
  adapt?: (cases: readonly TestCase[]) => readonly TestCase[];
  /** Runs cases again, in other spellings. */
  fuzz?: (cases: readonly TestCase[], settings: RunSettings) => AsyncIterable<CaseResult>;
  /** True if a minimum or a limit that the flags set does not hold. */
  failed: () => boolean;
}

type ExtraFlags = Flags<typeof TEST_FLAGS>;

/** The longest time that `--fuzz` may take, in milliseconds. */
const FUZZ_LIMIT = 10 * 60_000;
const MAX_SPELLINGS = 100_000;

/** Checks the flags that need each other or have values of their own. Throws a {@link UsageError}. */
export function checkExtraFlags(flags: ExtraFlags): void {
  if (flags.seed !== undefined && flags.fuzz === undefined) throw new UsageError("--seed needs --fuzz N");
  if (flags["fuzz-skip"].length > 0 && flags.fuzz === undefined) throw new UsageError("--fuzz-skip needs --fuzz N");
  if (flags.agent !== undefined && flags.attacks === undefined && flags.init === undefined)
    throw new UsageError("--agent needs --attacks or --init; a test file names its agent itself");
  minimumOf(flags.coverage);
  if (flags.budget !== undefined) parseBudget(flags.budget);
  if (flags.fuzz !== undefined) numberOf("fuzz", flags.fuzz, MAX_SPELLINGS);
  if (flags.seed !== undefined) numberOf("seed", flags.seed, 2 ** 32 - 1);
}

/** Opens the extras that the flags name. */
export async function openExtras(
  flags: ExtraFlags,
  { loaded, paint, jobs }: { loaded: LoadedFiles; paint: Paint; jobs: number },
): Promise<Extras> {
  const show = (type: string, report: object, text: string) =>
    flags.json ? print(JSON.stringify({ type, ...report })) : printStyled(text);
  const parts = [
    flags.coverage === undefined ? undefined : coverageExtra(flags.coverage, { loaded, paint, show }),
    flags.budget === undefined ? undefined : budgetExtra(flags.budget, { paint, show }),
    flags.fuzz === undefined ? undefined : await fuzzExtra(flags, jobs, show),
  ].filter((part) => part !== undefined);
  const fuzz = parts.find((part) => part.fuzz)?.fuzz;
  const adapt = flags.dialect === undefined ? undefined : await dialectCases(flags.dialect);
  return {
    ...(adapt ? { adapt } : {}),
    reporters: parts.flatMap(({ reporters }) => reporters),
    ...(fuzz ? { fuzz } : {}),
    failed: () => parts.some((part) => part.failed()),
  };
}

async function dialectCases(given: string): Promise<Extras["adapt"]> {
  const { caseOfDialect } = await import("./dialect-cases.ts");
  const names = Object.keys(DIALECTS).filter(isDialectName);
  const chosen = names.filter((name) => given === "all" || given === name);
  const dialects = await Promise.all(
    chosen.map(async (name) => ({ name, dialect: (await dialectRow(name).load()).dialect })),
  );
  return (cases) => cases.flatMap((test) => dialects.map(({ name, dialect }) => caseOfDialect(test, name, dialect)));
}

interface Shown {
  paint: Paint;
  show: (type: string, report: object, text: string) => Promise<void>;
}

function coverageExtra(given: string, { loaded, paint, show }: Shown & { loaded: LoadedFiles }): Extras {
  const minimum = minimumOf(given) ?? 0;
  const coverage = new Coverage();
  for (const { hooks } of loaded.files) {
    coverage.expectHooks(hooks.entries);
    coverage.expectRules(hooks.rules);
  }
  let percent = 0;
  const end = async () => {
    const report = await coverage.report();
    percent = report.percent;
    await show("coverage", { ...report, ...(given === "" ? {} : { minimum }) }, renderCoverage(report, minimum, paint));
  };
  return { reporters: [{ result: async (result) => coverage.add(result), end }], failed: () => percent < minimum };
}

function budgetExtra(given: string, { paint, show }: Shown): Extras {
  const budget = parseBudget(given);
  const durations = new Durations();
  let exceeded = false;
  const end = async () => {
    const hooks = await durations.report(budget);
    exceeded = hooks.some((hook) => hook.exceeded);
    await show("budget", { hooks }, renderBudget(hooks, paint));
  };
  return { reporters: [{ result: async (result) => durations.add(result), end }], failed: () => exceeded };
}

async function fuzzExtra(flags: ExtraFlags, jobs: number, show: Shown["show"]): Promise<Extras> {
  const [{ fuzzCases }, { SPELLING_NAMES }] = await Promise.all([
    import("./fuzz/fuzz.ts"),
    import("./fuzz/spellings.ts"),
  ]);
  const skip = flags["fuzz-skip"];
  for (const name of skip.filter((each) => !SPELLING_NAMES.includes(each))) {
    const close = nearest(name, SPELLING_NAMES);
    const hint = close === undefined ? `known: ${SPELLING_NAMES.join(", ")}` : `did you mean ${JSON.stringify(close)}?`;
    throw new UsageError(`--fuzz-skip: no spelling is named ${JSON.stringify(name)}; ${hint}`);
  }
  const seed = flags.seed === undefined ? randomSeed() : numberOf("seed", flags.seed, 2 ** 32 - 1);
  const count = numberOf("fuzz", flags.fuzz ?? "", MAX_SPELLINGS);
  const summary: FuzzSummary = { texts: 0, tried: 0, counterexamples: 0, cut: false };
  const deadline = performance.now() + FUZZ_LIMIT;
  const options: FuzzOptions = { count, seed, skip, jobs, deadline, progress: showProgress };
  const end = async () => {
    if (summary.texts === 0) warn("--fuzz: no test with each expects a deny of a command line, a path or a URL");
    if (summary.cut) warn(`--fuzz: stopped after ${FUZZ_LIMIT / 60_000} minutes; not all spellings were tried`);
    const { texts, tried, counterexamples } = summary;
    const found = counterexamples === 1 ? "1 is not denied" : `${counterexamples} are not denied`;
    await show(
      "fuzz",
      { seed, count, ...summary },
      `fuzz: seed ${seed}, ${tried} spellings of ${texts} texts: ${found}`,
    );
  };
  return {
    reporters: [{ end }],
    fuzz: (cases, settings) => fuzzCases(cases, settings, options, summary),
    failed: () => false, // a counterexample is a red test already
  };
}

/** Shows progress at a terminal, on a line that the next output replaces. */
function showProgress(done: number, total: number): void {
  if (!isatty(2) || total < 20) return;
  process.stderr.write(done < total ? `\r${done} of ${total} spellings\x1b[K` : "\r\x1b[K");
}

function minimumOf(given: string | undefined): number | undefined {
  if (given === undefined || given === "") return undefined;
  const [, digits] = /^(\d{1,3})\s?%?$/.exec(given) ?? [];
  if (digits !== undefined && Number(digits) <= 100) return Number(digits);
  throw new UsageError(`--coverage takes a percentage from 0 to 100, not ${JSON.stringify(given)}`);
}

function numberOf(flag: string, given: string, most: number): number {
  if (/^\d{1,10}$/.test(given) && Number(given) <= most && (Number(given) > 0 || flag === "seed")) return Number(given);
  throw new UsageError(`--${flag} takes a number up to ${most}, not ${JSON.stringify(given)}`);
}

function randomSeed(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0] ?? 1;
}

/** Formats how long each hook took, and which ones took longer than they may. */
function renderBudget(hooks: readonly HookDurations[], paint: Paint): string {
  const exceeded = hooks.filter((hook) => hook.exceeded).length;
  const head =
    exceeded === 0
      ? "budget: every hook is within it"
      : paint("red", `budget: exceeded by ${exceeded} of ${hooks.length} hooks`);
  return [head, ...hooks.map((hook) => line(hook, paint))].join("\n");
}

function line({ name, source, runs, p50, p95, max, limit, exceeded }: HookDurations, paint: Paint): string {
  const times = `p50 ${shown(p50)}, p95 ${shown(p95)}, max ${shown(max)}`;
  const text = `  ${source} ${escapeControls(name)}: ${times}, ${counted(runs, "run")}; limit ${shown(limit)}`;
  return exceeded ? paint("red", text) : text;
}

function shown(milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.round(milliseconds * 10) / 10} ms` : `${Math.round(milliseconds / 10) / 100} s`;
}

/**
 * Formats the coverage: the percentage and the minimum in percent, then a line for each hook and rule, and one for what no
 * test showed.
 */
function renderCoverage(
  { percent, covered, total, hooks, rules = [] }: CoverageReport,
  minimum: number,
  paint: Paint,
): string {
  const style = percent < minimum ? "red" : percent === 100 ? "green" : "yellow";
  const below = percent < minimum ? `, below the minimum of ${minimum} %` : "";
  const head = `coverage: ${paint(style, `${percent} %`)} (${covered} of ${total})${below}`;
  return [
    head,
    ...hooks.flatMap((hook) => lines(hook, paint)),
    ...rules.flatMap((rule) => ruleLines(rule, paint)),
  ].join("\n");
}

function lines(
  { name, source, event, matcher, runs, stubbed, answers, missing }: HookCoverage,
  paint: Paint,
): string[] {
  const seen = Object.entries(answers).map(([answer, count]) => `${count} ${answer}`);
  const facts = [
    runs === 0 ? "never ran" : `ran ${counted(runs, "time")}${seen.length > 0 ? ` (${seen.join(", ")})` : ""}`,
    ...(stubbed > 0 ? [`stubbed ${counted(stubbed, "time")}`] : []),
  ];
  const on = matcher === undefined ? event : `${event} ${matcher}`;
  const head = `  ${source} ${escapeControls(name)} on ${escapeControls(on)}: ${facts.join(", ")}`;
  return withMissing(head, missing, paint);
}

function ruleLines({ name, source, on, hits, passes, missing }: RuleCoverage, paint: Paint): string[] {
  const facts =
    hits + passes === 0 ? "never asked" : `hit ${counted(hits, "time")}, let ${counted(passes, "event")} pass`;
  return withMissing(`  ${source} ${escapeControls(name)} on ${on.join(", ")}: ${facts}`, missing, paint);
}

function withMissing(head: string, missing: readonly string[], paint: Paint): string[] {
  return missing.length === 0 ? [head] : [head, paint("yellow", `    missing: ${escapeControls(missing.join(", "))}`)];
}
