import { expect, test } from "bun:test";
import { visibleWidth } from "@earendil-works/pi-tui/dist/utils.js";
import { stripAnsi } from "../../../../src/lib/platform.ts";
import { escapeControlsInLines } from "../../../../src/lib/text/escape-controls.ts";
import { THEMES } from "../../../../src/terminal/theme.ts";
import { loadLanguage } from "../../../../src/terminal/tui/markdown/highlight.ts";
import { styleInline } from "../../../../src/terminal/tui/markdown/inline.ts";
import { expectConstant, expectLinear } from "../../../helpers/growth.ts";
import { HOSTILE, SIZE } from "./hostile-texts.ts";
import { openAnswer } from "./show.ts";

/** The most characters that one frame draws: the block that still grows, whose size does not depend on the answer's. */
const MAX_FRAME = SIZE / 2;

for (const [name, text] of Object.entries(HOSTILE)) {
  test(`${name}: nothing is lost, no row is too wide, a frame draws only a part`, async () => {
    await Promise.all(["ts", "md"].map(loadLanguage));
    const shown = openAnswer();
    const rows: string[] = [];
    let longest = 0;
    let drawn = 0;
    const frame = () => {
      for (const block of shown.blocks.slice(drawn, -1)) rows.push(...block.render(80));
      drawn = Math.max(0, shown.blocks.length - 1);
      longest = Math.max(longest, stripAnsi(shown.blocks.at(-1)?.render(80).join("") ?? "").length);
    };
    for (let at = 0; at < text.length; at += 500) {
      shown.stream.append(text.slice(at, at + 500));
      frame();
    }
    shown.stream.finish();
    rows.push(...shown.blocks.slice(drawn).flatMap((block) => block.render(80)));
    expect(longest).toBeLessThan(MAX_FRAME);
    expect(rows.filter((row) => visibleWidth(row) > 80)).toEqual([]);
    const [before, after] = [escapeControlsInLines(text), rows.map(stripAnsi).join("")].map(letterCounts);
    expect([...(before ?? [])].filter(([letter, count]) => (after?.get(letter) ?? 0) < count)).toEqual([]);
  });
}

test("a paragraph of many lines is split, so that a frame draws a part of it", () => {
  const shown = openAnswer();
  shown.stream.append("some words in a line\n".repeat(2000));
  expect(Math.max(...shown.blocks.map((block) => block.render(80).length))).toBeLessThan(200);
});

test.each([
  ["stars without a partner", "*a ", 31],
  ["underscores without a partner", "_a ", 31],
  ["tildes without a partner", "~~a ", 31],
  ["marks without a partner", "*a **b ", 16],
  ["marks with a partner", "*a* ", 150],
  ["a run of stars", "*", 65],
  ["brackets", "[a]( ", 200],
  ["a word that could be a mail address", "a.", 150],
])("text that marked could take long for is shown as it is: %s", (_name, piece, enough) => {
  const texts = [1, enough].map((count) => `**bold** ${piece.repeat(count)}@`);
  expect(texts.map((text) => styleInline(text, THEMES.dark).includes("**bold**"))).toEqual([false, true]);
});

test("a line of 10 MB is split, and its end costs as little as its beginning", async () => {
  const shown = openAnswer();
  const part = "word ".repeat(20_000);
  for (let n = 0; n < 100; n++) shown.stream.append(part);
  expect(shown.blocks.length).toBeGreaterThan(3000);
  expect(shown.blocks.at(-2)?.render(80).length).toBeLessThan(50);
  await expectLinear(100, (parts) => () => {
    const { stream } = openAnswer();
    for (let n = 0; n < parts; n++) stream.append(part);
  });
});

test("a delta of one byte costs the same behind 10,000 lines as at the beginning", async () => {
  const line = "- **item** with `code` and words\n";
  await expectConstant(10_000, (lines) => {
    const shown = openAnswer();
    shown.stream.append(line.repeat(lines));
    return () => {
      for (const letter of line.repeat(20)) {
        shown.stream.append(letter);
        shown.blocks.at(-1)?.render(80);
      }
    };
  });
});

/** Returns how often each letter and digit occurs in a text. */
function letterCounts(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [letter] of text.matchAll(/[\p{L}\p{N}]/gu)) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  return counts;
}
