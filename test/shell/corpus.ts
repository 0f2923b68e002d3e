import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Command lines by the heading above them; those above the first heading are under the empty name. */
export type Corpus = Readonly<Record<string, readonly string[]>>;

/**
 * Reads a list of command lines: one on each line, `# ` before a heading and `#!` before a comment. A line that begins
 * with a quote is a JSON string, for command lines of several lines and those that begin with a quote, a blank or `#`.
 */
export function readLines(file: string): Corpus {
  const text = readFileSync(file, "utf8");
  const corpus: Record<string, string[]> = {};
  let heading = "";
  for (const line of text.split("\n")) {
    if (line.startsWith("# ")) heading = line.slice(2);
    else if (line !== "" && !line.startsWith("#!"))
      (corpus[heading] ??= []).push(line.startsWith('"') ? JSON.parse(line) : line);
  }
  return corpus;
}

const readCorpus = (name: string): Corpus => readLines(join(import.meta.dir, "corpus", `${name}.txt`));

const listOf = (name: string): readonly string[] => Object.values(readCorpus(name)).flat();

// The second lists were written when the rules were done, to see what they make of commands that they were not written
// for, and then used to improve them. At first 438 of 494 destructive commands were called so, of a later 231 there were
// 202; none was called safe. Of 603 everyday commands 4 were called destructive.

/** Commands that delete, overwrite, stop or give away something, and that say so: each must be called destructive. */
export const DESTRUCTIVE = readCorpus("destructive");

/** Commands whose effect their text does not show, or that read what is secret: none may be called safe. */
export const HIDDEN = listOf("hidden");

/** The commands that people and agents run most: none may be called destructive. */
export const EVERYDAY = readCorpus("everyday");

// The headings below are the programs that the lines need besides the shells. Only a shell that is a heading runs its
// lines so.

/**
 * Lines that run the program `bad`, in a folder with the files `in` and `tools/bad` and a git repository: each must be
 * denied by rules on `bad`, and really runs it where the program is installed.
 */
export const RUNS_BAD = readCorpus("runs-bad");

/** Lines that only mention commands, in words that no program runs: rules on these must not deny the lines. */
export const MENTIONS = listOf("mentions");

/** Lines that run `bad` or write the file `out`, though each names one command only: rules that allow it must not cover these. */
export const ALLOWED_RUNS_MORE = readCorpus("allowed-runs-more");

/** Lines that rules on the commands that they name must cover. */
export const ALLOWED_LINES = listOf("allowed");

/** Lines that print the secret of a file, of the environment or of the repository: none may be labelled safe. */
export const PRINTS_SECRET = readCorpus("prints-secret");

/** Lines that only read what they may: each must be labelled safe. */
export const READS = listOf("reads");
