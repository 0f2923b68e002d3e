/**
 * Breaks the source one small change (mutant) at a time and says which changes no test notices:
 *
 *     npm run mutate -- [FILE|FOLDER...] [--sample N] [--seed S] [--jobs N] [--budget S] [--slow S] [--binary] [--json] [--again FILE] [--list]
 *
 * Without a path it takes src/engine, src/protocol, src/config and src/runtime. Each mutant runs, in a copy of the
 * working tree, the test files that executed its line (those that import the file, if none did), the ones that caught
 * most so far and the quickest first, until one fails. A test that takes much longer than without the mutant fails too. A
 * changed value that the type checker rejects is left out.
 *
 *   --sample N   tries N mutants, chosen at random; --seed S chooses the same ones again
 *   --jobs N     tries N mutants at once, each in its own copy (1)
 *   --budget S   for each source file, the nearest test files that together take S seconds (120); 0 for all
 *   --slow S     runs test files that take longer than S seconds (10) only for files that no quicker one imports
 *   --binary     also runs tests that start the executable, from sources; only when nothing else has noticed
 *   --json       prints one JSON object per mutant in place of text
 *   --again F    only mutants that survived in an earlier run, whose --json output is in the file F
 *   --list       prints the mutants and stops
 *
 * Survivors that no test can or needs to catch are listed with a reason in test/mutation/explained.yaml. Exits 1 if there is
 * any other survivor.
 */
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { Baseline, type Measured } from "./mutate/baseline.ts";
import { type Explanation, readExplanations } from "./mutate/explained.ts";
import { type Mutant, mutantsOf } from "./mutate/mutants.ts";
import { type Reach, readReach } from "./mutate/reach.ts";
import { Sandbox } from "./mutate/sandbox.ts";
import { openTypeChecker, type TypeChecker } from "./mutate/types.ts";

const root = join(import.meta.dir, "..");

/** The result of trying a mutant. */
type Fate = "killed" | "timed out" | "rejected by types" | "explained" | "survived";

interface Verdict {
  mutant: Mutant;
  fate: Fate;
  /** The test that failed. */
  by?: string;
}

const { values: flags, positionals } = parseArgs({
  args: Bun.argv.slice(2),
  allowPositionals: true,
  options: {
    sample: { type: "string" },
    seed: { type: "string" },
    jobs: { type: "string", default: "1" },
    budget: { type: "string", default: "120" },
    slow: { type: "string", default: "10" },
    binary: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    again: { type: "string" },
    list: { type: "boolean", default: false },
  },
});

const DEFAULT_PATHS = ["src/engine", "src/protocol", "src/config", "src/runtime"];

process.exitCode = await main();

async function main(): Promise<number> {
  const files = sourceFiles(positionals.length > 0 ? positionals : DEFAULT_PATHS);
  const directory = mkdtempSync(join(tmpdir(), "hooksh-mutate-"));
  process.once("SIGINT", () => {
    rmSync(directory, { recursive: true, force: true });
    process.exit(130);
  });
  try {
    const all = survivorsOf(await mutantsOf(root, files, directory), flags.again);
    const seed = Number(flags.seed ?? Math.floor(Math.random() * 1e9));
    const mutants = flags.sample ? sample(all, Number(flags.sample), seed) : all;
    if (flags.list) {
      for (const mutant of mutants) console.log(describe(mutant));
      return 0;
    }
    if (flags.sample) console.error(`${mutants.length} of ${all.length} mutants, --seed ${seed}`);
    const verdicts = await tryAll(mutants, directory);
    if (!flags.json) printSummary(verdicts);
    const stale = flags.sample || flags.again ? [] : staleExplanations(verdicts, new Set(files));
    for (const { file, line } of stale) console.error(`${file}: explained, but no such mutant survived: ${line}`);
    return stale.length > 0 || verdicts.some(({ fate }) => fate === "survived") ? 1 : 0;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/**
 * Returns the mutants that survived in an earlier run, matched by their code, because lines may have moved, also to
 * other files. All mutants without an earlier run.
 */
function survivorsOf(mutants: readonly Mutant[], path: string | undefined): readonly Mutant[] {
  if (path === undefined) return mutants;
  const earlier = readFileSync(path, "utf8").split("\n").filter(Boolean);
  const verdicts = earlier.map((line) => JSON.parse(line) as Mutant & { fate: Fate });
  const keyOf = ({ lineText, change }: Mutant) => `${change}\n${lineText}`;
  const survived = new Set(verdicts.filter(({ fate }) => fate === "survived").map(keyOf));
  return mutants.filter((mutant) => survived.has(keyOf(mutant)));
}

/** The TypeScript files at or below paths that are relative to the current directory. */
function sourceFiles(paths: readonly string[]): string[] {
  const files = paths.flatMap((path) => {
    const found = relative(root, resolve(path));
    if (!statSync(join(root, found)).isDirectory()) return [found];
    return [...new Bun.Glob("**/*.ts").scanSync(join(root, found))].map((file) => join(found, file));
  });
  return [...new Set(files)].sort();
}

/** Tries mutants in `--jobs` copies of the tree. */
async function tryAll(mutants: readonly Mutant[], directory: string): Promise<Verdict[]> {
  const reach = readReach(root);
  const baseline = new Baseline(join(root, "dist", "mutate-baseline.json"), reach);
  const explanations = readExplanations(root);
  const verdicts: Verdict[] = [];
  const queue = [...mutants];
  const kills = new Map<string, number>();
  const work = async (job: number) => {
    const sandbox = new Sandbox(root, join(directory, String(job)));
    const types = await openTypeChecker(sandbox.root);
    const run = { sandbox, types, reach, baseline, kills };
    try {
      for (let mutant = queue.shift(); mutant; mutant = queue.shift()) {
        const verdict = explain(await tryOne(mutant, run), explanations);
        verdicts.push(verdict);
        report(verdict, verdicts.length, mutants.length);
      }
    } finally {
      await types.close();
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Number(flags.jobs)) }, (_, job) => work(job)));
  return verdicts;
}

