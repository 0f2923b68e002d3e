/** What a list of gitignore patterns says about a path. */
export type PatternVerdict = "ignored" | "re-included" | "unmentioned";

/** Patterns in gitignore syntax, all relative to one directory. */
export interface Patterns {
  /** `path` is relative to the directory of the patterns; a path inside an ignored directory is ignored. */
  judge(path: string, isDirectory: boolean): PatternVerdict;
}

/** Makes patterns from the text of an ignore file. */
export type ParsePatterns = (text: string) => Patterns;

/** Loads the parser of gitignore syntax. */
export async function loadPatternParser(): Promise<ParsePatterns> {
  const { default: ignore } = await import("ignore");
  // File names that differ only in case are one file on the other platforms.
  const ignorecase = process.platform !== "linux";
  return (text) => {
    const rules = ignore({ ignorecase }).add(text);
    return {
      judge: (path, isDirectory) => {
        const { ignored, unignored } = rules.test(isDirectory ? `${path}/` : path);
        return ignored ? "ignored" : unignored ? "re-included" : "unmentioned";
      },
    };
  };
}
