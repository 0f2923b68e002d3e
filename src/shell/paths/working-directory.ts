import type { SimpleCommand, Subshell } from "../word.ts";
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
  readonly #states = new Map<Subshell, InForce>();
  /** By depth of nested code: the shell of the command that was visited last, and whether its code runs in that shell. */
  readonly #last: { shell: Subshell; shares: boolean }[] = [];
  readonly #isDirectory: (path: string) => boolean;

  constructor(isDirectory: (path: string) => boolean) {
    this.#isDirectory = isDirectory;
  }

  /** Returns the directories in which a command may run, and follows it if it changes them. */
  enter(command: SimpleCommand, name: string | undefined, depth: number): readonly string[] {
    const { shell = {}, after, before, nesting = 1 } = command.place ?? {};
    const state = this.#stateOf(shell, depth);
    this.#last.length = depth;
    this.#last[depth] = { shell, shares: name === "eval" || name === "source" || name === "." };
    if (after !== "&&") state.base = state.now = merged([...state.base, ...state.now]);
    const here = state.now;
    if (name === "cd" || name === "pushd" || name === "popd" || name === "chdir") {
      const targets = targetsOf(command, name, state);
      const isAlone = nesting === 0 && after !== "&&" && after !== "||" && !/^(?:\||\|&|&)$/.test(before ?? "");
      state.now = merged(targets);
      state.seen = merged([...state.seen, ...targets]);
      // Without `&&` the commands behind it run in the old directory if it fails.
      if (isAlone && targets.every((path) => this.#isDirectory(path))) state.base = state.now;
    }
    return here;
  }

  #stateOf(shell: Subshell, depth: number): InForce {
    const known = this.#states.get(shell);
    if (known) return known;
    const outer = shell.parent ? undefined : this.#last[depth - 1];
    const from = shell.parent ? this.#stateOf(shell.parent, depth) : outer && this.#states.get(outer.shell);
    const state = outer?.shares && from ? from : { base: [""], now: [""], seen: [""], ...from };
    if (from && state !== from) state.base = state.now;
    this.#states.set(shell, state);
    return state;
  }
}

function targetsOf({ words }: SimpleCommand, name: string, { now, seen }: InForce): readonly string[] {
  const operand = words.slice(1).find(({ text }) => !/^-[LPe@n]|^--$/.test(text));
  if (name === "popd" || operand?.text === "-" || (name === "pushd" && /^\+|^$/.test(operand?.text ?? ""))) return seen;
  return operand ? now.map((directory) => joinPath(directory, pathText(operand))) : ["~"];
}

function merged(directories: readonly string[]): readonly string[] {
  const all = [...new Set(directories)];
  return all.length > MAX_DIRECTORIES ? [UNKNOWN] : all;
}

/** Joins a path with the directory that it is relative to. */
export function joinPath(directory: string, path: string): string {
  return directory === "" || /^[/~]/.test(path) ? path : `${directory}/${path}`;
}
