import { type Reading, visitCommands } from "../destructive.ts";
import { isAssignment, isLauncher, programName } from "../launchers.ts";
import { findCalls, startedText } from "../other-languages.ts";
import { outputOf, Variables } from "../variables.ts";
import { type CommandRange, type SimpleCommand, SPLIT, type Word } from "../word.ts";
import { expandAlternatives, pathText, UNKNOWN } from "./path-text.ts";
import {
  changesKnownPaths,
  expressionTest,
  type FileTest,
  type FileTests,
  FOUND,
  readFind,
  readGit,
  type Target,
  targetsOf,
} from "./program-paths.ts";
import { DELETES_TREES, literalsIn, pathsOf, WRITE_CALLS } from "./source-paths.ts";
import { joinPath, WorkingDirectories } from "./working-directory.ts";

/** What a line may do to a path, and the program or operator that does it. Relative paths start where the line does. */
export type Touch = Target & { by: string };

/** A program that a line runs, with what surrounds it. */
export interface ProgramStep {
  /** Lower case, without its directory; undefined where an expansion decides. */
  name: string | undefined;
  /** As spelled. */
  program: string;
  args: readonly string[];
  /** Variables assigned for it, or by it: `X=1 cmd`, `env X=1 cmd`, `export X=1`. */
  assigns: readonly (readonly [name: string, value: string])[];
  /** Words of the commands whose output it takes as arguments. */
  origins: readonly string[];
  /** Where it may run. */
  directories: readonly string[];
}

/** The files that a line may change. */
export interface TouchedPaths {
  touches: readonly Touch[];
  steps: readonly ProgramStep[];
  /** False if the line is too long or too deep to read all of it. */
  complete: boolean;
}

/** What {@link readTouchedPaths} knows beside the line. */
export interface TouchOptions {
  /** Variables of the shell that the line may use. */
  env: Readonly<Record<string, string>>;
  /** True if a path, relative to where the line starts, is a directory. */
  isDirectory: (path: string) => boolean;
}

/** Room for the values of variables, in characters, besides a multiple of the line's length. */
const VALUE_ROOM = 16_384;
const VALUE_FACTOR = 8;
/** With more of them, a line counts as not read to its end. */
const MAX_TOUCHES = 16_384;

/** Finds the files that a command line may create, change, move or remove, and the programs that it runs. */
export function readTouchedPaths(line: string, { env, isDirectory }: TouchOptions): TouchedPaths {
  const variables = new Variables(VALUE_FACTOR * line.length + VALUE_ROOM, { keepsPatterns: true });
  for (const [name, value] of Object.entries(env))
    if (value.length < 4096 && line.includes(name)) variables.set(name, [...value]);
  const collector = new Collector(new WorkingDirectories(isDirectory));
  const complete = visitCommands(line, variables, (reading) => collector.add(reading));
  const { touches, steps } = collector;
  return { touches, steps, complete: complete && touches.length < MAX_TOUCHES };
}

/** Files of which the line says only where they are: `find D -name X`, `$(ls D)`. */
interface Found {
  directories: readonly string[];
  tests: FileTests;
}

class Collector {
  readonly touches: Touch[] = [];
  readonly steps: ProgramStep[] = [];
  readonly #directories: WorkingDirectories;
  /** Targets that only an expansion names, and where; a loop may read them from what is redirected to its end. */
  readonly #unnamed: { target: Target; by: string; directories: readonly string[] }[] = [];
  /** By depth of nested code: the files that a command passes to the code in it. */
  readonly #found: (Found | undefined)[] = [];

  constructor(directories: WorkingDirectories) {
    this.#directories = directories;
  }

