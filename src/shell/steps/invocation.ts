import type { Found } from "./found.ts";

/** Stands in a text for what an expansion decides: any text, also with slashes and blanks. */
export { UNKNOWN as HOLE } from "../paths/path-text.ts";

/**
 * How many words a word becomes. `one`: exactly one. `any`: any number, options too, because it is an unquoted expansion or
 * `"$@"`. `operands`: one or more that are no options, as `xargs` and `find -exec` append them.
 */
export type WordCount = "one" | "any" | "operands";

/** A word of a command, as far as the line shows it. */
export interface StepWord {
  /** Without quotes and escapes, with HOLE for each expansion. File name patterns stay as they are. */
  text: string;
  /** As the line has it, with quotes; for messages. */
  source: string;
  count: WordCount;
  /** True if `*`, `?` and `[` in the text are a pattern of file names. */
  glob: boolean;
  /** The files that its expansion stands for: behind `find D`, `$(ls D)`. */
  found?: Found;
}

/** A redirection to or from a file, or a here-document. */
export interface StepRedirect {
  /** `>`, `>>`, `&>`, `<>`, `<`, `<<` or `<<<`, without the number of the descriptor. */
  operator: string;
  target: StepWord;
  /** True if it can create or change a file. */
  writes: boolean;
}

/** A variable that is set for one program. */
export interface StepAssignment {
  name: string;
  value: StepWord;
}

/**
 * One simple command that a line may run, without launchers, assignments and keywords. A redirection alone and an
 * assignment alone are invocations without a program.
 */
export interface Invocation {
  /**
   * The names that the program may have, in lower case, without directory and `.exe`; more than one if a variable has several
   * values. A name may have HOLEs. Empty without a program.
   */
  programs: readonly string[];
  /** The program as it is written, with its directory; HOLE for expansions. */
  spelled: string;
  /** The words behind the program. */
  words: readonly StepWord[];
  redirects: readonly StepRedirect[];
  /** Assigned before the program, or by `env` and `sudo`. */
  assigns: readonly StepAssignment[];
  /** Variables that earlier commands of the line put into its environment. */
  exported: readonly StepAssignment[];
  /** The texts on its standard input, as far as the line shows them. */
  given: readonly string[];
  /** The commands whose output a pipe passes to it. */
  fedBy: readonly Invocation[];
  /** The commands in substitutions of its words. */
  inner: readonly Invocation[];
  /** The commands that printed, fetched, decoded or wrote the code that it runs. */
  codeFrom: readonly Invocation[];
  /** The directories in which it may run, `""` for where the line starts; with HOLE where an expansion decides. */
  directories: readonly string[];
  /** True if it runs on another machine or in a container: `ssh HOST`, `docker exec`. */
  elsewhere: boolean;
  /** True behind a launcher, and in the code of `sh -c`, `eval`, `xargs`, `find -exec` and here-documents. */
  nested: boolean;
  /** True if it runs code that the line does not show, whatever its program: a shell with a script, an unknown function. */
  runsHidden: boolean;
  /** The launchers in front of it, from outside in: `sudo`, `npx`, `pnpm dlx`, `find`. */
  via: readonly string[];
}

/** The commands of a line. */
export interface ReadLine {
  invocations: readonly Invocation[];
  /** True if a shell runs exactly these commands; false for functions, loops over unknown names, broken quotes. */
  exact: boolean;
  /** False if the line is too long or too deep to read all of it: then every fact is possible. */
  complete: boolean;
}
