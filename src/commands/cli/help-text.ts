import { isatty } from "node:tty";
import { type ArgsDef, renderUsage as renderCittyUsage } from "citty";
import { version } from "../../../package.json" with { type: "json" };
import { stripAnsi, wantsColor } from "../../lib/platform.ts";
import { COMMANDS } from "../index.ts";
import type { Command } from "./define-command.ts";
import type { FlagSpec, FlagSpecs } from "./flags.ts";
import { GLOBAL_FLAGS } from "./global-flags.ts";

/** Returns the text of `hooksh --help`: every verb with its summary. */
export async function renderOverview(): Promise<string> {
  const subCommands = Object.fromEntries(
    Object.entries(COMMANDS).map(([name, { summary }]) => [name, { meta: { name, description: summary } }]),
  );
  const text = await renderCittyUsage({
    meta: { name: "hooksh", version, description: "Runs AI agents, and hooks that decide what they may do" },
    args: toArgs(GLOBAL_FLAGS),
    subCommands,
  });
  return plain(text);
}

/** Returns the text of `hooksh VERB --help`: what the verb does, and all its flags. */
export async function renderUsage(verb: string, command: Command): Promise<string> {
  const meta = { name: `hooksh ${verb} ${command.positionals}`.trim(), version, description: command.description };
  const text = await renderCittyUsage({ meta, args: toArgs({ ...command.flags, ...GLOBAL_FLAGS }) });
  // citty puts the name and the version after the description; the usage line below it starts with the same name.
  return plain(text.replace(` (${meta.name} v${version})`, ""));
}

function toArgs(specs: FlagSpecs): ArgsDef {
  return Object.fromEntries(
    Object.entries<FlagSpec>(specs).map(
      ([name, spec]) =>
        [
          name,
          {
            type: spec.kind === "switch" ? "boolean" : "string",
            description: spec.choices ? `${spec.description}: ${spec.choices.join(", ")}` : spec.description,
            ...(spec.alias ? { alias: spec.alias } : {}),
            ...(spec.hint ? { valueHint: spec.hint } : {}),
          },
        ] as const,
    ),
  );
}

/** Strips colour codes if standard output is not a terminal or colours are turned off. */
function plain(text: string): string {
  return wantsColor() && isatty(1) ? text : stripAnsi(text);
}