  add(reading: Reading): void {
    if (this.touches.length >= MAX_TOUCHES) return;
    const { command, code, started, names } = reading;
    const { depth } = code;
    const { words, redirects } = command;
    const here = this.#directories.enter(
      command,
      names.find((name) => name !== undefined),
      depth,
    );
    const directories = changedBy(words).reduce<readonly string[]>(
      (all, path) => all.map((directory) => joinPath(directory, path)),
      here,
    );
    const found = this.#foundBy(reading) ?? this.#found[depth - 1];
    this.#found.length = depth;
    this.#found[depth] = found;
    for (const { target, writes, operator } of redirects) {
      const read = words.length === 0 && operator === "<" && target.inner ? foundIn(target.inner) : undefined;
      if (read)
        for (const one of this.#unnamed.splice(0)) this.#put(one.target, one.by, undefined, one.directories, read);
      if (writes && !command.arithmetic)
        this.#put({ kind: "path", path: pathText(target) }, operator, target, here, found);
    }
    const texts = words.map(pathText);
    const appended = started.appends ? appendedTo(reading) : [];
    for (const at of programsOf(reading)) {
      const word = words[at] as Word;
      if (isAssignment(word)) continue;
      const args = [...texts.slice(at + 1), ...appended];
      const behind = words.slice(at + 1);
      this.#addProgram(reading, { word, args, behind, directories, found });
    }
    this.#addSource(reading, directories);
    setPositionals(reading, appended);
  }

  #addProgram(
    { command, given }: Reading,
    {
      word,
      args,
      behind,
      directories,
      found,
    }: {
      word: Word;
      args: string[];
      behind: readonly Word[];
      directories: readonly string[];
      found: Found | undefined;
    },
  ): void {
    const inputs = command.redirects.flatMap(({ operator, target }) => (operator === "<" ? [pathText(target)] : []));
    const origins = behind.flatMap(({ inner }) => (inner ? wordsIn(inner) : []));
    for (const name of namesOf(word)) {
      const program = pathText(word);
      this.steps.push({ name, program, args, assigns: assignedIn(command), origins, directories });
      if (name !== undefined && isLauncher(name)) continue;
      const targets: readonly Target[] =
        name === undefined ? args.map((path) => ({ kind: "tree", path })) : targetsOf({ name, args, inputs, given });
      for (const target of targets) {
        const source = behind.find((one) => pathText(one) === target.path);
        this.#put(target, name ?? program, source, directories, found);
      }
    }
  }

  /** Records a target in every possible working directory, and expands its wildcards. */
  #put(
    target: Target,
    by: string,
    word: Word | undefined,
    directories: readonly string[],
    found: Found | undefined,
  ): void {
    const deep = target.kind === "tree" || target.kind === "copy";
    const origin = word?.inner && target.path.includes(UNKNOWN) ? foundIn(word.inner) : undefined;
    if (target.path === UNKNOWN && !origin && !found) this.#unnamed.push({ target, by, directories });
    const files = target.path.includes(FOUND) || target.path === UNKNOWN ? (origin ?? found) : origin;
    for (const directory of directories) {
      if (files) {
        for (const path of files.directories)
          this.touches.push({ kind: "found", path: joinPath(directory, path), tests: files.tests, deep, by });
      }
      for (const path of expandAlternatives(target.path)) {
        const at = joinPath(directory, path);
        if (target.kind === "copy") {
          for (const from of expandAlternatives(target.from))
            this.touches.push({ ...target, by, path: at, from: joinPath(directory, from) });
        } else if (target.kind === "patch") {
          const names = target.files.map((file) => joinPath(directory, file));
          this.touches.push({ ...target, by, path: at, files: names });
        } else if (target.kind === "repository" && target.operand !== undefined)
          this.touches.push({ ...target, by, path: at, operand: joinPath(directory, target.operand) });
        else this.touches.push({ ...target, by, path: at });
      }
    }
  }

  /** The texts in code of another language that are paths, if it writes or deletes; and the commands that it starts. */
  #addSource({ carrier, texts, given }: Reading, directories: readonly string[]): void {
    if (carrier?.kind !== "source" || /^g?sed$/.test(carrier.name)) return;
    const sources = [...texts.slice(carrier.at + 1).filter((text) => /[\s(;!]/.test(text)), ...given];
    for (const source of sources) {
      const literals = literalsIn(source);
      const isAwk = carrier.name.endsWith("awk");
      const starts = startedText(carrier.name, source) !== undefined;
      if (!(isAwk ? />|\binplace\b/ : WRITES).test(source) && findCalls(source).length === 0 && !starts) continue;
      const deep = DELETES_TREES.test(source) || starts;
      for (const path of pathsOf(literals)) {
        for (const directory of directories)
          this.touches.push({ kind: deep ? "tree" : "path", path: joinPath(directory, path), by: carrier.name });
      }
      if (!starts) continue;
      for (const line of [...literals.filter((text) => /\s/.test(text)), literals.join(" ")])
        this.#addNested(line, directories);
    }
  }

  /** Adds what a command line in code of another language touches. */
  #addNested(line: string, directories: readonly string[]): void {
    const inner = readTouchedPaths(line, { env: {}, isDirectory: () => false });
    this.steps.push(...inner.steps);
    for (const touch of inner.touches)
      for (const directory of directories) this.touches.push({ ...touch, path: joinPath(directory, touch.path) });
  }

  /** The files that `find` runs a program on, or that `xargs` reads, unless the line shows their names. */
  #foundBy({ command, names, started, texts, given }: Reading): Found | undefined {
    const at = names.findIndex((name) => name === "find" || name === "fd" || name === "fdfind");
    if (at >= 0) return producedBy(command, started.programs[at] ?? 0);
    if (!started.appends && !texts.some((text) => /^-(?:I|i)/.test(text))) return undefined;
    return names.includes("xargs") && given.length === 0 && command.fed ? foundIn(command.fed) : undefined;
  }
}

