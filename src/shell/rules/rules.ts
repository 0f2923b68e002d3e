import { once } from "../../lib/once.ts";
import { CONTAINERS } from "./containers.ts";
import { FILES } from "./files.ts";
import { GIT } from "./git.ts";
import type { BlastRadius, Row } from "./row.ts";
import { SERVICES } from "./services.ts";
import { SYSTEM } from "./system.ts";

export type { BlastRadius };

/** A destructive operation that was found. */
export interface Destructive {
  pattern: string;
  radius: BlastRadius;
  category: string;
}

/** The words after a program, up to the end of its simple command. */
export interface Rest {
  /** Every word, and the marks that {@link marksOf} gives it. */
  words: ReadonlySet<string>;
  /** The letters of short options: `-rf` gives both, `-i.bak` the first, `-pi.bak` the first two. */
  letters: ReadonlySet<string>;
  /** The first words that are not options, in lower case: the sub-commands. */
  path: readonly string[];
  /** True if at least one word follows, or the program will be given some. */
  more: boolean;
}

/**
 * A step of the path: one of several texts, where a star matches any ending; undefined matches any number of
 * subcommands.
 */
export type Step = readonly string[] | undefined;

export interface Rule {
  found: Destructive;
  path: readonly Step[];
  /** Groups of options, words and marks: one of each group must be there. */
  needs: readonly (readonly string[])[];
  /** None of these may be there. */
  excludes: readonly string[];
  needsMore: boolean;
}

const RADII: readonly BlastRadius[] = ["low", "medium", "unknown", "high"];

/** The finding with the widest radius, the first of equals. */
export function widest(found: readonly Destructive[]): Destructive | undefined {
  return RADII.toReversed()
    .map((radius) => found.find((one) => one.radius === radius))
    .find((one) => one !== undefined);
}

/** Programs with the same command line as another program. */
const SAME_AS = new Map(
  Object.entries({
    podman: "docker",
    nerdctl: "docker",
    finch: "docker",
    oc: "kubectl",
    k: "kubectl",
    kubecolor: "kubectl",
    k3s: "kubectl",
    microk8s: "kubectl",
    tofu: "terraform",
    opentofu: "terraform",
    terragrunt: "terraform",
    mariadb: "mysql",
    "mariadb-admin": "mysqladmin",
    ip6tables: "iptables",
    "iptables-legacy": "iptables",
    "iptables-nft": "iptables",
  }),
);

/** Names of programs that have the rules of another one. */
export function samePrograms(): Iterable<string> {
  return SAME_AS.keys();
}

/** The name under which a program's rules are listed. */
export function ruleName(name: string): string {
  const plain = name.replace(/\.(?:exe|cmd|bat)$|(?<=^kafka-[a-z-]{1,32})\.sh$/, "");
  if (plain.startsWith("mkfs.") || plain.startsWith("mkfs_")) return "mkfs";
  if (plain === "docker-compose" || plain === "podman-compose") return "docker";
  if (/^pip[\d.]+$/.test(plain)) return "pip";
  return SAME_AS.get(plain) ?? plain;
}

/** The rows of each program. */
const rowsByProgram = once(() =>
  byProgram([FILES, GIT, CONTAINERS, SERVICES, SYSTEM].flat(), (row) => row[3] ?? row[2]),
);

/** Rows by the programs that their matchers begin with. */
export function byProgram<T>(rows: readonly T[], matcherOf: (row: T) => string): Map<string, T[]> {
  const found = new Map<string, T[]>();
  // Loops: cold start.
  for (const row of rows) {
    const matcher = matcherOf(row);
    const end = matcher.indexOf(" ");
    const programs = end < 0 ? matcher : matcher.slice(0, end);
    for (const program of programs.includes("|") ? programs.split("|") : [programs]) {
      const known = found.get(program);
      if (known) known.push(row);
      else found.set(program, [row]);
    }
  }
  return found;
}

const compiled = new Map<string, readonly Rule[]>();

/** The rules for a program, compiled on first use; undefined if there are none. */
export function rulesFor(name: string): readonly Rule[] | undefined {
  const program = ruleName(name);
  const known = compiled.get(program);
  if (known) return known;
  const rules = rowsByProgram().get(program)?.map(compileRow);
  if (rules) compiled.set(program, rules);
  return rules;
}

/** Names of all programs that have rules. */
export function ruledPrograms(): Iterable<string> {
  return rowsByProgram().keys();
}

/** Compiles a row. */
export function compileRow([radius, category, pattern, matcher = pattern]: Row): Rule {
  const rule = { path: [] as Step[], needs: [] as string[][], excludes: [] as string[], needsMore: false };
  for (const term of matcher.split(" ").slice(1)) {
    if (term.startsWith("<") || term.startsWith("\\")) rule.needsMore = true;
    else if (term === "...") rule.path.push(undefined);
    else if (term.startsWith("!")) rule.excludes.push(term.slice(1));
    else if (/^[-+@]|=/.test(term)) rule.needs.push(term.split("|"));
    else rule.path.push(term.split("|"));
  }
  return { found: { pattern, radius, category }, ...rule };
}

/** The operation with the widest radius that a program's words match, the first of equals. */
export function matchRules(rules: readonly Rule[], rest: Rest): Destructive | undefined {
  return widest(rules.filter((rule) => applies(rule, rest)).map(({ found }) => found));
}

function applies({ path, needs, excludes, needsMore }: Rule, rest: Rest): boolean {
  if (needsMore && !rest.more) return false;
  return (
    followsPath(path, 0, rest.path, 0) &&
    needs.every((group) => group.some((term) => holds(term, rest))) &&
    !excludes.some((term) => holds(term, rest))
  );
}

function followsPath(steps: readonly Step[], step: number, path: readonly string[], at: number): boolean {
  if (step === steps.length) return true;
  const expected = steps[step];
  if (expected === undefined)
    return path.some((_word, skipped) => skipped >= at && followsPath(steps, step + 1, path, skipped));
  const word = path[at];
  if (word === undefined) return false;
  const fits = expected.some((text) => (text.endsWith("*") ? word.startsWith(text.slice(0, -1)) : word === text));
  return fits && followsPath(steps, step + 1, path, at + 1);
}

function holds(term: string, { words, letters }: Rest): boolean {
  if (term.startsWith("+")) return words.has(term.slice(1));
  if (/^-[A-Za-z\d]$/.test(term)) return letters.has(term.charAt(1));
  const equals = term.indexOf("=");
  if (term.startsWith("--") && equals > 0)
    return words.has(term) || (words.has(term.slice(0, equals)) && words.has(term.slice(equals + 1)));
  return words.has(term) || words.has(`${term}=`);
}

const SINK = /^\/dev\/(?:null|zero|full|tty|stdin|stdout|stderr|fd\/\d+|pts\/\d+)$/;

/** True for a file that does not store what is written to it: a terminal, a stream, a sink. */
export function isSink(path: string): boolean {
  return SINK.test(path) || path === "-";
}

const DISKS = /^\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|mapper|md|loop|dm-|mem|kmem)/;

/** True for a device whose content is that of a disk or of the memory. */
export function isDisk(path: string): boolean {
  return DISKS.test(path);
}
