import { expect, test } from "bun:test";
import { shortcutDifferences } from "./path-shortcut.ts";

test.each([1, 2, 3])("the shortcut for plain paths changes no result, seed %d", (seed) => {
  expect(shortcutDifferences(5_000, seed)).toEqual([]);
});
