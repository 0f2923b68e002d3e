/**
 * Shell command lines: which commands a line may run, which paths it touches, and how dangerous it is. It runs
 * nothing and reads no file.
 *
 * @packageDocumentation
 */
import { codeInEvaluated, exceedsItsName } from "./evaluated.ts";
import { codeInAnyOption, guessedStarts, mayRunInput, readsPipedCode } from "./guessed-starts.ts";
import { codeInOptions, codeInVariables } from "./hidden-code.ts";
import { isAssignment, programName, type Started, startedBy } from "./launchers.ts";
import { isRenamed, noteRenamed } from "./renamed.ts";
import { parseCommandLine } from "./scan-commands.ts";
import type { ParsedLine } from "./scan-state.ts";
import { mayVanish } from "./scan-word.ts";
import { splitCommands } from "./split-commands.ts";
import { outputOf, Variables } from "./variables.ts";
import { ANY_TEXT, ANY_WORDS, isMark, MORE_WORDS, type SimpleCommand, type Unit, type Word } from "./word.ts";

/** The blank between two words. */
export const BLANK: Unit = "blank";
/** The blank between two words of which one may expand to nothing. */
export const SOFT_BLANK: Unit = "soft blank";
/** A redirection that can create or change a file; its first character is `>`. */
export const WRITE: Unit = "write";

/** One command as a forbidding rule sees it, as far as it is known before it runs. */
export interface Running {
  /** The words with {@link BLANK} between them, then the redirections. */
  units: readonly Unit[];
  /** Indexes of `units` at which a program may start. */
  starts: ReadonlySet<number>;
  /** Indexes of `units` after which the command may end. */
  ends: ReadonlySet<number>;
  /** True if an expansion decides which program runs. */
  unknownProgram: boolean;
}

/** A command line as permission rules see it. */
export interface CommandLine {
  /**
   * The simple commands with their assignments and redirections, for rules that allow: the shell runs exactly these.
   * Undefined if that is not certain.
   */
  commands: readonly (readonly Unit[])[] | undefined;
  /** Everything that may run, for rules that forbid. The first entry is the whole line. */
  running: readonly Running[];
  /** True if the shell may run something that the grammar does not show. */
  opaque: boolean;
}

/** The language of a shell; see {@link readCommandLine}. */
export type ShellDialect = "posix" | "other";

/** Linux passes no longer text to a shell as one argument, so no honest command line is longer. */
export const LENGTH_LIMIT = 131_072;
/** Limit for reading nested code, as a multiple of the line's length; what is beyond it counts as text. */
const CODE_BUDGET = 4;

/**
 * Reads a command line for permission rules, in time linear in its length. In a shell that is not like sh (PowerShell,
 * cmd.exe, csh), only a line of plain words is exact, and every line also counts as text.
 */
