import { writeAnswer } from "../../cli/print.ts";
import { EXIT_CODES } from "../../lib/errors.ts";
import { contractOf } from "../../protocol/events.ts";
import { VerdictWriter } from "../dispatch/verdicts.ts";
import type { Question } from "./quick-event.ts";
import type { QuickLine } from "./quick-line.ts";

/** An answer that standard output did not take at once. */
export type Unwritten = Pick<Question, "silence" | "host" | "events"> & Pick<QuickLine, "format">;

/** Writes an answer as the engine does. Returns the exit code. */
export async function answerSlowly({ silence, host, events, format }: Unwritten): Promise<number> {
  const isWritten = host ? await writeAnswer(silence) : await new VerdictWriter(true).verdict(silence.trimEnd());
  if (isWritten) return EXIT_CODES.ok;
  const blocks = host !== undefined || format === "hook" || events.some(({ event }) => contractOf(event).canBlock);
  return blocks ? EXIT_CODES.blocked : EXIT_CODES.failed;
}
