import { resolve } from "node:path";
import { directoriesOf } from "../../cli/global-flags.ts";
import type { PlacedRule } from "../../config/rules/load-rules.ts";
import { policyFiles } from "../../engine/rules.ts";
import { type Place, placeOf } from "../../facts/place.ts";
import { type LoadedHookEntries, loadHookEntries } from "../../hooks/load-hooks.ts";
import { processEnv } from "../../lib/env.ts";
import { UsageError } from "../../lib/errors.ts";
import type { RulesInput } from "./rules-input.ts";

/** The rules and hooks that a command is about, and where calls would run. */
export interface LoadedRules extends LoadedHookEntries {
  place: Place;
}

/** Loads what the flags and the agent name, as `dispatch` does. */
export async function loadRulesFor(
  { flags }: Pick<RulesInput, "flags">,
  reference?: string,
  { withoutUser = false } = {},
): Promise<LoadedRules> {
  const directories = directoriesOf(flags);
  const cwd = resolve(".");
  const loaded = await loadHookEntries({ reference, flags, directories, cwd, notices: [], withoutUser });
  const place = placeOf({ cwd, env: processEnv(), directories, policy: policyFiles(loaded.rules, loaded.entries) });
  return { ...loaded, place };
}

/** The only argument of an action, if there is one. */
export function onlyAgent(action: string, words: readonly string[]): string | undefined {
  if (words.length > 1) throw new UsageError(`rules ${action} takes one agent, not ${words.length}`);
  return words[0];
}

/** The rules with the places where they are written. */
export function sourcesOf(rules: readonly PlacedRule[]): Promise<string[]> {
  return Promise.all(rules.map((rule) => rule.source()));
}
