import { printKept } from "../../cli/print.ts";
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
  if (hasExitCodes(words)) return code;
  return code === EXIT_CODES.ok || code === EXIT_CODES.asked ? EXIT_CODES.ok : EXIT_CODES.blocked;
}

/**
 * Ends a `dispatch`: with `--proof`, prints the kept answer as three lines, for the shell's `printf %b`: standard output,
 * standard error, and the exit code. Only a complete last line proves that hooksh has answered. See
 * docs/design/contract.md#proof-of-an-answer.
 */
export function endDispatch(code: number, words: readonly string[]): number {
  const exitCode = dispatchExitCode(code, words);
  const line = (text: string) => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
  const isWritten = printKept(({ output, errors }) => `${line(output)}\n${line(errors)}\nhooksh:${exitCode}\n`);
  return isWritten ? exitCode : EXIT_CODES.blocked;
}

/** True if the command line asks for a format whose exit codes distinguish kinds of failure. */
export function hasExitCodes(words: readonly string[]): boolean {
  return FORMATS_WITH_EXIT_CODES.includes(flagValue(words, "output") ?? "");
}

/** Returns the value of a flag, even from an invalid command line. The last one wins. */
export function flagValue(words: readonly string[], flag: string): string | undefined {
  let value: string | undefined;
  for (const [index, word] of words.entries()) {
    if (word === "--") break;
    if (word === `--${flag}`) value = words[index + 1];
    else if (word.startsWith(`--${flag}=`)) value = word.slice(flag.length + 3);
  }
  return value;
}
