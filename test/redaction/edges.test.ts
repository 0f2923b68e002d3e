import { expect, test } from "bun:test";
import { isAfterEscape, isDataAfter, isDataBefore, isUnlikeWords } from "../../src/redaction/edges.ts";

test.each(["\\n", "\\t", "%4a", "%4F", "\\u00e9", "\\x4a", "\u001b[1;31m", "\\033[0m"])(
  "what follows %j does not continue a word",
  (escape) => expect(isAfterEscape(`a${escape}b`, 1 + escape.length)).toBe(true),
);

test.each(["n", "\\y", "%4z", "%z4", "\\u00ez", "\\xyz", "[1;31m", "\\033[1;x;31m"])(
  "what follows %j continues a word",
  (text) => expect(isAfterEscape(`a${text}b`, 1 + text.length)).toBe(false),
);

test("as many digits as one in four characters show that a text is not words", () => {
  expect(isUnlikeWords("names12value34it", 0, 16)).toBe(true);
  expect(isUnlikeWords("names12value34its", 0, 17)).toBe(false);
});

test("random text of some characters beside a match is data, a name is not", () => {
  const data = "q7Rz9Kx2Wv5T";
  expect(isDataBefore(`${data}match`, data.length)).toBe(true);
  expect(isDataAfter(`match${data}`, 5)).toBe(true);
  expect(isDataBefore("accountnamesmatch", 12)).toBe(false);
  expect(isDataAfter("matchaccountnames", 5)).toBe(false);
  expect(isDataAfter("match[REDACTED]", 5)).toBe(true);
});
