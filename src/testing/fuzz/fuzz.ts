import { type CaseResult, type RunSettings, runCase } from "../run-case.ts";
import { runTests } from "../run-tests.ts";
import type { TestCase } from "../test-case.ts";
import { type FuzzTarget, fuzzTargets, withText } from "./fuzz-case.ts";
import type { Keeps, Spelling } from "./spelling.ts";
import { SPELLINGS } from "./spellings.ts";
import { shrink, type Variant, vary } from "./vary.ts";

/** The settings of `--fuzz`. */
export interface FuzzOptions {
  /** The spellings of each text. */
  count: number;
  seed: number;
  /** The names of spellings that are left out. */
  skip: readonly string[];
  jobs: number;
  /** When to stop, in the time of `performance.now()`. */
  deadline: number;
  /** Called with the number of spellings that were tried, of how many. */
  progress: (done: number, total: number) => void;
}

/** What the fuzzing of cases did. */
export interface FuzzSummary {
  /** The texts that were written differently. */
  texts: number;
  /** The spellings that were tried. */
  tried: number;
  counterexamples: number;
  /** True if the time was not enough for all. */
  cut: boolean;
}

/** What a reader has to know about where a spelling does the same. */
const KEEPS: Readonly<Record<Keeps, string>> = {
  posix: "does the same in every POSIX shell",
  bash: "does the same in bash",
  file: "names the same file",
  url: "is the same URL to browsers and fetch",
  gnu: "does the same with the programs of GNU and with Git",
  machine: "does the same on some machines",
  looks: "only looks the same, to a reader or after a normalization",
};

/** From the strongest to the weakest. */
const STRENGTH = Object.keys(KEEPS) as Keeps[];

/**
 * Runs the cases that expect a refusal with other spellings of their items. Yields a result for each text: passed, or
 * failed with the smallest spelling that is not refused.
 */
export async function* fuzzCases(
  cases: readonly TestCase[],
  settings: RunSettings,
  options: FuzzOptions,
  summary: FuzzSummary,
): AsyncGenerator<CaseResult> {
  for (const target of cases.flatMap(fuzzTargets)) {
    if (settings.signal.aborted) return;
    if (performance.now() >= options.deadline) {
      summary.cut = true;
      return;
    }
    summary.texts++;
    yield await fuzzText(target, settings, options, summary);
  }
}

async function fuzzText(
  target: FuzzTarget,
  settings: RunSettings,
  options: FuzzOptions,
  summary: FuzzSummary,
): Promise<CaseResult> {
  const started = performance.now();
  const { count, seed, skip, jobs, deadline, progress } = options;
  const spellings = spellingsFor(target, skip);
  const variants = [...vary(target.text, spellings, count, seed)];
  const tests = variants.map(({ text }) => withText(target, text, nameOf(target)));
  let tried = 0;
  for await (const result of runTests(tests, settings, { jobs, failFast: true })) {
    const variant = variants[tried++];
    summary.tried++;
    progress(tried, variants.length);
    if (isWeaker(result, target) && variant) {
      summary.counterexamples++;
      return counterexample(target, variant, settings, options);
    }
    if (performance.now() >= deadline) {
      summary.cut = tried < variants.length;
      break;
    }
  }
  const test = { ...target.test, name: `${nameOf(target)}: ${tried} refused` };
  return { test, status: "passed", failures: [], observed: [], milliseconds: performance.now() - started };
}

async function counterexample(
  target: FuzzTarget,
  found: Variant,
  settings: RunSettings,
  { count, seed, skip, deadline }: FuzzOptions,
): Promise<CaseResult> {
  const run = ({ text }: Variant) => runCase(withText(target, text, nameOf(target)), settings);
  const spellings = spellingsFor(target, skip);
  const smallest = await shrink(target.text, found, spellings, async (variant) => {
    return performance.now() < deadline && isWeaker(await run(variant), target);
  });
  const result = await run(smallest);
  const keeps =
    STRENGTH[Math.max(...smallest.steps.map(({ spelling }) => STRENGTH.indexOf(spelling.keeps)))] ?? "looks";
  const names = smallest.steps.map(({ spelling }) => spelling.name).join(", then ");
  return {
    ...result,
    status: "failed",
    notes: [
      `spelling: ${inAscii(JSON.stringify(smallest.text))}`,
      `made by: ${names}; ${KEEPS[keeps]}`,
      `again: hooksh test ${[target.test.file, "--run", expressionFor(target.test.name)].map(shellWord).join(" ")} --fuzz ${count} --seed ${seed}${skip.map((name) => ` --fuzz-skip ${shellWord(name)}`).join("")}`,
    ],
  };
}

function spellingsFor({ kind }: FuzzTarget, skip: readonly string[]): Spelling[] {
  return SPELLINGS[kind].filter(({ name }) => !skip.includes(name));
}

/** True if the step was not refused. An error counts: nothing shows that the call would have been stopped. */
function isWeaker({ observed }: CaseResult, { step }: FuzzTarget): boolean {
  const decision = observed[step]?.decision;
  return decision !== "deny" && decision !== "block";
}

function nameOf({ test }: FuzzTarget): string {
  return `${test.name} in other spellings`;
}

/** The regular expression that finds the test with this name. */
function expressionFor(name: string): string {
  return name.replace(/[\\^$.|?*+()[\]{}]/g, "\\$&");
}

/** JSON with escapes for all characters that may look like others. */
function inAscii(json: string): string {
  return json.replace(/[^ -~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function shellWord(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
