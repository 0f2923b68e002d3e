import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Reach } from "./reach.ts";
import type { Sandbox } from "./sandbox.ts";

/** One run of a test file without a mutant. */
export interface Measured {
  passed: boolean;
  milliseconds: number;
  /** The lines of each source file that it ran in its own thread. */
  lines: Record<string, readonly number[]>;
}

/** A test file that takes longer than this without a mutant is left out. */
const LONGEST_MS = 300_000;

/** Runs test files without a mutant, and remembers a result until a file that the test reaches changes. */
export class Baseline {
  readonly #known: Record<string, Measured>;
  readonly #keys = new Map<string, string>();

  readonly #cache: string;
  readonly #reach: Reach;

  constructor(cache: string, reach: Reach) {
    this.#cache = cache;
    this.#reach = reach;
    this.#known = existsSync(cache) ? JSON.parse(readFileSync(cache, "utf8")) : {};
  }

  async measure(test: string, sandbox: Sandbox): Promise<Measured> {
    const key = this.#keyOf(test, sandbox);
    const known = this.#known[key];
    if (known) return known;
    const directory = mkdtempSync(join(tmpdir(), "hooksh-mutate-coverage-"));
    try {
      const started = performance.now();
      const end = await sandbox.run(test, LONGEST_MS, directory);
      const report = join(directory, "lcov.info");
      const measured = {
        passed: end === "passed",
        milliseconds: Math.round(performance.now() - started),
        lines: existsSync(report) ? readCoverage(readFileSync(report, "utf8")) : {},
      };
      this.#known[key] = measured;
      mkdirSync(dirname(this.#cache), { recursive: true });
      writeFileSync(this.#cache, JSON.stringify(this.#known));
      return measured;
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  }

  #keyOf(test: string, sandbox: Sandbox): string {
    const known = this.#keys.get(test);
    if (known) return known;
    const hash = new Bun.CryptoHasher("sha256");
    for (const file of this.#reach.filesOf(test)) hash.update(file).update(readFileSync(join(sandbox.root, file)));
    const key = `${test} ${hash.digest("hex")}`;
    this.#keys.set(test, key);
    return key;
  }
}

/** The lines that ran at least once, by file. */
function readCoverage(report: string): Record<string, number[]> {
  const lines: Record<string, number[]> = {};
  let current: number[] = [];
  for (const line of report.split("\n")) {
    if (line.startsWith("SF:")) lines[line.slice(3)] = current = [];
    const counted = /^DA:(\d+),(\d+)/.exec(line);
    if (counted && Number(counted[2]) > 0) current.push(Number(counted[1]));
  }
  return lines;
}
