import { resolve } from "node:path";
import { type CommandInput, defineCommand } from "../cli/define-command.ts";
import type { FlagSpecs } from "../cli/flags.ts";
import { directoriesOf } from "../cli/global-flags.ts";
import { print, warn } from "../cli/print.ts";
import { currentPlace, HOST_IDS, namedHost } from "../hosts/registration/named-host.ts";
import { type Drift, type HostDrift, hostDrift } from "../hosts/translation/host-drift.ts";
import { EXIT_CODES, UsageError } from "../lib/errors.ts";
import { escapeControls } from "../lib/text/escape-controls.ts";

const FLAGS = {
  file: {
    kind: "value",
    hint: "HOOKS",
    description: "Hooks file to compare with (default: the one that is registered)",
  },
  json: { kind: "switch", description: "Print JSON" },
} as const satisfies FlagSpecs;

/** `hooksh diff`: shows where the configuration of other agents differs from the hooks. */
export const command = defineCommand({
  positionals: "[HOST]",
  description:
    "Compares your hooks with the files of an agent, or of every agent in which hooksh is registered. Lists events that are not\n" +
    "registered, entries that were changed, that no hook needs or that cannot work, and hooks of the agent that your hooks lack,\n" +
    "or that run twice. Reads only. Exits 0 if nothing differs, and 1 otherwise.",
  flags: FLAGS,
  run: runDiff,
});

async function runDiff({ flags, positionals }: CommandInput<typeof FLAGS>): Promise<number> {
  const [name, ...rest] = positionals;
  if (rest.length > 0) throw new UsageError(`diff takes one host, not ${positionals.length}`);
  const context = {
    place: currentPlace(),
    directories: directoriesOf(flags),
    hooksFile: flags.file === undefined ? undefined : resolve(flags.file),
    warn,
  };
  const found: HostDrift[] = [];
  for (const host of name === undefined ? HOST_IDS : [namedHost(name)]) found.push(await hostDrift(host, context));
  const compared = name === undefined ? found.filter(({ registered }) => registered) : found;
  await print(flags.json ? JSON.stringify(compared, undefined, 2) : textOf(compared));
  return compared.some(({ drift }) => drift.length > 0) ? EXIT_CODES.failed : EXIT_CODES.ok;
}

const WORDS: Readonly<Record<Drift["kind"], string>> = {
  lost: "not as installed",
  missing: "missing",
  changed: "changed",
  unneeded: "not needed",
  broken: "broken",
  unknown: "unknown hook",
  twice: "runs twice",
};

function textOf(compared: readonly HostDrift[]): string {
  if (compared.length === 0) return "hooksh is not registered in any agent";
  const lines = compared.flatMap(({ host, drift }) =>
    drift.length === 0
      ? [`${host}: no difference`]
      : drift.map(({ kind, place, message }) => escapeControls(`${place}: ${WORDS[kind]}: ${message}`)),
  );
  return lines.join("\n");
}
