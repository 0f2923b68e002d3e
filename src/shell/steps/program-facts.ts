import type { Found } from "./found.ts";
import type { StepWord } from "./invocation.ts";

/** A value of a fact. */
export interface Value {
  /** With HOLE for what an expansion decides. */
  text: string;
  /** False if an expansion decides whether the step has the value. */
  sure: boolean;
  /** How it is shown; default: the text. */
  shown?: string;
}

/** A list of values. */
export interface Values {
  values: readonly Value[];
  /** True if an expansion may add values, so that any value is possible. */
  open: boolean;
}

export const NO_VALUES: Values = { values: [], open: false };

/** An option of a command, with its value if it takes one. */
export interface Option {
  /** The long name if the table knows it, else as written: `--force`, `-x`, `-chdir`. */
  name: string;
  value?: StepWord;
}

/** A command split as its program does it. */
export interface ParsedWords {
  /** The subcommand, levels with one blank between them; with HOLE if an expansion is in it. Undefined if there is none. */
  verb: string | undefined;
  options: readonly Option[];
  /** What is neither an option, a value of one, nor the verb. */
  operands: readonly StepWord[];
  /** Further options may come from an expansion. */
  open: boolean;
}

/** What a step is about, besides paths, hosts, refs and targets. */
export interface ProgramFacts {
  /** Alternatives: more than one if an expansion decides, and a text with HOLE if any name fits. */
  program: readonly Value[];
  /** Alternatives; empty if absent. */
  verb: readonly Value[];
  flags: Values;
  args: Values;
  /** Program and words with one blank between them; empty without a program. */
  command: Value;
  env: Values;
  effects: Values;
  /** True if it runs code that the line does not show. */
  opaque: boolean;
}

/**
 * Which of the files below a path, or of those that its expansion stands for, a step touches. Conditions of rules do not
 * ask: only the files themselves tell.
 */
export type Among =
  /** Those that pass tests; with `deep`, also what lies below them. */
  | ({ kind: "found"; deep: boolean } & Pick<Found, "directories" | "tests">)
  /** Those that are below `from`, which is put there. */
  | { kind: "copied"; from: readonly string[] }
  /** Those that git tracks, or does not track. */
  | { kind: "tracked" | "untracked" }
  /** Perhaps all that git tracks, unless a word names a file and no revision. */
  | { kind: "work-tree"; unless: readonly string[] }
  /** Those that a patch in one of the files changes. */
  | { kind: "patched"; files: readonly string[] };

/** A path that a step touches, before its directory is joined. */
export interface PathTouch {
  /** As written, with HOLE for expansions. */
  path: string;
  /** True if `*`, `?` and `[` in it are a pattern of file names. */
  glob: boolean;
  /** False if an expansion decides whether it is touched. */
  sure: boolean;
  /**
   * What is touched. `itself`: the file. `tree`: a directory with all that lies below. `below`: something below it, but not it
   * (`git clean`, `find D -name x -delete`). `contents`: everything below it (`find D -delete`).
   */
  extent: "itself" | "tree" | "below" | "contents";
  /** Names that it gets inside if it is a directory that exists: `cp a DIR`. */
  into?: readonly string[];
  among?: Among;
  /** The redirection that opens it: `>`. */
  operator?: string;
  /** True if it is a text in code that counts only if it is in `credentials` or `guards`. */
  guess?: true;
  /** True if it is on another machine, although the command runs here. */
  elsewhere?: true;
}

/** A host that a step connects to. */
export interface HostTouch {
  /** Lower case, without a port; HOLE for expansions. A remote of git by its name is `remote:NAME`. */
  host: string;
  port?: number;
  sure: boolean;
}

/** The things that a command touches. */
export interface ProgramTargets {
  reads: readonly PathTouch[];
  writes: readonly PathTouch[];
  /** Entered or listed. */
  lists: readonly PathTouch[];
  /**
   * What the command may change besides, though no condition counts it as written: words of an unknown program, the work
   * tree that `git merge` changes, the file that a link gives a second name.
   */
  mayWrite: readonly PathTouch[];
  hosts: readonly HostTouch[];
  /** Those of `hosts` that data goes to. */
  sends: readonly HostTouch[];
  /** `current` stands for the branch in force. */
  refs: Values;
  /** What options name, and variables; `current` asks for the tool's own setting. */
  target: Values;
  /** The program whose current target counts if no option names one: `kubectl`, `aws`, `terraform`. */
  currentTargetOf?: string;
}
