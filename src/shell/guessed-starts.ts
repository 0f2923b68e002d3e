import { argumentKind } from "./argument-kind.ts";
import { isAssignment, isLauncher, MAX_CODE, programName, type Started } from "./launchers.ts";
import { makeWord, type SimpleCommand, type Word } from "./word.ts";

/**
 * Adds what programs without a rule of their own may start: an unknown program may be a launcher, so any word behind it
 * may be a program, and any text with blanks may be code. `named` tells that an option may name a command.
 */
export function guessedStarts(words: readonly Word[], started: Started): Started & { named: boolean } {
  const texts = words.map(({ text }) => text);
  const kinds = started.programs.slice(0, MAX_PROGRAMS).map((at) => kindAt(words, texts, at));
  const anywhere = started.anywhere || kinds.some((kind) => kind === "shell" || kind === "source" || kind === "prose");
  const opaque = started.opaque || words.some(isStartupFile);
  const named = kinds.findIndex((kind) => kind === "perhaps" || kind === "named" || kind === "carried");
  const from = started.programs[named];
  if (from === undefined) return { ...started, anywhere, opaque, named: false };
  const isNamed = kinds[named] !== "perhaps";
  const behind = words.flatMap((_word, at) => (at > from ? [at] : []));
  const code = words.slice(from + 1).flatMap((word) => codeIn(word, isNamed));
  return {
    ...started,
    // With more texts than are read as code, the whole command counts as text.
    anywhere: anywhere || code.length > MAX_CODE,
    opaque,
    named: kinds[named] === "named",
    programs: [...new Set([...started.programs, ...behind])],
    code: [...started.code, ...code.slice(0, MAX_CODE).map((word) => [word])],
  };
}

/** The texts of an argument that may be code: the whole, and the values in `--option=value`, `-ovalue`, `TYPE:value`. */
function codeIn({ units, text, quoted, dynamic }: Word, isNamed: boolean): Word[] {
  const behind = units.flatMap((unit, at) => (unit === "=" || (isNamed && unit === ":") ? [at + 1] : []));
  return [0, ...(/^-\w./.test(text) ? [2] : []), ...behind].slice(0, MAX_VALUES).flatMap((from) => {
    const mark = /^[+:]?[!|]?/.exec(units.slice(from, from + 2).join(""))?.[0].length ?? 0;
    // A compiler takes a command's words between commas.
    const value = units.slice(from + mark).map((unit) => (isNamed && unit === "," && !/\s/.test(text) ? " " : unit));
    const isValue = isNamed && from > 0 && value.length > 0;
    return isValue || (!dynamic && value.some((unit) => /^\s$/.test(unit))) ? [makeWord(value, quoted)] : [];
  });
}

/** Values of one argument that may be code. */
const MAX_VALUES = 6;

/** Programs of one command whose kind is looked up. A command with more of them starts with an expansion. */
const MAX_PROGRAMS = 32;

/** How a program treats its arguments; undefined for an assignment, and if an expansion decides which program it is. */
function kindAt(words: readonly Word[], texts: readonly string[], at: number) {
  const word = words[at];
  const name = word && !isAssignment(word) ? programName(word) : undefined;
  return name === undefined ? undefined : argumentKind(name, texts, at);
}

/** Options whose values programs run as commands. */
const RUN_OPTION =
  /^--?(?:script-shell|shell|rsh|rsync-path|to-command|use-compress-program|checkpoint-action=exec|ssh-command|exec|command|eval)=/;

/** Code in options of any program: `tar --to-command='...'`. */
export function codeInAnyOption(words: readonly Word[]): string[] {
  return words.flatMap(({ text }) => {
    const option = RUN_OPTION.exec(text)?.[0];
    return option === undefined ? [] : [text.slice(option.length)];
  });
}

/** Programs with a language in which some lines run commands. */
const TEXT_READERS = /^(?:sqlite3?|duckdb|psql|mysql|mariadb|mailx?|mutt|sftp|ftp|lftp|telnet|gnuplot)$/;

/** True if a command may run a line of its standard input that is written in a certain way, such as `.shell rm x`. */
export function mayRunInput(words: readonly Word[], { programs }: Started): boolean {
  return programs.slice(0, MAX_PROGRAMS).some((at) => TEXT_READERS.test(programName(words[at]) ?? ""));
}

/** Programs that run the lines of their standard input, whatever their arguments. */
const LINE_READERS = /^(?:ssh|su|at|batch|crontab|ed|ex|tclsh|expect|gdb|osascript|pwsh|powershell|cmd)(?:\.exe)?$/;

/**
 * True if a command runs its standard input as code, and its input comes from a pipe or a file; or if `xargs` runs what it
 * reads.
 */
export function readsPipedCode(command: SimpleCommand, { programs, appends }: Started): boolean {
  const { words, fed, redirects } = command;
  if (words.some(isUnknownScript)) return true;
  const name = programName(words.at(-1));
  if (appends && programs.length > 1 && programs.includes(words.length - 1) && name !== undefined && isLauncher(name))
    return true;
  if (!fed && !redirects.some(({ operator }) => operator === "<")) return false;
  const texts = words.map(({ text }) => text);
  return programs.slice(0, MAX_PROGRAMS).some((at) => {
    if (LINE_READERS.test(programName(words[at]) ?? "")) return true;
    const kind = kindAt(words, texts, at);
    const rest = texts.slice(at + 1);
    if ((kind === "shell" || kind === "source") && rest.some((text) => text === "-" || text === "/dev/stdin"))
      return true;
    return kind === "source" && rest.every((text) => text.startsWith("-"));
  });
}

/** True for a script whose name an expansion decides: `ENV=<(...) sh`, `make -f <(...)`. */
function isUnknownScript(word: Word, at: number, words: readonly Word[]): boolean {
  if (!word.dynamic) return false;
  return isStartupFile(word) || (words[at - 1]?.text === "-f" && /^g?make$/.test(programName(words[0]) ?? ""));
}

/** True for an assignment of a file that shells run when they start. */
function isStartupFile(word: Word): boolean {
  return /^(?:BASH_)?ENV\+?=/.test(word.text.slice(0, 16));
}
