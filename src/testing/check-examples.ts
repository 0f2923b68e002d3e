import { isHookFile } from "../config/hooks/hook-types.ts";
import type { HookEntry } from "../config/hooks/read-hooks.ts";
import type { PlacedRule } from "../config/rules/load-rules.ts";
import type { Directories } from "../lib/env.ts";
import { ConfigError } from "../lib/errors.ts";
import { exampleCases, examplesOf } from "./example-cases.ts";
import { failureReports } from "./report.ts";
import { placeOf } from "./reporter.ts";
import { ruleExampleCases } from "./rule-examples.ts";
import { openSettings, runCase } from "./run-case.ts";
import { failureLines } from "./tests-text.ts";

/** The result of {@link checkExamples}. */
export interface CheckedExamples {
  /** One line for each example that is not valid or does not hold. */
  problems: string[];
  /** The number of examples that were not run. */
  notRun: number;
}

/** The builtins that only compute: they read no file, store nothing and start no program. */
const WITHOUT_EFFECTS: readonly string[] = ["redact_secrets", "safer_shell", "max_iterations", "add_date"];

/**
 * Checks the examples beside hooks. Runs only those of builtins without side effects: a file may come from elsewhere, and
 * checking it must not run what it says.
 */
export async function checkExamples(entries: readonly HookEntry[], directories: Directories): Promise<CheckedExamples> {
  const withExamples = entries.filter((entry) => entry.hook.examples !== undefined);
  if (withExamples.length === 0) return { problems: [], notRun: 0 };
  const [safe, others] = [withExamples.filter(hasNoEffects), withExamples.filter((entry) => !hasNoEffects(entry))];
  const hooks = { files: [], rules: [] };
  const seen = new Set<string>();
  try {
    const cases = await exampleCases({ hooks: { ...hooks, entries: safe } }, seen);
    const notRun = await exampleCases({ hooks: { ...hooks, entries: others } }, seen);
    return { problems: await failuresOf(cases, directories), notRun: notRun.length };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { problems: [...error.problems], notRun: others.flatMap(examplesOf).length };
  }
}

function hasNoEffects({ hook: { type, command } }: HookEntry): boolean {
  return type === "builtin" && !isHookFile(command) && WITHOUT_EFFECTS.includes(command);
}

/** Returns a line for each example beside a rule that does not hold. It starts nothing and runs no hook. */
export function checkRuleExamples(rules: readonly PlacedRule[], directories: Directories): Promise<string[]> {
  return failuresOf(ruleExampleCases(rules, new Set()), directories);
}

async function failuresOf(
  cases: Awaited<ReturnType<typeof exampleCases>>,
  directories: Directories,
): Promise<string[]> {
  if (cases.length === 0) return [];
  const signal = new AbortController().signal;
  const { settings, close } = openSettings({ directories, log: () => {}, signal });
  const problems: string[] = [];
  try {
    for (const test of cases) {
      const result = await runCase(test, settings);
      if (result.status !== "failed") continue;
      if (test.ruleExample && result.error !== undefined) {
        problems.push(result.error);
        continue;
      }
      const { file, line, column } = await placeOf(result);
      const lines = failureReports(result)
        .flatMap(failureLines)
        .map((text) => text.trim());
      problems.push(`${file}:${line}:${column}: ${test.name}: ${result.error ?? lines.join(", ")}`);
    }
    return problems;
  } finally {
    close();
  }
}
