import { resolve } from "node:path";
import { print, printError } from "../../cli/print.ts";
import { eventsOfRules, loadRules } from "../../config/rules/load-rules.ts";
import { parseDocument } from "../../config/yaml/document.ts";
import { askLine } from "../../hooks/trust-check.ts";
import type { Directories } from "../../lib/env.ts";
import { UsageError } from "../../lib/errors.ts";
import type { EventName } from "../../protocol/events.ts";
import { RULE_SETS } from "../../rules/include/rule-sets.ts";
import { unknownName } from "../../rules/read/reading.ts";
import { addIncludes, includedSets } from "./add-includes.ts";
import { type FilePlan, readHostFile } from "./host-plan.ts";
import { ownRulesFile } from "./policy.ts";

/**
 * Returns the ready-made sets that texts such as `git-safety,credentials` name, each once, with or without `builtin:`.
 * Throws a {@link UsageError} for a name that is none.
 */
export function namedSets(values: readonly string[]): string[] {
  const names = Object.keys(RULE_SETS());
  const words = values
    .flatMap((value) => value.split(","))
    .map((word) => word.trim().replace(/^builtin:/, ""))
    .filter((word) => word !== "");
  for (const word of words)
    if (!names.includes(word)) throw new UsageError(`--rules: ${unknownName("set of rules", word, names)}`);
  return [...new Set(words)];
}

/** Lists the ready-made sets at the terminal and asks which to add, until every name is one. No answer means none. */
export async function askForSets(signal: AbortSignal): Promise<string[]> {
  const sets = Object.entries(RULE_SETS());
  const wide = Math.max(...sets.map(([name]) => name.length));
  printError(
    [
      "No rules are in force. Ready-made sets:",
      ...sets.map(([name, { summary }]) => `  ${name.padEnd(wide)}  ${summary}`),
    ].join("\n"),
  );
  for (;;) {
    const answer = await askLine("Add which? Names with commas, or Enter for none: ", signal);
    try {
      return namedSets([answer ?? ""]);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      printError(error.message);
    }
  }
}

/** Returns the line that names the ready-made sets for a user without rules, who was not asked. */
export function setsHint(): string {
  return `note: no rules are in force; add ready-made sets with --rules NAME,...: ${Object.keys(RULE_SETS()).join(", ")}`;
}

/** The file that gets ready-made sets, and the events that its rules need then. */
export interface RulesPlan {
  plans: FilePlan[];
  events: ReadonlySet<EventName>;
}

/**
 * Plans the `include` entries of sets in the hooks file, else in a drop-in of the user. Says which are there already.
 * Throws a `ConfigError` or `UserError` if the file cannot get them.
 */
export async function planRules(
  sets: readonly string[],
  hooksFile: string | undefined,
  directories: Pick<Directories, "config">,
): Promise<RulesPlan> {
  const path = hooksFile === undefined ? ownRulesFile(directories) : resolve(hooksFile);
  const before = readHostFile(path);
  const present = await includedSets(before ?? "", path);
  const known = sets.filter((set) => present.includes(set));
  if (known.length > 0) await print(`${path} includes already: ${known.join(", ")}`);
  const added = sets.filter((set) => !present.includes(set));
  const after = added.length === 0 ? before : await addIncludes(before ?? "", path, added);
  const document = await parseDocument(after ?? "", path);
  const rules = await loadRules({ document, path: [], value: document.value });
  return { plans: before === after ? [] : [{ path, before, after }], events: eventsOfRules(rules) };
}
