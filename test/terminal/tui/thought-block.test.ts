import { expect, test } from "bun:test";
import { THEMES } from "../../../src/terminal/theme.ts";
import { ThoughtBlock } from "../../../src/terminal/tui/thought-block.ts";

const open = () => new ThoughtBlock(THEMES.none);

test("thoughts are one row with their last line, then one row with the time, and open to all of them", () => {
  const block = open();
  for (const piece of ["First I read.\nThen I w", "rite.\n"]) block.append(piece);
  expect(block.render(80)).toEqual([expect.stringMatching(/^✻ thinking \d+ s · Ctrl\+T {2}Then I write\.$/)]);
  block.finish();
  expect(block.render(80)).toEqual([expect.stringMatching(/^✻ thought for \d+ s · Ctrl\+T$/)]);
  block.toggle();
  expect(block.render(80).slice(1)).toEqual(["  │ First I read.", "  │ Then I write."]);
  block.toggle();
  expect(block.render(80)).toHaveLength(1);
});

test("thoughts cannot control the terminal, and no row is wider than the window", () => {
  const block = open();
  block.append(`\x1b[2Jhidden\u202e ${"wide ".repeat(40)}\x07`);
  for (const isOpen of [false, true]) {
    if (isOpen) block.toggle();
    for (const row of block.render(40)) {
      expect(row).not.toMatch(/[\x00-\x1f\u202e]/);
      expect(Bun.stringWidth(row)).toBeLessThanOrEqual(40);
    }
  }
});

test("only the end of endless thoughts is kept", () => {
  const block = open();
  for (let piece = 0; piece < 600; piece++) block.append(`${"x".repeat(1023)}\n`);
  block.append("the end");
  block.toggle();
  const rows = block.render(2000);
  expect(rows.length).toBeLessThan(300);
  expect(rows.at(-1)).toBe("  │ the end");
  expect(rows[1]).toMatch(/^ {2}│ … \d{6} earlier characters are not kept$/);
});
