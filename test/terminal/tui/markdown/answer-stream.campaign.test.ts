import { describe, expect, test } from "bun:test";
import { visibleWidth } from "@earendil-works/pi-tui/dist/utils.js";
import { stripAnsi } from "../../../../src/lib/platform.ts";
import { THEMES } from "../../../../src/terminal/theme.ts";
import { randomFrom } from "../../../helpers/dice.ts";
import { randomMarkdown } from "./random-markdown.ts";
import { openAnswer, showAnswer, visibleRows } from "./show.ts";

const SEEDS = Array.from({ length: 80 }, (_, at) => at + 1);

describe("random Markdown", () => {
  test("no word is lost, and no row is wider than the window, at widths from 20 to 200", () => {
    for (const seed of SEEDS) {
      const { text, words } = randomMarkdown(seed);
      const shown = showAnswer([text], seed % 3 === 0 ? THEMES.none : THEMES.dark);
      for (const width of [20, 33, 40, 80, 200]) {
        const rows = shown.rows(width);
        const visible = rows
          .map(stripAnsi)
          .join("")
          .replace(/[^\p{L}\p{N}]/gu, "");
        expect({ seed, width, lost: words.filter((word) => !visible.includes(word)) }).toEqual({
          seed,
          width,
          lost: [],
        });
        expect({ seed, width, wide: rows.filter((row) => visibleWidth(row) > width) }).toEqual({
          seed,
          width,
          wide: [],
        });
      }
    }
  });

  test("the rows do not depend on how the text is cut into deltas", () => {
    for (const seed of SEEDS) {
      const { text } = randomMarkdown(seed);
      const whole = showAnswer([text], THEMES.none).rows(60);
      expect({ seed, rows: showAnswer(text.split(""), THEMES.none).rows(60) }).toEqual({ seed, rows: whole });
      expect({ seed, rows: showAnswer(cut(text, seed), THEMES.none).rows(60) }).toEqual({ seed, rows: whole });
    }
  });

  test("only the last block changes while text arrives", () => {
    for (const seed of SEEDS.slice(0, 12)) {
      const { text } = randomMarkdown(seed);
      const shown = openAnswer(THEMES.none);
      let earlier: string[] = [];
      for (const delta of text.split("")) {
        shown.stream.append(delta);
        const rows = shown.blocks.map((block) => block.render(60).join("\n"));
        expect({ seed, rows: rows.slice(0, earlier.length) }).toEqual({ seed, rows: earlier });
        earlier = rows.slice(0, -1);
      }
    }
  });
});

describe("blocks", () => {
  test("headings, paragraphs and lists keep their order, markers and distances", () => {
    const text =
      "# Title #\ntext\n\n\n1. one\n2. two\n   - sub\n\n     more\n10. ten\n\n- [x] done\n- [ ] open\nSetext\n===\n";
    expect(visibleRows(text)).toEqual([
      "Title",
      "",
      "text",
      "",
      "1. one",
      "2. two",
      "   - sub",
      "     ",
      "     more",
      "10. ten",
      "",
      "- [x] done",
      "- [ ] open",
      "  Setext",
      "  ===",
    ]);
  });
});

function cut(text: string, seed: number): string[] {
  const random = randomFrom(seed);
  const deltas: string[] = [];
  for (let at = 0; at < text.length; ) {
    const end = at + 1 + Math.floor(random() * 12);
    deltas.push(text.slice(at, end));
    at = end;
  }
  return deltas;
}
