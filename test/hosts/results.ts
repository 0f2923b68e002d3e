import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DrivenProgram, DrivenResults } from "../../scripts/docs-driven.ts";
import { CASES } from "./cases.ts";
import { HOSTS } from "./drivers/index.ts";

const FILE = join(import.meta.dir, "results.json");

/** Keeps the results of complete runs in results.json; programs that were not driven now stay as they were. */
export function keepResults(driven: readonly DrivenProgram[]): void {
  const old: DrivenResults = JSON.parse(readFileSync(FILE, "utf8"));
  const programs = HOSTS.flatMap(({ name }) => [...driven, ...old.programs].find(({ host }) => host === name) ?? []);
  const results: DrivenResults = { cases: CASES.map(({ name, about }) => ({ name, about })), programs };
  writeFileSync(FILE, `${JSON.stringify(results, undefined, 2)}\n`);
}
