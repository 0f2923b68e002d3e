/** Files of which a line says only where they are, and perhaps what is tested: those that `find D -name X` names. */
export interface Found {
  /** Relative to where the command runs. */
  directories: readonly string[];
  tests: FileTests;
  /** True if all of them lie below the directories, whatever the command prints. */
  isBelow: boolean;
}

/** The tests that `find` and the like apply to each file below a directory. */
export interface FileTests {
  all: readonly FileTest[];
  /** True if one of them suffices. */
  any: boolean;
  maxDepth?: number;
}

/** A test of one file. Paths are relative to the directory: `a/b`. Expressions ignore case. */
export type FileTest =
  | { on: "name" | "path"; glob: string; not: boolean }
  | { on: "path"; expression: string; not: boolean }
  | { on: "type"; type: string; not: boolean };
