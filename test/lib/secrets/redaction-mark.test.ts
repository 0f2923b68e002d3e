import { expect, test } from "bun:test";
import {
  countRedactionMarks,
  isInsideRedactionMark,
  labelledRedactionMark,
  REDACTION_MARK,
  redactionMarkEndsAt,
  redactionMarkLengthAt,
} from "../../../src/lib/secrets/redaction-mark.ts";

const LABELLED = labelledRedactionMark("github-pat");

test("a mark is counted with and without the kind of secret", () => {
  expect(LABELLED).toBe("[REDACTED:github-pat]");
  expect(countRedactionMarks(`a ${REDACTION_MARK} b ${LABELLED}${REDACTION_MARK}`)).toBe(3);
  expect(countRedactionMarks("[REDACTED [REDACTED: x] [REDACTED:Two Words]")).toBe(0);
});

test("a mark has a place", () => {
  const text = `x${LABELLED}y`;
  expect(redactionMarkLengthAt(text, 1)).toBe(LABELLED.length);
  expect(redactionMarkLengthAt(text, 2)).toBe(0);
  expect(redactionMarkEndsAt(text, 1 + LABELLED.length)).toBe(true);
  expect(redactionMarkEndsAt(`${text}]`, text.length + 1)).toBe(false);
  expect([0, 1, 2, LABELLED.length, LABELLED.length + 1].map((at) => isInsideRedactionMark(text, at))).toEqual([
    false,
    false,
    true,
    true,
    false,
  ]);
});
