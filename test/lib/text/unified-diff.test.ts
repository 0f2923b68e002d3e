import { describe, expect, test } from "bun:test";
import { unifiedDiff } from "../../../src/lib/text/unified-diff.ts";

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => `${from + at}\n`).join("");

describe("unifiedDiff", () => {
  test("shows three lines around a change", () => {
    const before = numbers(1, 9);
    expect(unifiedDiff(before, before.replace("5\n", "five\n"))).toBe(
      "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8",
    );
  });

  test("shows changes that are far apart in hunks of their own", () => {
    const before = numbers(1, 20);
    const after = before.replace("2\n", "").replace("19\n", "19\nnew\n");
    expect(unifiedDiff(before, after)).toBe(
      "@@ -1,5 +1,4 @@\n 1\n-2\n 3\n 4\n 5\n@@ -17,4 +16,5 @@\n 17\n 18\n 19\n+new\n 20",
    );
  });

  test("shows a new file and a removed one", () => {
    expect(unifiedDiff(undefined, "a\nb\n")).toBe("@@ -0,0 +1,2 @@\n+a\n+b");
    expect(unifiedDiff("a\n", undefined)).toBe("@@ -1,1 +0,0 @@\n-a");
  });

  test("keeps the lines that two changed parts share", () => {
    expect(unifiedDiff("a\nx\nb\n", "c\nx\nd\n")).toBe("@@ -1,3 +1,3 @@\n-a\n+c\n x\n-b\n+d");
  });

  test("is empty for equal texts", () => {
    expect(unifiedDiff("a\n", "a\n")).toBe("");
  });
});
