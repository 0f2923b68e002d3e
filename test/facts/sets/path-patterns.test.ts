import { expect, test } from "bun:test";
import { shortcutDifferences } from "./path-shortcut.ts";

test("the shortcut for plain paths changes no result", () => {
  expect(shortcutDifferences(250, 7)).toEqual([]);
});
