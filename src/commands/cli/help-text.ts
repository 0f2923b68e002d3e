import { isatty } from "node:tty";
import { type ArgsDef, renderUsage as renderCittyUsage } from "citty";
import { version } from "../../../package.json" with { type: "json" };
import { stripAnsi, wantsColor } from "../../lib/platform.ts";
import { painter } from "../render/paint.ts";
import { COMMAND_GROUPS, type Command, type CommandRow } from "./define-command.ts";
import type { FlagSpec, FlagSpecs } from "./flags.ts";
import { GLOBAL_FLAGS } from "./global-flags.ts";

/** Returns the text of `hooksh --help`: every verb with its summary, by group, and the flags of all verbs. */
export function renderOverview(commands: Readonly<Record<string, CommandRow>>): string {
  const paint = painter(wantsColor() && isatty(1));
  const rows = Object.entries(commands);
  const wide = Math.max(...rows.map(([name]) => name.length));
  const groups = Object.entries(COMMAND_GROUPS).map(([group, title]) => [
    paint("bold", title),
    ...rows
      .filter(([, row]) => row.group === group)
      .map(([name, { summary }]) => `  ${paint("cyan", name)}${" ".repeat(wide - name.length)}  ${summary}`),
  ]);
  const sections = [
    ["hooksh runs AI agents, and hooks that decide what they may do."],
    [`${paint("bold", "Usage")}: hooksh COMMAND [FLAGS]`],
    ...groups,
    [paint("bold", "Flags of every command"), ...flagLines(GLOBAL_FLAGS)],
    ["`hooksh help COMMAND` describes a command and its flags."],
  ];
  return sections.map((lines) => lines.join("\n")).join("\n\n");
}

function flagLines(specs: FlagSpecs): string[] {
  const names = Object.entries<FlagSpec>(specs).map(([name, { alias, hint }]) => {
    const short = alias ? `-${alias}, ` : "    ";
    return `${short}--${name}${hint ? ` ${hint}` : ""}`;
  });
  const wide = Math.max(...names.map((name) => name.length));
  return Object.values<FlagSpec>(specs).map(
    ({ description }, at) => `  ${(names[at] ?? "").padEnd(wide)}  ${description}`,
  );
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
