import { isatty } from "node:tty";
import { type ArgsDef, renderUsage as renderCittyUsage } from "citty";
import { stripAnsi, wantsColor } from "../lib/platform.ts";
import { COMMAND_GROUPS, type Command, type CommandRow } from "./define-command.ts";
import { type FlagSpec, type FlagSpecs, isListed } from "./flags.ts";
import { GLOBAL_FLAGS } from "./global-flags.ts";
import { type Paint, painter } from "./paint.ts";

/** On a wider terminal, lines are not longer. */
const WIDEST_LINE = 120;
/** The least number of columns for descriptions beside the flags; a narrower terminal has them below. */
const NARROWEST_TEXT = 30;
/** The indent of a description below its flag. */
const TEXT_INDENT = 6;

/**
 * Returns the text of `hooksh --help`: the ten commands to start with, and the names of the others; or of `hooksh help
 * --all`: every command with its summary, by group, and the flags of all commands.
 */
export async function renderOverview(
  commands: Readonly<Record<string, CommandRow>>,
  { all = false }: { all?: boolean } = {},
): Promise<string> {
  const paint = terminalPainter();
  const rows = Object.entries(commands).filter(([, { now }]) => now === undefined);
  const wide = Math.max(...rows.map(([name]) => name.length));
  const describeRow = ([name, { summary }]: (typeof rows)[number]) =>
    `  ${paint("cyan", name)}${" ".repeat(wide - name.length)}  ${summary}`;
  const [first, ...others] = Object.entries(COMMAND_GROUPS).map(([group, title]) => ({
    title,
    rows: rows.filter(([, row]) => row.group === group),
  }));
  const widest = Math.max(...others.map(({ title }) => title.length));
  const more = all
    ? others.map((group) => [paint("bold", group.title), ...group.rows.map(describeRow)])
    : [
        [
          paint("bold", "More commands"),
          ...others.map(
            (group) =>
              `  ${group.title}${" ".repeat(widest - group.title.length)}  ${group.rows.map(([name]) => paint("cyan", name)).join(", ")}`,
          ),
        ],
      ];
  const sections = [
    ["hooksh runs AI agents, and hooks that decide what they may do."],
    [`${paint("bold", "Usage")}: hooksh COMMAND [FLAGS]`],
    [paint("bold", first?.title ?? ""), ...(first?.rows ?? []).map(describeRow)],
    ...more,
    ...(all ? [[paint("bold", "Flags of every command"), ...(await flagLines(GLOBAL_FLAGS))]] : []),
    [
      "`hooksh help COMMAND` describes a command and its flags.",
      ...(all ? [] : ["`hooksh help --all` describes all commands and the flags that each has."]),
    ],
  ];
  return sections.map((lines) => lines.join("\n")).join("\n\n");
}

/** Returns the text of `hooksh VERB --help`: what the verb does, and all its flags, by group. */
export async function renderUsage(verb: string, command: Command): Promise<string> {
  const paint = terminalPainter();
  const groups = Object.entries({
    ...(command.flagGroups ?? { Flags: command.flags }),
    "Flags of every command": GLOBAL_FLAGS,
  }).filter(([, flags]) => Object.keys(flags).length > 0);
  const sections = [
    [`${paint("bold", "Usage")}: hooksh ${verb} ${command.positionals}`.trimEnd()],
    describe(command.description),
    ...(await Promise.all(groups.map(async ([title, flags]) => [paint("bold", title), ...(await flagLines(flags))]))),
  ];
  return sections.map((lines) => lines.join("\n")).join("\n\n");
}

function terminalPainter(): Paint {
  return painter(wantsTerminalColor());
}

function wantsTerminalColor(): boolean {
  return wantsColor() && isatty(1);
}

/** Returns the width for lines on the terminal; undefined if standard output is not a terminal. */
function terminalColumns(): number | undefined {
  return isatty(1) ? Math.min(WIDEST_LINE, process.stdout.columns || WIDEST_LINE) : undefined;
}

/** Returns the lines of a description, on a terminal fitted to its width. Indented lines stay as they are. */
function describe(description: string): string[] {
  const columns = terminalColumns();
  if (columns === undefined) return description.split("\n");
  return description
    .replace(/\n(?! )/g, " ")
    .split("\n")
    .flatMap((line) => (line.startsWith(" ") ? [line] : wrapWords(line, columns)));
}

/** Returns the rows of a table of flags, on a terminal fitted to its width. citty formats them, each table by itself. */
async function flagLines(specs: FlagSpecs): Promise<string[]> {
  const [, table = ""] = (await renderCittyUsage({ args: toArgs(specs) })).split(/OPTIONS\S*\n+/);
  const rows = table.split("\n").filter((row) => row.trim() !== "");
  return rows.flatMap((row) => wrapRow(wantsTerminalColor() ? row : stripAnsi(row)));
}

function toArgs(specs: FlagSpecs): ArgsDef {
  return Object.fromEntries(
    Object.entries<FlagSpec>(specs)
      .filter(([, spec]) => isListed(spec))
      .map(([name, { kind, alias, hint, choices, description }]) => [
        name,
        {
          type: kind === "switch" ? "boolean" : "string",
          description: choices ? `${description}: ${choices.join(", ")}` : description,
          ...(alias ? { alias } : {}),
          ...(hint ? { valueHint: hint } : {}),
        } as const,
      ]),
  );
}

/** Wraps the description in a row of citty's table: it follows the flag and at least four spaces. */
function wrapRow(row: string): string[] {
  const [, head = "", text = ""] = /^(\s*\S.*?\s{4,})(\S.*)$/.exec(row.trimEnd()) ?? [];
  const columns = terminalColumns();
  if (columns === undefined || text === "") return [row.trimEnd()];
  const width = stripAnsi(head).length;
  const beside = columns - width >= NARROWEST_TEXT;
  const indent = " ".repeat(beside ? width : TEXT_INDENT);
  const [first = "", ...rest] = wrapWords(text, Math.max(NARROWEST_TEXT, columns - indent.length));
  const start = beside ? [head + first] : [`  ${head.trim()}`, indent + first];
  return [...start, ...rest.map((line) => indent + line)];
}

/** Breaks a text between words into lines of at most `columns` characters; a longer word has a line of its own. */
function wrapWords(text: string, columns: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= columns) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
