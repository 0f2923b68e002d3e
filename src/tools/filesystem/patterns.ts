import ignore from "ignore";

/** The verdict of a list of gitignore patterns on a path. */
export type PatternVerdict = "ignored" | "re-included" | "unmentioned";

/** A list of gitignore patterns, relative to one directory. */
export interface Patterns {
  /** Judges a path relative to the directory of the patterns. A path inside an ignored directory is ignored. */
  judge(path: string, isDirectory: boolean): PatternVerdict;
}

/** Parses the text of an ignore file. */
export type ParsePatterns = (text: string) => Patterns;

/** Most systems other than Linux ignore case in file names. */
const ignorecase = process.platform !== "linux";

/** Parses gitignore syntax. */
export function parsePatterns(text: string): Patterns {
  const rules = ignore({ ignorecase }).add(text);
  return {
    judge: (path, isDirectory) => {
      const { ignored, unignored } = rules.test(isDirectory ? `${path}/` : path);
      return ignored ? "ignored" : unignored ? "re-included" : "unmentioned";
    },
  };
}
