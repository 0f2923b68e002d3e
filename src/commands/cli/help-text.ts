import { isatty } from "node:tty";
import { type ArgsDef, renderUsage as renderCittyUsage } from "citty";
import { version } from "../../../package.json" with { type: "json" };
import { stripAnsi, wantsColor } from "../../lib/platform.ts";
import { COMMANDS } from "../index.ts";
import type { Command } from "./define-command.ts";
import type { FlagSpec, FlagSpecs } from "./flags.ts";
import { GLOBAL_FLAGS } from "./global-flags.ts";

/** The text of `hooksh --help`: every verb with its summary. */
export async function renderOverview(): Promise<string> {
  const subCommands = Object.fromEntries(
    Object.entries(COMMANDS).map(([name, { summary }]) => [name, { meta: { name, description: summary } }]),
  );
  const text = await renderCittyUsage({
    meta: { name: "hooksh", version, description: "Runs AI agents and the hooks that keep them to rules" },
    args: toArgs(GLOBAL_FLAGS),
    subCommands,
  });
  return plain(text);
}

/** The text of `hooksh VERB --help`: what it does and every flag. */
export async function renderUsage(verb: string, command: Command): Promise<string> {
  const meta = { name: `hooksh ${verb} ${command.positionals}`.trim(), version, description: command.description };
  return plain(await renderCittyUsage({ meta, args: toArgs({ ...command.flags, ...GLOBAL_FLAGS }) }));
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

/** Without colour codes where standard output is no terminal or colours are not wanted. */
function plain(text: string): string {
  return wantsColor() && isatty(1) ? text : stripAnsi(text);
}
