import { basename, join, relative, resolve } from "node:path";
import { ConfigError } from "../../lib/errors.ts";
import { isObject } from "../../lib/json.ts";
import type { EventName } from "../../protocol/events.ts";
import type { Rule } from "../../rules/rule.ts";
import { type Document, type Path, type Problem, problemsError, renderProblems, sourceOf } from "../yaml/document.ts";

/** A rule, and where it is written. */
export interface PlacedRule extends Rule {
  /** The file that holds it; absent if a program gives it. */
  document?: Document;
  /** `hooks.yaml:4`. Loads the parser that knows lines. */
  source: () => Promise<string>;
}

/** A mapping with the keys `rules` and `sets`, and its place in a document. */
export interface RulesBlock {
  document: Document;
  /** The path of the mapping: empty, or `settings`. */
  path: Path;
  value: unknown;
  /** The names that `agents` of a rule may have; any if undefined. */
  agents?: readonly string[] | undefined;
}

/** The keys of rules, beside those of events in a hooks file. */
export const RULE_KEYS: readonly string[] = ["rules", "sets"];

/** True if a mapping has rules, or sets of its own. Rule code is loaded only then (cold start). */
export function holdsRules(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && RULE_KEYS.some((key) => Object.hasOwn(value, key));
}

/** Returns the rules of a block. Throws a {@link ConfigError} that lists every problem with its position. */
export async function loadRules(block: RulesBlock): Promise<PlacedRule[]> {
  if (!holdsRules(block.value)) return [];
  const { rules, problems } = await readBlock(block);
  const { root: _ofHooks, ...document } = block.document;
  if (problems.length > 0) throw await problemsError(document, problems);
  const shown = { ...document, file: displayName(document) };
  return rules.map((rule) => ({ ...rule, document: shown, source: () => sourceOf(shown, rule.path) }));
}

/** Returns the problems of the rules of a block, and the notices about them. */
export async function checkRules(
  block: Omit<RulesBlock, "document">,
): Promise<{ problems: Problem[]; notices: Problem[] }> {
  return holdsRules(block.value) ? readBlock(block) : { problems: [], notices: [] };
}

/** Returns what a check of a block says besides its problems, one line each. */
export async function ruleNotices(block: RulesBlock): Promise<string[]> {
  const { root: _ofHooks, ...document } = block.document;
  const { notices } = await checkRules(block);
  const noRules = noRulesNotice(block);
  return [...(noRules === undefined ? [] : [noRules]), ...(await renderProblems(document, notices))];
}

/** Returns the notice about a block whose list of rules is empty. */
export function noRulesNotice({ document, path, value }: RulesBlock): string | undefined {
  if (!isObject(value) || !Object.hasOwn(value, "rules")) return undefined;
  if (value["rules"] !== null && [value["rules"]].flat().length > 0) return undefined;
  return `no rules in ${document.file}${path.length === 0 ? "" : `: ${path.join(".")}.rules`}`;
}

/** Returns the events that rules need: those that they judge, and those that their conditions on the past look back at. */
export function eventsOfRules(rules: readonly Rule[]): Set<EventName> {
  const events = new Set<EventName>();
  for (const { on, history } of rules) {
    for (const event of on) events.add(event);
    const past = [...(history.after ?? []), ...(history.unlessAfter ?? [])];
    for (const each of [...past, ...past.flatMap(({ since }) => since ?? [])]) {
      if (each.event !== "tool calls") events.add(each.event);
    }
    if (past.length === 0 && history.moreThan === undefined) continue;
    events.add("pre_tool_use");
    events.add("post_tool_use");
  }
  return events;
}

/** Returns the files that hold rules, each once. */
export function documentsOf(rules: readonly PlacedRule[]): Document[] {
  return [...new Set(rules.flatMap(({ document }) => document ?? []))];
}

/** Runs tasks one after the other and returns what they return. Throws one {@link ConfigError} with the problems of all. */
export async function collectAll<T extends readonly unknown[]>(
  ...tasks: { [K in keyof T]: () => Promise<T[K]> }
): Promise<T> {
  const results: unknown[] = [];
  const errors: ConfigError[] = [];
  for (const task of tasks) {
    try {
      results.push(await task());
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      errors.push(error);
    }
  }
  const [first] = errors;
  if (first === undefined) return results as unknown as T;
  throw errors.length === 1
    ? first
    : new ConfigError(
        errors.flatMap(({ problems }) => problems),
        { help: first.help },
      );
}

interface ReadBlock {
  rules: Rule[];
  problems: Problem[];
  notices: Problem[];
}

async function readBlock({ path, value, agents }: Omit<RulesBlock, "document">): Promise<ReadBlock> {
  const { readRules, readSets } = await import("../../rules/read/read-rules.ts");
  const { rules: written = null, sets: named = null } = isObject(value) ? value : {};
  const none: Awaited<ReturnType<typeof readSets>> = { sets: { paths: {}, hosts: {} }, problems: [] };
  const { sets, problems } = named === null ? none : readSets(named, [...path, "sets"]);
  if (written === null) return { rules: [], problems, notices: [] };
  const read = readRules(written, [...path, "rules"], { sets, ...(agents === undefined ? {} : { agents }) });
  const expressions = read.rules.some((rule) => rule.if !== undefined)
    ? (await import("../../rules/cel.ts")).checkExpressions(read.rules)
    : [];
  return { ...read, problems: [...problems, ...read.problems, ...expressions] };
}

/** The file as messages of rules name it: relative to the working directory if it is below it. */
function displayName({ directory, file }: Document): string {
  if (directory === undefined) return file;
  const shown = relative(process.cwd(), join(resolve(directory), basename(file)));
  return shown === "" || shown.startsWith("..") ? file : shown;
}