interface Run {
  sandbox: Sandbox;
  types: TypeChecker;
  reach: Reach;
  baseline: Baseline;
  /** The number of mutants of a file that a test has caught, by `file test`. */
  kills: Map<string, number>;
}

async function tryOne(mutant: Mutant, run: Run): Promise<Verdict> {
  const { sandbox, types, kills } = run;
  const tests = await testsFor(mutant, run);
  const score = (test: string) => kills.get(`${mutant.file} ${test}`) ?? 0;
  tests.sort((a, b) => score(b.test) - score(a.test) || a.milliseconds - b.milliseconds);
  return sandbox.with(mutant, async (): Promise<Verdict> => {
    if (mutant.typed && !(await types.accepts(mutant.file))) return { mutant, fate: "rejected by types" };
    for (const { test, milliseconds } of tests) {
      const end = await sandbox.run(test, 20_000 + 4 * milliseconds);
      if (end === "passed") continue;
      kills.set(`${mutant.file} ${test}`, score(test) + 1);
      return { mutant, fate: end === "timed out" ? "timed out" : "killed", by: test };
    }
    return { mutant, fate: "survived" };
  });
}

/** Returns the test files worth running for a mutant. */
async function testsFor(mutant: Mutant, run: Run): Promise<(Measured & { test: string })[]> {
  const budget = Number(flags.budget) * 1000 || Number.POSITIVE_INFINITY;
  const inProcess: (Measured & { test: string })[] = [];
  const others: (Measured & { test: string })[] = [];
  let spent = 0;
  for (const { test } of run.reach.testsOf(mutant.file)) {
    const starts = run.reach.startsBinary(test);
    if ((starts && !flags.binary) || test.startsWith("test/release/")) continue;
    if (spent > budget) break;
    const measured = await run.baseline.measure(test, run.sandbox);
    spent += measured.milliseconds;
    if (!measured.passed) continue;
    (starts ? others : inProcess).push({ ...measured, test });
  }
  const isQuick = ({ milliseconds }: Measured) => milliseconds <= Number(flags.slow) * 1000;
  // A line that only another thread or process runs is in no report.
  const executing = inProcess.filter(({ lines }) => lines[mutant.file]?.includes(mutant.line));
  const choices = [executing.filter(isQuick), inProcess.filter(isQuick), executing, inProcess];
  const chosen = choices.find((tests) => tests.length > 0) ?? [];
  return [...chosen, ...others];
}

function explain(verdict: Verdict, explanations: readonly Explanation[]): Verdict {
  const explained = explanations.some((explanation) => isAbout(explanation, verdict.mutant));
  return verdict.fate === "survived" && explained ? { ...verdict, fate: "explained" } : verdict;
}

function isAbout({ file, line, changes }: Explanation, mutant: Mutant): boolean {
  return file === mutant.file && line === mutant.lineText && changes.includes(mutant.change);
}

/** Returns explanations for the given files that no survivor needs. */
function staleExplanations(verdicts: readonly Verdict[], files: ReadonlySet<string>): Explanation[] {
  const explained = verdicts.filter(({ fate }) => fate === "explained");
  return readExplanations(root).filter(
    (explanation) => files.has(explanation.file) && !explained.some(({ mutant }) => isAbout(explanation, mutant)),
  );
}

function describe({ file, line, change }: Mutant): string {
  return `${file}:${line}: ${change}`;
}

function report({ mutant, fate, by }: Verdict, done: number, all: number): void {
  if (flags.json) console.log(JSON.stringify({ ...mutant, fate, by }));
  else if (fate === "survived") console.log(`survived  ${describe(mutant)}`);
  if (process.stderr.isTTY) process.stderr.write(`${done}/${all}\r`);
}

/** Prints one line per folder, then the totals. */
function printSummary(verdicts: readonly Verdict[]): void {
  const folderOf = ({ mutant }: Verdict) => mutant.file.split("/").slice(0, -1).join("/");
  const line = (name: string, some: readonly Verdict[]) => {
    const count = (wanted: Fate) => some.filter(({ fate }) => fate === wanted).length;
    const tried = some.length - count("rejected by types");
    const killed = count("killed") + count("timed out");
    const parts = [`${tried} mutants`, `${killed} killed (${count("timed out")} timed out)`];
    return `${name}: ${[...parts, `${count("explained")} explained`, `${count("survived")} survived`].join(", ")}`;
  };
  for (const [folder, some] of Map.groupBy(verdicts, folderOf)) console.log(line(folder, some));
  console.log(line("all", verdicts));
}

/** Returns `size` of the items in their order; the same ones for the same seed (mulberry32). */
function sample<T>(items: readonly T[], size: number, seed: number): T[] {
  let state = seed >>> 0;
  const random = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const keyed = items.map((item, index) => ({ item, index, key: random() }));
  const chosen = keyed.sort((a, b) => a.key - b.key).slice(0, size);
  return chosen.sort((a, b) => a.index - b.index).map(({ item }) => item);
}
