import { EXIT_CODES, UsageError } from "../lib/errors.ts";
import { type CommandInput, defineCommand } from "./cli/define-command.ts";
import type { FlagSpecs } from "./cli/flags.ts";
import { directoriesOf } from "./cli/global-flags.ts";
import { print } from "./cli/print.ts";
import { hostStatus } from "./hosts/host-status.ts";
import { currentPlace, HOST_IDS, namedHost } from "./hosts/named-host.ts";
import { renderStatus } from "./render/status-text.ts";

const FLAGS = { json: { kind: "switch", description: "Print JSON" } } as const satisfies FlagSpecs;

/** `hooksh status`: shows in which agents hooksh is registered, and whether it is in force there. */
export const command = defineCommand({
  positionals: "[HOST]",
  description:
    "Prints where hooksh is registered, for one agent or for all: in which files, for which events, which of the agent's\n" +
    "settings keep hooks from running, and when the agent called hooksh last for each event. Reads only. Exits 1 if a\n" +
    "registration is broken or muted, or if the agent ran tool calls that it did not ask about; for one agent also if\n" +
    "hooksh is not registered there.",
  flags: FLAGS,
  async run({ flags, positionals }: CommandInput<typeof FLAGS>) {
    if (positionals.length > 1) throw new UsageError(`status takes one host, not ${positionals.length}`);
    const [name] = positionals;
    const [place, directories] = [currentPlace(), directoriesOf(flags)];
    const hosts = name === undefined ? HOST_IDS : [namedHost(name)];
    const found = [];
    for (const host of hosts) found.push(await hostStatus(host, place, directories));
    const shown = name === undefined ? found.filter(({ state }) => state !== "absent") : found;
    await print(flags.json ? JSON.stringify(shown) : renderStatus(shown, Date.now()));
    const isGood = shown.every(
      ({ state, warnings }) => (state === "seen" || state === "unseen") && warnings.length === 0,
    );
    return isGood ? EXIT_CODES.ok : EXIT_CODES.failed;
  },
});
