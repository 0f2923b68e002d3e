import { EXIT_CODES } from "../../lib/errors.ts";

/** The formats of `dispatch` whose exit codes tell kinds of failure apart. */
const FORMATS_WITH_EXIT_CODES: readonly string[] = ["result", "text"];

/** The exit codes of `dispatch` from the best to the worst: several events end with the worst of theirs. */
const EXIT_CODES_BY_SEVERITY: readonly number[] = [
  EXIT_CODES.ok,
  EXIT_CODES.asked,
  EXIT_CODES.blocked,
  EXIT_CODES.failed,
  EXIT_CODES.usage,
  EXIT_CODES.interrupted,
];

/** The worse of two exit codes of `dispatch`. */
export function worseExitCode(a: number, b: number): number {
  return EXIT_CODES_BY_SEVERITY.indexOf(a) > EXIT_CODES_BY_SEVERITY.indexOf(b) ? a : b;
}

/**
 * The exit code with which a `dispatch` that ended with `code` ends the process. With `--output hook`, the default, hosts
 * read it as that of a hook: most go on after anything but 2, so every end without a verdict is 2, and 0 leaves the word
 * to the JSON, which may say `ask`. The format is read from the words behind the verb even if they are no valid command
 * line, because a wrong flag must not open the guard either.
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
