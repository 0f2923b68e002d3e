import { isatty } from "node:tty";
import { wantsColor } from "../../lib/platform.ts";
import { type Paint, painter } from "../render/paint.ts";
import { COMMAND_GROUPS, type Command, type CommandRow } from "./define-command.ts";
import { type FlagSpec, type FlagSpecs, flagUsage } from "./flags.ts";
import { GLOBAL_FLAGS } from "./global-flags.ts";

/** The widest name of a flag that has its description beside it; a longer one has it on the next line. In columns. */
const WIDEST_NAME = 30;
/** On a wider terminal, lines are not longer. */
const WIDEST_LINE = 120;
/** The least number of columns for descriptions, however narrow the terminal is. */
const NARROWEST_TEXT = 30;

/** Returns the text of `hooksh --help`: every verb with its summary, by group, and the flags of all verbs. */
export function renderOverview(commands: Readonly<Record<string, CommandRow>>): string {
  const paint = terminalPainter();
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
    [paint("bold", "Flags of every command"), ...flagLines(GLOBAL_FLAGS, paint)],
    ["`hooksh help COMMAND` describes a command and its flags."],
  ];
  return sections.map((lines) => lines.join("\n")).join("\n\n");
}

/** Returns the text of `hooksh VERB --help`: what the verb does, and all its flags, by group. */
export function renderUsage(verb: string, command: Command): string {
  const paint = terminalPainter();
  const groups = Object.entries(command.flagGroups ?? { Flags: command.flags });
  const sections = [
    [`${paint("bold", "Usage")}: hooksh ${verb} ${command.positionals}`.trimEnd()],
    describe(command.description),
    ...groups.flatMap(([title, flags]) =>
      Object.keys(flags).length === 0 ? [] : [[paint("bold", title), ...flagLines(flags, paint)]],
    ),
    [paint("bold", "Flags of every command"), ...flagLines(GLOBAL_FLAGS, paint)],
  ];
  return sections.map((lines) => lines.join("\n")).join("\n\n");
}

function terminalPainter(): Paint {
  return painter(wantsColor() && isatty(1));
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

function flagLines(specs: FlagSpecs, paint: Paint): string[] {
  const rows = Object.entries<FlagSpec>(specs).map(([name, spec]) => ({
    name: `${spec.alias ? `-${spec.alias}, ` : "    "}${flagUsage(name, spec)}`,
    text: spec.choices ? `${spec.description}: ${spec.choices.join(", ")}` : spec.description,
  }));
  const wide = Math.min(WIDEST_NAME, Math.max(...rows.map(({ name }) => name.length)));
  const indent = " ".repeat(wide + 4);
  const room = (terminalColumns() ?? Number.POSITIVE_INFINITY) - indent.length;
  return rows.flatMap(({ name, text }) => {
    const [first = "", ...rest] = wrapWords(text, Math.max(NARROWEST_TEXT, room));
    const head = `  ${paint("cyan", name)}`;
    const start = name.length > wide ? [head, indent + first] : [`${head}${" ".repeat(wide - name.length)}  ${first}`];
    return [...start, ...rest.map((line) => indent + line)];
  });
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