/** Calls that change files, and every module of files: its calls have many names. */
const WRITES = new RegExp(`${WRITE_CALLS.source}|\\bfs\\b`);

/** The programs of a command that it may run, also behind a program that the table does not know. */
function programsOf({ started, carrier, command: { words } }: Reading): number[] {
  const guessed =
    carrier === undefined || carrier.kind === "source"
      ? []
      : words.flatMap((word, at) => (at > carrier.at && changesKnownPaths(programName(word) ?? "") ? [at] : []));
  return [...new Set([...started.programs, ...guessed])];
}

/** The names that the program word may have: several for `{rm,ls}`, undefined for one that expands. */
function namesOf(word: Word): (string | undefined)[] {
  return expandAlternatives(pathText(word)).map((text) =>
    /[*?[]|\0/.test(text)
      ? undefined
      : text
          .slice(text.lastIndexOf("/") + 1)
          .replace(/^=|\.exe$/g, "")
          .toLowerCase(),
  );
}

/** Gives `$0`, `$1` and `$@` in the code of `sh -c` the words behind it. */
function setPositionals(
  { search: { variables }, command: { words }, started }: Reading,
  appended: readonly string[],
): void {
  const code = words.findIndex((word) => started.code.some((parts) => parts.length === 1 && parts[0] === word));
  if (code < 0) return;
  const values = [...words.slice(code + 1).map(({ units }) => units), ...appended.map((text) => [...text])];
  values.slice(0, 10).forEach((units, at) => void variables.set(String(at), units));
  const all = values.slice(1).flatMap((units, at) => [...(at > 0 ? [SPLIT] : []), ...units]);
  for (const name of ["@", "*"]) variables.set(name, all);
}

/** What `xargs` appends: the words that the line shows, or {@link FOUND}. */
function appendedTo({ given }: Reading): string[] {
  const shown = given.flatMap((text) => text.split(/\s+/).filter((word) => word !== ""));
  return given.length > 0 ? shown : [FOUND];
}

/** The directories that launchers change to: `env -C DIR`. */
function changedBy(words: readonly Word[]): string[] {
  const texts = words.map(pathText);
  return texts.flatMap((text, at) => {
    if (/^--chdir=/.test(text)) return [text.slice("--chdir=".length)];
    const isOption = text === "-C" || text === "-D" || text === "--chdir";
    return isOption &&
      texts.slice(0, at).some((name) => /^(?:env|sudo)$/.test(name)) &&
      /^(?:env|sudo|-)/.test(texts[at - 1] ?? "")
      ? [texts[at + 1] ?? ""]
      : [];
  });
}

function assignedIn({ words }: SimpleCommand): (readonly [string, string])[] {
  return words.filter(isAssignment).map((word) => {
    const text = pathText(word);
    const equals = text.indexOf("=");
    return [text.slice(0, equals).replace(/\+$/, ""), text.slice(equals + 1)] as const;
  });
}

function wordsIn({ of, from, to }: CommandRange): string[] {
  return of.slice(from, to).flatMap(({ words }) => words.map(pathText));
}

/** The files whose names commands print; undefined if their words name no directory or file. */
function foundIn(range: CommandRange): Found | undefined {
  const shown = outputOf(range);
  if (shown !== undefined) return { directories: shown.split(/\s+/).filter(Boolean), tests: { all: [], any: false } };
  const commands = range.of.slice(range.from, range.to);
  const [first] = commands;
  const fed = first?.fed && first.fed.from !== range.from ? foundIn(first.fed) : undefined;
  const found = fed ?? commands.map((command) => producedBy(command, 0)).find((one) => one !== undefined);
  if (!found) return undefined;
  const filters = commands.flatMap(({ words, fed }) => (fed ? filterOf(words) : []));
  return filters.length === 0 || found.tests.any
    ? found
    : { ...found, tests: { ...found.tests, all: [...found.tests.all, ...filters] } };
}

/** The test of a `grep` that reads names of files. */
function filterOf(words: readonly Word[]): FileTest[] {
  const [program, ...args] = words.map(pathText);
  if (!/^(?:[ef]?grep|rg)$/.test(program ?? "")) return [];
  const pattern = args.find((arg) => !arg.startsWith("-"));
  const options = args.filter((arg) => arg.startsWith("-")).join("");
  return pattern === undefined || pattern.includes(UNKNOWN) ? [] : expressionTest(pattern, /v/.test(options));
}

const ALL: FileTests = { all: [], any: false };

/** The files whose names a command prints. */
function producedBy({ words }: SimpleCommand, at: number): Found | undefined {
  const name = programName(words[at]);
  const args = words.slice(at + 1).map(pathText);
  const operands = args.filter((arg) => !arg.startsWith("-"));
  switch (name) {
    case "find":
      return readFind(args);
    case "fd":
    case "fdfind": {
      const [pattern, ...directories] = operands;
      const all = pattern === undefined ? [] : expressionTest(pattern, false);
      return { directories: directories.length > 0 ? directories : ["."], tests: { all, any: false } };
    }
    case "git": {
      const { directory, verb, rest } = readGit(args);
      if (!/^(?:ls-files|diff|status|grep|ls-tree|show|log)$/.test(verb)) return undefined;
      const named = rest.filter((arg) => !arg.startsWith("-"));
      return belowOrNamed(verb === "grep" ? named.slice(1) : named, directory);
    }
    case "rg":
    case "grep":
    case "egrep":
    case "fgrep": {
      const [, ...directories] = operands;
      const includes = args.flatMap((arg): FileTest[] => {
        const glob = /^--include=(.*)$/s.exec(arg)?.[1];
        return glob === undefined ? [] : [{ on: "name", glob, not: false }];
      });
      return { directories: directories.length > 0 ? directories : ["."], tests: { all: includes, any: true } };
    }
    case "ls":
    case "dir":
      return { directories: operands.length > 0 ? operands : ["."], tests: ALL };
    case "dirname":
      return { directories: operands.map((path) => path.replace(/\/[^/]*$/, "")), tests: ALL };
    default:
      return operands.length > 0 ? { directories: operands, tests: ALL } : undefined;
  }
}

/** The files that pathspecs of git name: `src`, `*.ts`. */
function belowOrNamed(pathspecs: readonly string[], directory: string): Found {
  const globs = pathspecs.filter((text) => /[*?[]/.test(text));
  const all = globs.map((glob): FileTest => ({ on: "path", glob, not: false }));
  const named = pathspecs.filter((text) => !globs.includes(text));
  const directories = globs.length > 0 || named.length === 0 ? ["."] : named;
  return { directories: directories.map((path) => joinPath(directory, path)), tests: { all, any: true } };
}
