import { expect, test } from "bun:test";
import { compareWithBruteForce } from "./random-policies.ts";

test("ten thousand random policies: no wrong answer", () => {
  expect(compareWithBruteForce(10_000, 2).wrong).toEqual([]);
}, 300_000);
