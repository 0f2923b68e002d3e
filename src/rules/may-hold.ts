import type { QuietCommand, QuietLine } from "../facts/quiet-line.ts";
import { memoize } from "../lib/once.ts";
import { matchesText } from "./evaluate/text-pattern.ts";
import type { PlacedRule } from "./history-view.ts";
import type { Condition, FactName, Rule, Test } from "./rule.ts";

/** What is known of a call before its input is read. */
export interface NamedCall {
  /** Its names, see `tools` of `CallFacts`. */
  tools: readonly string[];
  class: string;
  /** What its command line can do, if that is known without reading it; see {@link rulesThatMayHold}. */
  quiet?: QuietLine | undefined;
}

/** Lists of rules that are kept for the next call. Agents have fewer tools, but may make names up. */
const MAX_KNOWN = 200;

const listsOf = memoize((_rules: readonly PlacedRule[]) => new Map<string, readonly PlacedRule[]>());

/**
 * The rules on an event that may hold for a call; for an event without one, all that are on it. The same list for the same
 * names, so that it is compiled once. `quietOf` tells what a command line can do, if that is known without reading it.
 */
export function rulesThatMayHold(
  rules: readonly PlacedRule[],
  event: PlacedRule["on"][number],
  call: NamedCall | undefined,
  quietOf: () => QuietLine | undefined = () => undefined,
): readonly PlacedRule[] {
  if (!call) return filtered(rules, event, ({ on }) => on.includes(event));
  const { tools, class: kind } = call;
  const ofTool = filtered(
    rules,
    tools.reduce((key, tool) => `${key} ${tool.length}:${tool}`, `${event} ${kind}`),
    (rule) => rule.on.includes(event) && mayHold(rule, call),
  );
  const quiet = ofTool.length > 0 ? quietOf() : undefined;
  if (!quiet) return ofTool;
  // The texts of commands are too many to keep lists for.
  const commands = quiet.commands.map((command) => ({ ...command, text: undefined }));
  const named = { ...call, quiet: { ...quiet, commands } };
  const key = JSON.stringify([...quiet.may, ...commands.map(({ program, verb }) => [program, verb])]);
  const ofPrograms = filtered(ofTool, key, (rule) => mayHold(rule, named));
  return ofPrograms.some((rule) => mayHold(rule, { ...call, quiet })) ? ofPrograms : [];
}

function filtered(
  rules: readonly PlacedRule[],
  key: string,
  keep: (rule: PlacedRule) => boolean,
): readonly PlacedRule[] {
  const lists = listsOf(rules);
  let list = lists.get(key);
  if (!list) {
    if (lists.size >= MAX_KNOWN) lists.clear();
    lists.set(key, (list = rules.filter(keep)));
  }
  return list;
}

/**
 * False if a rule cannot hold for a call, whatever its input says. Tells without the code that reads command lines and
 * compiles rules (cold start).
 */
export function mayHold({ when }: Pick<Rule, "when">, call: NamedCall): boolean {
  return when === undefined || mayBe(when, true, call);
}

/** False if a condition cannot have a value. */
function mayBe(condition: Condition, wanted: boolean, call: NamedCall): boolean {
  if (condition.kind === "not") return mayBe(condition.of, !wanted, call);
  if (condition.kind !== "fact") {
    const part = (of: Condition) => mayBe(of, wanted, call);
    return (condition.kind === "all") === wanted ? condition.of.every(part) : condition.of.some(part);
  }
  const { fact, test } = condition;
  const { in: names, ...others } = test;
  if (call.quiet && isAbsent(fact, names, call.quiet)) return isFalseOfNothing(test) !== wanted;
  if (names === undefined || Object.keys(others).length > 0) return true;
  switch (fact) {
    case "class":
      return names.includes(call.class) === wanted;
    case "tool":
      return isNamed(call.tools, names) === wanted;
    case "program":
      return !call.quiet || call.quiet.commands.some(({ program }) => isNamed([program], names) === wanted);
    case "verb":
      return !wanted || !call.quiet || call.quiet.commands.some((command) => mayHaveVerb(command, names));
    case "command":
      return !wanted || !call.quiet || call.quiet.commands.some((command) => mayMatch(command, names));
    default:
      return true;
  }
}

function isNamed(texts: readonly string[], patterns: readonly string[]): boolean {
  return patterns.some((name) => texts.some((text) => matchesText(name.toLowerCase(), text.toLowerCase())));
}

/** Facts that only some commands have. */
const OF_SOME: ReadonlySet<string> = new Set(["reads", "writes", "paths", "hosts", "sends", "ref", "target", "env"]);

/** True if a fact has no value in a quiet line, or `effect` none of these. */
function isAbsent(fact: FactName, effects: readonly string[] | undefined, { may }: QuietLine): boolean {
  if (may.size === 0 && fact === "effect") return true;
  if (fact === "effect") return effects !== undefined && ![...may].some((one) => isNamed([one], effects));
  return OF_SOME.has(fact) && !may.has(fact);
}

/** True if a test needs a value. */
function isFalseOfNothing({ in: some, notIn, matches, moreThan, lessThan, is }: Test): boolean {
  return (some ?? notIn ?? matches ?? moreThan ?? lessThan) !== undefined || is === true;
}

/** True if the first level of a verb may be that of a pattern, which may name more levels. */
function mayHaveVerb({ verb }: QuietCommand, patterns: readonly string[]): boolean {
  return verb === undefined || patterns.some((pattern) => matchesText(pattern.trim().split(/\s/)[0] ?? "", verb));
}

function mayMatch({ program, text }: QuietCommand, patterns: readonly string[]): boolean {
  if (text !== undefined) return patterns.some((pattern) => matchesText(pattern, text));
  return patterns.some((pattern) => {
    const start = pattern.slice(0, pattern.search(/[*?[\\]|$/));
    return `${program} `.startsWith(start) || start.startsWith(`${program} `);
  });
}
