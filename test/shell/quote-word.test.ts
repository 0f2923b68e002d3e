import { describe, expect, test } from "bun:test";
import { quoteWord, singleQuoted } from "../../src/shell/quote-word.ts";

const TEXTS = [
  "",
  "a b",
  "it's",
  "''",
  "$HOME",
  "`id`",
  "a\\b",
  "a\nb",
  "*",
  "~",
  "#a",
  "a;b",
  '"',
  "!x",
  "ä",
  "{a,b}",
  "a&b",
];

describe("quoteWord", () => {
  test.each(TEXTS)("the shell reads %j as one word, unchanged", (text) => {
    for (const word of [quoteWord(text), singleQuoted(text)]) {
      const { stdout } = Bun.spawnSync(["sh", "-c", `printf '<%s>' ${word}`]);
      expect(stdout.toString()).toBe(`<${text}>`);
    }
  });

  test("leaves a plain path as it is", () => {
    expect(quoteWord("./agents/root-1.yaml")).toBe("./agents/root-1.yaml");
  });
});
