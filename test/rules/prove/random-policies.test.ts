import { expect, test } from "bun:test";
import { compareWithBruteForce } from "./random-policies.ts";

test("what is proved holds for every step of a small world, and what is refuted has a step that shows it", () => {
  const { wrong, proved, refuted } = compareWithBruteForce(500, 1);
  expect(wrong).toEqual([]);
  expect(proved).toBeGreaterThan(50);
  expect(refuted).toBeGreaterThan(50);
});
