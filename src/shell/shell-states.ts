import type { SimpleCommand, Subshell } from "./word.ts";

/** What holds in each shell of a line: the one that reads it, its subshells, and those that run the code nested in it. */
export class ShellStates<State> {
  readonly #states = new Map<Subshell, State>();
  /** By depth of nested code: the shell of the command that was visited last, and whether its code runs in that shell. */
  readonly #last: { shell: Subshell; shares: boolean }[] = [];
  readonly #inherited: (outer: State | undefined) => State;

  /** `inherited` makes the state with which a shell begins, from that of the shell that starts it. */
  constructor(inherited: (outer: State | undefined) => State) {
    this.#inherited = inherited;
  }

  /** The state of the shell that runs a command; `name` is that of its program. To be asked for every command in turn. */
  at({ place }: SimpleCommand, name: string | undefined, depth: number): State {
    const shell = place?.shell ?? {};
    const state = this.#of(shell, depth);
    this.#last.length = depth;
    this.#last[depth] = { shell, shares: name === "eval" || name === "source" || name === "." };
    return state;
  }

  #of(shell: Subshell, depth: number): State {
    const known = this.#states.get(shell);
    if (known) return known;
    const outer = shell.parent ? undefined : this.#last[depth - 1];
    const from = shell.parent ? this.#of(shell.parent, depth) : outer && this.#states.get(outer.shell);
    const state = outer?.shares && from ? from : this.#inherited(from);
    this.#states.set(shell, state);
    return state;
  }
}
