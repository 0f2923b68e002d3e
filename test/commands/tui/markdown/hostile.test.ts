import { expect, test } from "bun:test";
import { visibleWidth } from "@earendil-works/pi-tui/dist/utils.js";
import { loadLanguage } from "../../../../src/commands/tui/markdown/highlight.ts";
import { styleInline } from "../../../../src/commands/tui/markdown/inline.ts";
import { THEMES } from "../../../../src/commands/tui/theme.ts";
import { stripAnsi } from "../../../../src/lib/platform.ts";
import { escapeControlsInLines } from "../../../../src/lib/text/escape-controls.ts";
import { cpuTime } from "../../../helpers/cpu-time.ts";
import { openAnswer } from "./show.ts";

const SIZE = 30_000;
const fill = (text: string) => text.repeat(Math.ceil(SIZE / text.length));

/** A frame may take this much processor time: many times what it takes, much less than a quadratic one. */
const MAX_FRAME_MS = 200;

const HOSTILE: Readonly<Record<string, string>> = {
  "nested quotes in one line": `${">".repeat(10_000)} x`,
  "list levels in one line": `${"- ".repeat(10_000)}x`,
  "ever deeper quotes": Array.from({ length: 250 }, (_, depth) => `${">".repeat(depth)} x`).join("\n"),
  "ever deeper lists": Array.from({ length: 250 }, (_, depth) => `${"  ".repeat(depth)}- x`).join("\n"),
  "a table of 10,000 rows": `|a|b|\n|-|-|\n${"|1|2|\n".repeat(10_000)}`,
  "a table of 1,000 columns": `|${"a|".repeat(1000)}\n|${"-|".repeat(1000)}\n${`|${"b|".repeat(900)}\n`.repeat(10)}`,
  "a fence that never ends": `\`\`\`ts\n${fill("const a = `${b}`; /* c\n")}`,
  "one line of code": `\`\`\`ts\n${fill("const a = [(`${b}`")}`,
  "fences in fences": fill("```md\n~~~ts\n"),
  "markers without text": fill("- \n"),
  pipes: fill("|"),
  dashes: fill("-"),
  brackets: fill("["),
  "links in links": fill("[a]("),
  "brackets and backslashes": fill("[a\\"),
  stars: fill("*"),
  "unmatched stars": fill("*a **b "),
  "unmatched underscores": fill("_a "),
  "unmatched tildes": fill("~~a "),
  "matched stars far apart": fill(`${"**a ".repeat(150)}${"a* ".repeat(150)}`),
  backticks: fill("`a"),
  "half a mail address": fill("a."),
  "mail addresses": fill("a@b.c-_"),
  "angle brackets": fill("<a b='"),
  entities: fill("&amp;"),
  backslashes: fill("\\*"),
  "wide characters": fill("漢字"),
  "emoji of several code points": fill("👩‍👩‍👧"),
  "marks above one letter": `a${fill("\u0301")}`,
  "escape sequences": fill("\x1b[31m\x9b2J"),
  spaces: `${fill(" ")}x`,
  tabs: `${fill("\t")}x`,
  "short lines": fill("a\n"),
};

for (const [name, text] of Object.entries(HOSTILE)) {
  test(`${name}: nothing is lost, no row is too wide, no frame takes long`, async () => {
    await Promise.all(["ts", "md"].map(loadLanguage));
    const shown = openAnswer();
    const rows: string[] = [];
    let slowest = 0;
    let drawn = 0;
    const frame = () => {
      for (const block of shown.blocks.slice(drawn, -1)) rows.push(...block.render(80));
      drawn = Math.max(0, shown.blocks.length - 1);
      shown.blocks.at(-1)?.render(80);
    };
    for (let at = 0; at < text.length; at += 500) {
      shown.stream.append(text.slice(at, at + 500));
      slowest = Math.max(slowest, cpuTime(frame));
    }
    shown.stream.finish();
    rows.push(...shown.blocks.slice(drawn).flatMap((block) => block.render(80)));
    expect(slowest).toBeLessThan(MAX_FRAME_MS);
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

test("marks without a partner take no more time than words", () => {
  for (const text of ["*a ", "_a ", "*a **b ", "~~a ", "***a ", "*a _b ", "*", "[a\\", "[a](", "a."]) {
    const [some = ""] = fill(text).match(/^[^]{2900}/) ?? [];
    expect(cpuTime(() => Array.from({ length: 20 }, () => styleInline(`${some}@`, THEMES.dark)))).toBeLessThan(300);
  }
});

test("a line of 10 MB is split, and its end costs as little as its beginning", () => {
  const shown = openAnswer();
  const part = "word ".repeat(20_000);
  const times = Array.from({ length: 100 }, () => cpuTime(() => shown.stream.append(part)));
  const [first, last] = [times.slice(0, 20), times.slice(-20)].map((some) => some.sort((a, b) => a - b)[10] ?? 0);
  expect(shown.blocks.length).toBeGreaterThan(3000);
  expect(last).toBeLessThan(10 * (first ?? 0) + 20);
  expect(shown.blocks.at(-2)?.render(80).length).toBeLessThan(50);
});

test("a delta of one byte costs the same behind 10,000 lines as at the beginning", () => {
  const shown = openAnswer();
  const lineByByte = () => {
    for (const letter of "- **item** with `code` and words\n") {
      shown.stream.append(letter);
      shown.blocks.at(-1)?.render(80);
    }
  };
  const median = () => Array.from({ length: 21 }, () => cpuTime(lineByByte)).sort((a, b) => a - b)[10] ?? 0;
  lineByByte();
  const before = median();
  shown.stream.append("- **item** with `code` and words\n".repeat(10_000));
  expect(median()).toBeLessThan(10 * before + 20);
});

/** Returns how often each letter and digit occurs in a text. */
function letterCounts(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [letter] of text.matchAll(/[\p{L}\p{N}]/gu)) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  return counts;
}
