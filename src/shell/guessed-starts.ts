import { argumentKind } from "./argument-kind.ts";
import { isAssignment, isLauncher, MAX_CODE, programName, type Started } from "./launchers.ts";
import type { SimpleCommand, Word } from "./word.ts";

/**
 * Adds what programs without a rule of their own may start: an unknown program may be a launcher, so any word behind it
 * may be a program, and any text with blanks may be code.
 */
export function guessedStarts(words: readonly Word[], started: Started): Started {
  const texts = words.map(({ text }) => text);
  const kinds = started.programs.slice(0, MAX_PROGRAMS).map((at) => kindAt(words, texts, at));
  const anywhere = started.anywhere || kinds.includes("shell") || kinds.includes("source");
  const unknownAt = started.programs[kinds.indexOf("perhaps")];
  const opaque = started.opaque || words.some(isStartupFile);
  if (unknownAt === undefined) return { ...started, anywhere, opaque };
  const behind = words.flatMap((_word, at) => (at > unknownAt ? [at] : []));
  const code = words.slice(unknownAt + 1).filter(({ text, dynamic }) => !dynamic && /\s/.test(text));
  return {
    ...started,
    anywhere,
    opaque,
    programs: [...new Set([...started.programs, ...behind])],
    code: [...started.code, ...code.slice(0, MAX_CODE).map((word) => [word])],
  };
}

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
    if ((kind === "shell" || kind === "source") && rest.some(isStandardInput)) return true;
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

function isStandardInput(text: string): boolean {
  return text === "-" || text === "/dev/stdin";
}
