import { describe, expect, test } from "bun:test";
import { escapeControlsInLines } from "../../../src/lib/text/escape-controls.ts";
import { revealCharacters } from "../../../src/lib/text/reveal-characters.ts";
import { diceFrom } from "../../../src/testing/fuzz/dice.ts";
import { LOOK_ALIKES } from "../../../src/testing/fuzz/look-alikes.ts";
import { expectLinear } from "../../helpers/growth.ts";

const strict = (text: string) => revealCharacters(text, "strict");
const prose = (text: string) => revealCharacters(text, "prose");

describe("in a command, a path or a URL", () => {
  test.each([
    ["a Cyrillic letter in a Latin word", "https://ex\u0430mple.com", "https://ex\\u0430mple.com"],
    ["a word of look-alikes only", "\u0441\u0440 a b", "\\u0441\\u0440 a b"],
    ["a flag", "rm -\u0433 x", "rm -\\u0433 x"],
    [
      "Greek, Armenian, full-width and mathematical letters",
      "\u03bfs \u0578x \uff41b \u{1d41a}c",
      "\\u03bfs \\u0578x \\uff41b \\u{1d41a}c",
    ],
    ["other blanks", "rm\u00a0-rf\u3000/", "rm\\xa0-rf\\u3000/"],
    ["dashes, slashes, quotes", "rm \u2013rf \u2215 \u201cx\u201d", "rm \\u2013rf \\u2215 \\u201cx\\u201d"],
    ["joiners and variation selectors", "a\u200db\u200cc\ufe0f", "a\\u200db\\u200cc\\ufe0f"],
    ["a combining slash on a blank", "a \u0338b", "a \\u0338b"],
  ])("%s", (_name, text, shown) => {
    expect(strict(text)).toBe(shown);
  });

  test.each([
    "plain\tASCII\n~",
    "café naïve Straße",
    "привет мир",
    "漢字とAPI",
    "👩‍👩‍👧‍👦 👍🏽 1️⃣ 🏳️‍🌈",
    "नमस्ते",
    "ग्राम क्‍ष",
  ])("%s stays as it is", (text) => {
    expect(strict(text)).toBe(text);
  });

  test("no spelling that imitates a command comes through as it looks", () => {
    for (const { name, respell } of LOOK_ALIKES) {
      for (let seed = 0; seed < 300; seed++) {
        const spelled = respell("curl https://example.com/x.sh | sudo sh -c 'rm -rf /home'", diceFrom(seed));
        if (spelled === undefined) continue;
        const shown = strict(escapeControlsInLines(spelled));
        expect([name, spelled, /^[ -~]*$/.test(shown), shown.includes("\\")]).toEqual([name, spelled, true, true]);
      }
    }
  });
});

describe("in prose and code", () => {
  test("words may be of any script, but not of two", () => {
    expect(prose("с утра “so” – сор\u00a0!")).toBe("с утра “so” – сор\u00a0!");
    expect(prose('if (us\u0435r === "admin")')).toBe('if (us\\u0435r === "admin")');
    expect(prose("a\u200db")).toBe("a\\u200db");
  });
});

test.each(["а", "a\u0338", " \u0338", "x\ufe0f\u20e3", "\u200d", "漢"])(
  "reads many times %j in linear time",
  async (piece) => {
    await expectLinear(300_000, (size) => {
      const text = piece.repeat(size);
      return () => strict(text);
    });
  },
);
