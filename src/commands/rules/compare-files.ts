import { print } from "../../cli/print.ts";
import type { PlacedRule } from "../../config/rules/load-rules.ts";
import { readDocument } from "../../config/yaml/document.ts";
import { UsageError } from "../../lib/errors.ts";
import { isObject } from "../../lib/json.ts";
import { type Change, type Comparison, compareRules } from "../../rules/prove/compare.ts";
import { type LoadedRules, loadRulesFor } from "./load-rules.ts";
import { proverAt, shownWitness } from "./prove-rules.ts";
import type { RulesInput } from "./rules-input.ts";
import { folded } from "./rules-text.ts";

const EXIT = { same: 0, weaker: 2, undecided: 3 } as const;

/** `hooksh rules compare`: what one file stops and the other does not. */
export async function compareFiles(input: RulesInput, words: readonly string[]): Promise<number> {
  const [old, now, ...rest] = words;
  if (old === undefined || now === undefined || rest.length > 0)
    throw new UsageError("rules compare takes two files: OLD NEW");
  const [before, after] = [await rulesIn(old, input), await rulesIn(now, input)];
  const comparison = await compareRules(before.rules, after.rules, proverAt(before.place));
  await print(input.flags.json ? JSON.stringify(comparison, undefined, 2) : rendered(comparison));
  if (comparison.weaker.length > 0) return EXIT.weaker;
  return comparison.undecided.length > 0 ? EXIT.undecided : EXIT.same;
}

const ALONE = { withoutUser: true };

/** The rules of one file, without those of the user. */
async function rulesIn(file: string, { flags }: RulesInput): Promise<LoadedRules & { rules: readonly PlacedRule[] }> {
  const { value } = await readDocument(file);
  if (isObject(value) && "agents" in value) return loadRulesFor({ flags: { ...flags, "hooks-file": [] } }, file, ALONE);
  return loadRulesFor({ flags: { ...flags, "hooks-file": [file] } }, undefined, ALONE);
}

function rendered({ weaker, stronger, undecided }: Comparison): string {
  const shown = (title: string, changes: readonly Change[]): string[] =>
    changes.map(
      ({ rule, old, new: now, witness }) => `${title}: ${rule}: ${old} became ${now}\n${shownWitness(witness)}`,
    );
  const lines = [
    ...shown("weaker", weaker),
    ...shown("stronger", stronger),
    ...undecided.map((name) => `undecided:\n${folded(name)}`),
  ];
  return lines.length > 0 ? lines.join("\n") : "the same calls are stopped";
}
