import { join, resolve } from "node:path";
import type { Flags } from "../../cli/flags.ts";
import { directoriesOf, type GLOBAL_FLAGS } from "../../cli/global-flags.ts";
import { warn } from "../../cli/print.ts";
import { loadUserHooks } from "../../config/hooks/hook-sources.ts";
import { eventsOfRules, type PlacedRule } from "../../config/rules/load-rules.ts";
import { type Directories, processEnv } from "../../lib/env.ts";
import type { EventName } from "../../protocol/events.ts";

/** The hooks and rules that a registered command runs. */
export interface Policy {
  /** The events that have hooks or rules. */
  events: ReadonlySet<EventName>;
  /** The matchers of its hooks, each once. */
  matchers: readonly string[];
  rules: readonly PlacedRule[];
  /** The hooks file, absolute; absent for the user's own hooks alone. */
  hooksFile?: string;
}

/**
 * Loads the hooks that `hooksh dispatch` would run: the user's own, and those of the hooks file. Throws a `ConfigError`
 * if any is broken.
 */
export async function loadPolicy(file: string | undefined, directories: Directories, project: string): Promise<Policy> {
  const hooksFiles = file === undefined ? [] : [resolve(project, file)];
  const { entries, rules } = await loadUserHooks({ directories, warn, hooksFiles, cwd: project });
  const [hooksFile] = hooksFiles;
  return {
    events: new Set([...entries.map(({ event }) => event), ...eventsOfRules(rules)]),
    matchers: [...new Set(entries.map(({ matcher }) => matcher))],
    rules,
    ...(hooksFile === undefined ? {} : { hooksFile }),
  };
}

/** Returns the directories that the user chose. Registered commands name them, because the host may lack the variables. */
export function chosenDirectories(flags: Flags<typeof GLOBAL_FLAGS>): Record<string, string> {
  const directories = directoriesOf(flags);
  const env = processEnv();
  return Object.fromEntries(
    (["config", "data", "cache"] as const).flatMap((kind) => {
      const isChosen = flags[`${kind}-dir`] || env[`HOOKSH_${kind.toUpperCase()}_DIR`];
      return isChosen ? [[`${kind}-dir`, directories[kind]]] : [];
    }),
  );
}

/** The file in `hooks.d` that `install --rules` writes for a user without a hooks file. */
export function ownRulesFile({ config }: Pick<Directories, "config">): string {
  return join(config, "hooks.d", "rules.yaml");
}
