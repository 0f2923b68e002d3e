import { heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import { THEMES } from "../../../../src/terminal/theme.ts";
import { AnswerStream } from "../../../../src/terminal/tui/markdown/answer-stream.ts";
import { loadLanguage } from "../../../../src/terminal/tui/markdown/highlight.ts";

const LINES = 8_000;

/** Strings that are alive. */
function countStrings(): number {
  Bun.gc(true);
  return heapStats().objectTypeCounts["string"] ?? 0;
}

/** Streams lines to a screen that keeps only the last block. Returns how many strings stay behind. */
function stringsAfter(opening: string, lineOf: (at: number) => string): number {
  let last: { render(width: number): string[] } | undefined;
  const answer = new AnswerStream({
    theme: THEMES.dark,
    addBlock: (block) => {
      last?.render(80);
      last = block;
    },
    requestRender: () => undefined,
  });
  answer.append(opening);
  const before = countStrings();
  for (let at = 0; at < LINES; at++) {
    answer.append(`${lineOf(at)}\n`);
    if (at % 10 === 0) last?.render(80);
  }
  const left = countStrings() - before;
  answer.finish();
  return left;
}

test.each([
  ["prose", "", (at: number) => `paragraph ${at}\n`],
  ["a list", "", (at: number) => `- item ${at}`],
  ["a table", "| a | b |\n| - | - |\n", (at: number) => `| ${at} | cell |`],
  ["code without a language", "```\n", (at: number) => `line ${at} of code`],
  ["code in an unknown language", "```nosuch\n", (at: number) => `line ${at} of code`],
  ["code that is too long for colours", "```sh\n", (at: number) => `echo ${at} ${"x".repeat(40)}`],
])("%s that has left the screen is forgotten", async (_name, opening, lineOf) => {
  await loadLanguage("sh");
  expect(stringsAfter(opening, lineOf)).toBeLessThan(LINES / 2);
});
