import { describe, expect, test } from "bun:test";
import { cutMiddle } from "../../../src/lib/text/cut-text.ts";

describe("a text without its middle", () => {
  test("keeps its beginning and its end, and says how much is missing", () => {
    expect(cutMiddle("short", 5)).toBe("short");
    expect(cutMiddle(`${"a".repeat(50)}${"b".repeat(50)}`, 20)).toBe(
      "aaaaaaaaaa\n[... 80 characters cut ...]\nbbbbbbbbbb",
    );
    expect(cutMiddle("abcdef", 0)).toBe("\n[... 6 characters cut ...]\n");
  });

  test("never splits a character", () => {
    const text = "😀".repeat(20);
    for (let limit = 0; limit < text.length; limit++) {
      const cut = cutMiddle(text, limit);
      expect(cut.isWellFormed()).toBeTrue();
      const missing = Number(/(\d+) characters cut/.exec(cut)?.[1]);
      expect(cut.replace(/\n\[.*\]\n/, "").length + missing).toBe(text.length);
    }
  });
});
