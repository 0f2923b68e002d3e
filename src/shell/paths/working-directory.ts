import { ShellStates } from "../shell-states.ts";
import type { SimpleCommand, Word } from "../word.ts";
import { pathText, UNKNOWN } from "./path-text.ts";

/** The directories that may be in force at a command. */
interface InForce {
  /** When the list of commands joined by `&&` began. */
  base: readonly string[];
  now: readonly string[];
  /** All so far, for `cd -` and `popd`. */
  seen: readonly string[];
}

/** More of them make the directory unknown. */
const MAX_DIRECTORIES = 8;

/**
 * Follows `cd` and `pushd` through a line and the code nested in it. Directories are texts such as `` (where the line
 * starts), `a/b`, `~/x`, with {@link UNKNOWN} for what the line does not show.
 */
export class WorkingDirectories {
  readonly #states = new ShellStates<InForce>((outer) =>
    outer ? { ...outer, base: outer.now } : { base: [""], now: [""], seen: [""] },
  );
  readonly #isDirectory: (path: string) => boolean;
  readonly #textOf: (word: Word) => string;

  /** `textOf` gives the path that a word is. */
  constructor(isDirectory: (path: string) => boolean, textOf: (word: Word) => string = pathText) {
    this.#isDirectory = isDirectory;
    this.#textOf = textOf;
  }

  /** Returns the directories in which a command may run, and follows it if it changes them. */
  enter(command: SimpleCommand, name: string | undefined, depth: number): readonly string[] {
    const { after, before, nesting = 1 } = command.place ?? {};
    const state = this.#states.at(command, name, depth);
    if (after !== "&&") state.base = state.now = merged([...state.base, ...state.now]);
    const here = state.now;
    if (name === "cd" || name === "pushd" || name === "popd" || name === "chdir") {
      const targets = targetsOf(command, name, state, this.#textOf);
      const isAlone = nesting === 0 && after !== "&&" && after !== "||" && !/^(?:\||\|&|&)$/.test(before ?? "");
      state.now = merged(targets);
      state.seen = merged([...state.seen, ...targets]);
      // Without `&&` the commands behind it run in the old directory if it fails.
      if (isAlone && targets.every((path) => this.#isDirectory(path))) state.base = state.now;
    }
    return here;
  }
}

function targetsOf(
  { words }: SimpleCommand,
  name: string,
  { now, seen }: InForce,
  textOf: (word: Word) => string,
): readonly string[] {
  const operand = words.slice(1).find(({ text }) => !/^-[LPe@n]|^--$/.test(text));
  // What was before the line is not known.
  if (operand?.text === "-" && seen.length === 1) return [UNKNOWN];
  if (name === "popd" || operand?.text === "-" || (name === "pushd" && /^\+|^$/.test(operand?.text ?? ""))) return seen;
  return operand ? now.map((directory) => joinPath(directory, textOf(operand))) : ["~"];
}

function merged(directories: readonly string[]): readonly string[] {
  const all = [...new Set(directories)];
  return all.length > MAX_DIRECTORIES ? [UNKNOWN] : all;
}

/** Joins a path with the directory that it is relative to. */
export function joinPath(directory: string, path: string): string {
  return directory === "" || /^[/~]/.test(path) ? path : `${directory}/${path}`;
}
