import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DrivenProgram, DrivenResults } from "../../scripts/docs-driven.ts";
import { CASES } from "./cases.ts";
import { HOSTS } from "./drivers/index.ts";

const FILE = join(import.meta.dir, "results.json");

/** Keeps the results of a program in results.json. Those of other programs stay, and of other cases with this version. */
export function keepResults(driven: DrivenProgram): void {
  const old: DrivenResults = JSON.parse(readFileSync(FILE, "utf8"));
  const same = old.programs.find(({ host, version }) => host === driven.host && version === driven.version);
  const now = { ...driven, results: { ...same?.results, ...driven.results } };
  const programs = HOSTS.flatMap(({ name }) => [now, ...old.programs].find(({ host }) => host === name) ?? []);
  const results: DrivenResults = { cases: CASES.map(({ name, about }) => ({ name, about })), programs };
  writeFileSync(FILE, `${JSON.stringify(results, undefined, 2)}\n`);
}
