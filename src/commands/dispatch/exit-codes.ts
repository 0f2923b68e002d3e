import { EXIT_CODES } from "../../lib/errors.ts";

/** The formats of `dispatch` whose exit codes distinguish kinds of failure. */
const FORMATS_WITH_EXIT_CODES: readonly string[] = ["result", "text"];

/** The exit codes of `dispatch`, from best to worst. With several events, the worst one counts. */
const EXIT_CODES_BY_SEVERITY: readonly number[] = [
  EXIT_CODES.ok,
  EXIT_CODES.asked,
  EXIT_CODES.blocked,
  EXIT_CODES.failed,
  EXIT_CODES.usage,
  EXIT_CODES.interrupted,
];

/** Returns the worse of two exit codes of `dispatch`. */
export function worseExitCode(a: number, b: number): number {
  return EXIT_CODES_BY_SEVERITY.indexOf(a) > EXIT_CODES_BY_SEVERITY.indexOf(b) ? a : b;
}

/**
 * Returns the exit code of the process for a `dispatch` that ended with `code`. With `--output hook`, the default,
 * other agents read it as the exit code of a hook. Most continue after any code but 2, so the code is 2 if there is no
 * verdict; after 0, the JSON decides, which may say `ask`. The format is read even from an invalid command line,
 * because a wrong flag must block too. See docs/design/contract.md#exit-codes.
 */
export function dispatchExitCode(code: number, words: readonly string[]): number {
  if (FORMATS_WITH_EXIT_CODES.includes(formatOf(words))) return code;
  return code === EXIT_CODES.ok || code === EXIT_CODES.asked ? EXIT_CODES.ok : EXIT_CODES.blocked;
}

function formatOf(words: readonly string[]): string {
  let format = "";
  for (const [index, word] of words.entries()) {
    if (word === "--") break;
    if (word === "--output") format = words[index + 1] ?? "";
    else if (word.startsWith("--output=")) format = word.slice("--output=".length);
  }
  return format;
}
