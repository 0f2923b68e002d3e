import { expect, test } from "bun:test";
import {
  countMarks,
  isInsideMark,
  isMarkBefore,
  labelledMark,
  markLengthAt,
  REDACTION_MARK,
} from "../../../src/lib/secrets/redaction-mark.ts";

const LABELLED = labelledMark("github-pat");

test("a mark is counted with and without the kind of secret", () => {
  expect(LABELLED).toBe("[REDACTED:github-pat]");
  expect(countMarks(`a ${REDACTION_MARK} b ${LABELLED}${REDACTION_MARK}`)).toBe(3);
  expect(countMarks("[REDACTED [REDACTED: x] [REDACTED:Two Words]")).toBe(0);
});

test("a mark has a place", () => {
  const text = `x${LABELLED}y`;
  expect(markLengthAt(text, 1)).toBe(LABELLED.length);
  expect(markLengthAt(text, 2)).toBe(0);
  expect(isMarkBefore(text, 1 + LABELLED.length)).toBe(true);
  expect(isMarkBefore(`${text}]`, text.length + 1)).toBe(false);
  expect([0, 1, 2, LABELLED.length, LABELLED.length + 1].map((at) => isInsideMark(text, at))).toEqual([
    false,
    false,
    true,
    true,
    false,
  ]);
});
