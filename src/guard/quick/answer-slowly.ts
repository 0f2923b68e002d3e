import { keepAnswer, printKept, writeAnswer } from "../../cli/print.ts";
import { EXIT_CODES } from "../../lib/errors.ts";
import { contractOf } from "../../protocol/events.ts";
import { VerdictWriter } from "../dispatch/verdicts.ts";
import type { Question } from "./quick-event.ts";
import type { QuickLine } from "./quick-line.ts";

/** An answer that standard output did not take at once. */
export type Unwritten = Pick<Question, "silence" | "host" | "events"> & Pick<QuickLine, "format" | "isProved">;

/** Writes an answer as the engine does. Returns the exit code. */
export async function answerSlowly(unwritten: Unwritten): Promise<number> {
  if (await write(unwritten)) return EXIT_CODES.ok;
  const { host, events, format } = unwritten;
  const blocks = host !== undefined || format === "hook" || events.some(({ event }) => contractOf(event).canBlock);
  return blocks ? EXIT_CODES.blocked : EXIT_CODES.failed;
}

async function write({ silence, host, isProved }: Unwritten): Promise<boolean> {
  if (isProved) {
    keepAnswer();
    return printKept(() => silence);
  }
  return host ? writeAnswer(silence) : new VerdictWriter(true).verdict(silence.trimEnd());
}