export function readCommandLine(text: string, dialect: ShellDialect): CommandLine {
  const running: Running[] = [asOne(text)];
  const found: Collection = { running, left: CODE_BUDGET * text.length, renamed: new Set() };
  const { exact, opaque, commands } = collect(text, found);
  if (/\w=/.test(text)) collect(text, found, new Variables(text.length));
  const isPlain = dialect === "posix" || /^[\w ./:-]*$/.test(text);
  // PowerShell and cmd.exe escape with other characters.
  if (opaque || !isPlain) running.push(asText(dialect === "other" ? text.replace(/[\^`]/g, "") : text));
  const isExact = exact && isPlain && text.length <= LENGTH_LIMIT;
  return { opaque, commands: isExact ? commands.map(unitsOf).filter((units) => units.length > 0) : undefined, running };
}

/** The commands found so far, and the number of characters of nested code that may still be read. */
interface Collection {
  running: Running[];
  left: number;
  /** Names that the line redefines; undefined if it may redefine any name. */
  renamed: Set<string | undefined>;
}

/** Adds what a text of code runs. With `variables`, expansions whose values the text shows are replaced. */
function collect(
  text: string,
  found: Collection,
  variables?: Variables,
): Pick<ParsedLine, "exact" | "opaque" | "commands"> {
  const line = parseCommandLine(text, variables);
  let { exact } = line;
  let opaque = line.opaque || runsWrittenFile(line.commands);
  noteRenamed(line.commands, found.renamed);
  for (const command of line.commands) {
    const started = guessedStarts(command.words, startedBy(command.words, mayVanish));
    opaque ||= started.opaque;
    found.running.push(runningOf(command, started));
    if (mayRunInput(command.words, started))
      found.running.push(asText([...input(command), fedText(command)].join(" ")));
    if (started.anywhere)
      found.running.push(asText([...command.words.map(({ text }) => text), ...input(command)].join(" ")));
    if (isUnknown(command, started) || isRenamed(command, found.renamed)) found.running.push(UNKNOWN);
    const hidden = codeInWords(command, started);
    if (hidden.length > 0 || exceedsItsName(command.words, started.programs) || started.named) exact = false;
    for (const code of [
      ...started.code.map((words) => words.map(({ text }) => text).join(" ")),
      ...(started.reads ? input(command) : []),
      ...codeInVariables(command.words),
      ...hidden,
    ]) {
      found.left -= code.length;
      if (found.left < 0) return { exact: false, opaque: true, commands: [] };
      if (collect(code, found, variables).opaque) opaque = true;
    }
  }
  return { exact, opaque, commands: line.commands };
}

/** True if the command runs code that depends on an expansion or on input, so that it can be any code. */
function isUnknown(command: SimpleCommand, started: Started): boolean {
  const { code, programs, reads, replaced } = started;
  if (readsPipedCode(command, started)) return true;
  if (code.some((words) => words.some(({ dynamic }) => dynamic))) return true;
  const run = [...code.flat(), ...programs.map((at) => command.words[at] as Word)];
  if (run.some((word) => replaced.some((text) => word.text.includes(text)))) return true;
  return reads && input(command).length === 0;
}

/** Code in options of programs, and in words that builtins evaluate. */
function codeInWords({ words }: SimpleCommand, { programs }: Started): string[] {
  const names = programs.map((at) => programName(words[at]));
  return [
    ...codeInAnyOption(words),
    ...codeInEvaluated(words, names),
    ...codeInOptions(
      names,
      words.map(({ text }) => text),
    ),
  ];
}

/** True if the line runs a file by its path that an earlier command of it names, and so may have written. */
function runsWrittenFile(commands: readonly SimpleCommand[]): boolean {
  const named = new Set<string>();
  return commands.some(({ words, redirects }) => {
    const program = words.find((word) => !isAssignment(word))?.text ?? "";
    const runs = program.includes("/") && named.has(baseName(program));
    for (const { text } of [...words, ...redirects.map(({ target }) => target)]) named.add(baseName(text));
    return runs;
  });
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The text that a pipe passes to a command, as far as the line shows it. */
function fedText({ fed }: SimpleCommand): string {
  return (fed && outputOf(fed)) ?? "";
}

/** The texts that redirections pass to a command's standard input. */
function input({ redirects }: SimpleCommand): string[] {
  return redirects.flatMap(
    ({ operator, target, document }) => document ?? (operator === "<<<" && !target.dynamic ? target.text : []),
  );
}

const UNKNOWN: Running = { units: [ANY_WORDS], starts: new Set([0]), ends: new Set([1]), unknownProgram: true };

/**
 * Assignments, words and redirections as one list of units, without redirections that store nothing (`2>/dev/null`).
 */
function unitsOf({ words, redirects }: SimpleCommand): Unit[] {
  const kept = redirects.filter(({ writes, operator }) => writes || !operator.includes(">"));
  return [...words.flatMap(({ units }, at) => (at === 0 ? units : [BLANK, ...units])), ...kept.flatMap(redirectUnits)];
}

function redirectUnits({ operator, target, writes }: SimpleCommand["redirects"][number]): Unit[] {
  return [
    BLANK,
    ...(writes ? [WRITE, ...operator.slice(operator.indexOf(">") + 1)] : operator),
    BLANK,
    ...target.units,
  ];
}

function runningOf(command: SimpleCommand, started: Started): Running {
  const units: Unit[] = [];
  const starts = new Set<number>();
  const programs = new Set(started.programs);
  const vanishing = command.words.map(mayVanish);
  command.words.forEach((word, at) => {
    if (at > 0) units.push(vanishing[at] || vanishing[at - 1] ? SOFT_BLANK : BLANK);
    const from = units.length;
    units.push(...word.units);
    if (!programs.has(at)) return;
    starts.add(from);
    for (let index = from; index < units.length; index++) {
      // The name without its directory; zsh finds a program by =name.
      if (units[index] === "/" || (units[index] === "=" && index === from)) starts.add(index + 1);
    }
  });
  if (started.appends) units.push(MORE_WORDS);
  const ends = new Set([units.length]);
  units.push(...command.redirects.flatMap(redirectUnits));
  ends.add(units.length);
  const unknownProgram = started.programs.some((at) => (command.words[at] as Word).dynamic);
  return { units, starts, ends, unknownProgram };
}

/** A character that can belong to a program's name. */
const NAME = /^[\w\u0080-\u{10ffff}]$/u;
const isNamePart = (unit: Unit | undefined): boolean => unit !== undefined && (isMark(unit) || NAME.test(unit));

function wordStarts(units: readonly Unit[]): number[] {
  return units.flatMap((_unit, at) => (isNamePart(units[at - 1]) ? [] : [at]));
}

function wordEnds(units: readonly Unit[]): number[] {
  return [...units.flatMap((unit, at) => (isNamePart(unit) ? [] : [at])), units.length];
}

/** Expansions that are a part of a word. */
const INSIDE_WORD = /(?<=\w)(?:\$\w+|\$\{\w+\}|[*?]|\[[^\]\s]*\])|(?:\$\{\w+\}|[*?]|\[[^\]\s]*\])(?=\w)/g;

/** The line as text without quotes and escapes, in which a command may start after any separator of words. */
function asText(text: string): Running {
  const { commands } = splitCommands(text);
  const pieces = commands.flat().join(" ").split(INSIDE_WORD);
  const units = pieces.flatMap((piece, at) => [
    ...(at > 0 ? [ANY_TEXT] : []),
    ...spread(piece.replace(/[\s{},=\\]+/g, " ")),
  ]);
  return { units, starts: new Set(wordStarts(units)), ends: new Set(wordEnds(units)), unknownProgram: false };
}

/** The whole line as one command, for patterns that span commands, such as `curl * | sh`. */
function asOne(text: string): Running {
  const plain = text
    .replace(/\\\n|[\\'"]/g, "")
    .trim()
    .replace(/(?<=\s)\d+(?=[<>])/g, "")
    .replace(/[<>;&|]+/g, " $& ")
    .replace(/\s+/g, " ");
  const units = spread(plain.trim());
  return { units, starts: new Set([0]), ends: new Set([units.length]), unknownProgram: false };
}

function spread(text: string): Unit[] {
  return Array.from(text, (unit) => (unit === " " ? BLANK : unit));
}
