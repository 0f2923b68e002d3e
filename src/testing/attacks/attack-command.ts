import type { Paint } from "../../cli/paint.ts";
import { print, printStyled, reserveStandardOutput } from "../../cli/print.ts";
import { isOwnHook } from "../../config/hooks/read-hooks.ts";
import type { Log } from "../../engine/handler.ts";
import type { ModelClient } from "../../engine/handlers/model-handler.ts";
import type { Directories } from "../../lib/env.ts";
import { EXIT_CODES } from "../../lib/errors.ts";
import { openSettings } from "../run-case.ts";
import { runTests } from "../run-tests.ts";
import type { TestHooks } from "../test-hooks.ts";
import { renderAttacks } from "./attacks-text.ts";
import { ATTACK_OUTCOMES, passes } from "./judge-attacks.ts";
import { type AttackReport, type RunCases, runAttacks } from "./run-attacks.ts";

/** What `hooksh test --attacks` runs with. */
export interface AttackOptions {
  /** Empty for all. */
  category: string;
  paths: readonly string[];
  agent: string | undefined;
  jobs: number;
  json: boolean;
  directories: Directories;
  cwd: string;
  client: (hooks: TestHooks) => ModelClient;
  log: Log;
  signal: AbortSignal;
  paint: Paint;
}

/** Runs `hooksh test --attacks`. Returns the exit code: 1 if an attack passes. */
export async function attackCommand(options: AttackOptions): Promise<number> {
  const { category, paths, json, directories, signal, paint, jobs } = options;
  const run: RunCases = async function* (hooks, cases) {
    if (hooks.entries.some(({ hook }) => isOwnHook(hook))) reserveStandardOutput();
    const { settings, close } = openSettings({ directories, client: options.client(hooks), log: options.log, signal });
    try {
      yield* runTests(cases, settings, { jobs, failFast: false });
    } finally {
      close();
    }
  };
  let passed = 0;
  for await (const report of runAttacks(category, paths, { ...options, run })) {
    if (signal.aborted) return EXIT_CODES.interrupted;
    passed += report.attacks.filter(passes).length;
    await (json ? printReport(report) : printStyled(`${renderAttacks(report, paint)}\n`));
  }
  return passed > 0 ? EXIT_CODES.failed : EXIT_CODES.ok;
}

/** Prints an object for each attack, then one with the numbers. */
async function printReport({ file, attacks }: AttackReport): Promise<void> {
  for (const { category, tool, input, why, platform, outcome, by, label } of attacks) {
    const attack = { type: "attack", file, category, tool, input, outcome, by, label, why };
    await print(JSON.stringify(platform === undefined ? attack : { ...attack, platform }));
  }
  const counts = ATTACK_OUTCOMES.map((one) => [one, attacks.filter(({ outcome }) => outcome === one).length]);
  const passed = attacks.filter(passes).length;
  await print(JSON.stringify({ type: "attacks", file, calls: attacks.length, passed, ...Object.fromEntries(counts) }));
}
