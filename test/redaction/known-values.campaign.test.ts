import { expect, test } from "bun:test";
import { createRedactor } from "../../src/redaction/redact.ts";
import { randomFrom, textOf } from "./samples.ts";

const random = randomFrom(8);
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const fresh = (length = 20) => textOf(LETTERS, length, random);
const redact = (text: string, ...known: string[]) => createRedactor({ known }).redact(text);

test("redacting twice equals once, also next to marks and with values that begin or end like one", () => {
  const known = ["]abcDEF12345", "abcDEF12345[", "RED12345xyz", fresh(8), fresh()];
  for (let round = 0; round < 3000; round++) {
    const pieces = [
      ...known,
      "[REDACTED]",
      "[REDACTED:known-value]",
      "[",
      "]",
      "x",
      "=",
      " ",
      '"',
      "\\n",
      "key=",
      ["AKIA", textOf(LETTERS.slice(0, 26), 16, random)].join(""),
    ];
    const text = Array.from({ length: 6 }, () => pieces[Math.floor(random() * pieces.length)]).join("");
    const once = redact(text, ...known);
    expect(redact(once, ...known)).toBe(once);
  }
});
