import { describe, expect, test } from "bun:test";
import { visibleWidth } from "@earendil-works/pi-tui";
import { THEMES } from "../../../../src/terminal/theme.ts";
import { blockedBy, blockOf, hook, responseOf } from "./calls.ts";

const NASTY: [name: string, text: string][] = [
  ["words", "plain text that is long enough to be wrapped at every width of the test, whatever it is: ".repeat(4)],
  ["Chinese and Japanese", "漢字かな交じり文。".repeat(40)],
  ["emoji of several characters", "👩‍👩‍👧‍👦🏳️‍🌈👍🏽".repeat(20)],
  ["tabs", "a\tb\t\tc\td".repeat(20)],
  ["combining characters and Indic letters", "e\u0301\u0302\u0303 ก็ำ हिन्दी क्षि ﷽ ".repeat(20)],
  ["control characters and sequences", "\u001b[31mred\u001b[0m\r\n50%\r100%\u0000\u0007\u202e\u200b"],
  ["flags, half-width and invisible letters, Jamo", "🇩🇪🇫🇷 🇦 ﾊﾟ \u3164 \ufe0f☺\ufe0f ᄀᄀᄀ각ᆨᆨ".repeat(10)],
];

describe("no row is wider than the screen", () => {
  test.each(NASTY)("%s", (_name, text) => {
    for (let width = 20; width <= 200; width += width < 40 ? 1 : 17) {
      for (const theme of [THEMES.dark, THEMES.none]) {
        const running = blockOf(text.slice(0, 30), { cmd: text }, { theme, agent: text.slice(0, 20) });
        running.output(text);
        const done = blockOf("shell", { cmd: text }, { theme });
        done.respond(responseOf("shell", `${text}\n`.repeat(8)));
        const folded = done.render(width);
        done.toggle();
        const blocked = blockOf("shell", { cmd: text }, { theme });
        blocked.blocked(blockedBy(text, hook(text, text), hook("b", text)));
        for (const row of [...running.render(width), ...folded, ...done.render(width), ...blocked.render(width)]) {
          expect([row, visibleWidth(row) <= width]).toEqual([row, true]);
          expect([row, Bun.stringWidth(row) <= width]).toEqual([row, true]);
          expect(Bun.stripANSI(row)).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202e\u200b]/);
        }
      }
    }
  });
});
