import { once } from "../../../lib/once.ts";
import { byProgram, compileRow, type Rule, ruledPrograms, ruleName, rulesFor } from "../../rules/rules.ts";
import { type Effect, effectOfCategory } from "./effect.ts";
import { MACHINE_ROWS } from "./rows-machine.ts";
import { SERVICE_ROWS } from "./rows-services.ts";

/** A row with what it leads to. */
export interface ProgramRow {
  effect: Effect;
  rule: Rule;
  /** True for a row of effects, false for one of labels. */
  own: boolean;
  matcher: string;
}

/** Rows of labels that lead to another effect than their category: those of these programs and categories do not count. */
const REPLACED: Readonly<Record<string, string>> = {
  cp: "fs-modify",
  mv: "fs-modify",
  ln: "fs-modify",
  rsync: "fs-modify",
  tee: "fs-overwrite",
  killall: "process",
  pkill: "process",
  wipefs: "block-device",
  dd: "fs-overwrite",
  curl: "remote-delete",
  wget: "remote-delete",
  http: "remote-delete",
  https: "remote-delete",
  xh: "remote-delete",
  xhs: "remote-delete",
  stripe: "cloud",
  "sentry-cli": "cloud",
  velero: "kubernetes",
  "redis-cli": "database",
  "valkey-cli": "database",
  "keydb-cli": "database",
};

/** Rows that count for one verb of a program only. */
const REPLACED_VERBS: Readonly<Record<string, readonly string[]>> = {
  git: ["rm"],
  npm: ["unpublish", "deprecate", "deprecate|dist-tag|owner|access|team|token|org"],
  gem: ["yank"],
  cargo: ["yank|owner"],
};

const REPLACED_MARKS = new Set(["@sql-drop", "@mongo-drop", "@flush"]);

/** An own row: its effect, its matcher, and its place among all. */
type OwnRow = readonly [effect: Effect, matcher: string, at: number];

/** The own rows of each program. */
const ownRows = once((): ReadonlyMap<string, readonly OwnRow[]> => {
  const all: OwnRow[] = [];
  // Loops: cold start.
  for (const rows of [MACHINE_ROWS, SERVICE_ROWS]) {
    for (const effect of Object.keys(rows) as Effect[])
      for (const matcher of rows[effect] ?? []) all.push([effect, matcher, all.length]);
  }
  return byProgram(all, ([, matcher]) => matcher);
});

/** The own rows of a program, and those of the one whose rules it has. */
function ownRowsOf(program: string, name: string): readonly OwnRow[] {
  const own = ownRows().get(program) ?? [];
  const same = name === program ? undefined : ownRows().get(name);
  return same ? [...new Set([...own, ...same])].sort(([, , a], [, , b]) => a - b) : own;
}

const MAX_COMPILED = 4096;
const compiled = new Map<string, readonly ProgramRow[]>();

/** The rows of a program, compiled on first use. */
export function rowsOf(program: string): readonly ProgramRow[] {
  const known = compiled.get(program);
  if (known) return known;
  const name = ruleName(program);
  const rules = rulesFor(program) ?? [];
  const own = ownRowsOf(program, name).map(([effect, matcher]): ProgramRow => {
    return { effect, matcher, rule: compileRow(["low", effect, matcher]), own: true };
  });
  const labels = rules.flatMap((rule): ProgramRow[] => {
    const effect = effectOfCategory(rule.found.category);
    return effect === undefined || isReplaced(name, rule)
      ? []
      : [{ effect, matcher: rule.found.pattern, rule, own: false }];
  });
  const rows = [...own, ...labels];
  // Names come from the line, so that there may be any number of them.
  if (compiled.size < MAX_COMPILED) compiled.set(program, rows);
  return rows;
}

function isReplaced(program: string, { found, path, needs }: Rule): boolean {
  if (Object.hasOwn(REPLACED, program) && REPLACED[program] === found.category) return true;
  const verbs = Object.hasOwn(REPLACED_VERBS, program) ? (REPLACED_VERBS[program] ?? []) : [];
  return verbs.includes(path[0]?.join("|") ?? "") || needs.flat().some((term) => REPLACED_MARKS.has(term));
}

/** Names of all programs that have rows. */
export const programsWithRows = once((): readonly string[] => [...new Set([...ownRows().keys(), ...ruledPrograms()])]);

/** The rows that need an option, of all programs: what a program may lead to of which only the options are known. */
export const rowsByOption = once((): readonly (ProgramRow & { program: string })[] =>
  programsWithRows().flatMap((program) =>
    rowsOf(program).flatMap((row) =>
      row.rule.needs.some((group) => group.every((term) => term.startsWith("-"))) ? [{ ...row, program }] : [],
    ),
  ),
);
