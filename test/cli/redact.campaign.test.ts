import { describe, expect, test } from "bun:test";
import { hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const token = ["ghp", "a1B2".repeat(9)].join("_");

describe("the filter", () => {
  test("finds a secret across the border of two chunks, even in a line of many megabytes", async () => {
    const piece = 64 * 1024;
    for (const fill of ["x ", "line\n"]) {
      const before = fill.repeat(piece).slice(0, piece - 20);
      const text = `${before} ${token} ${fill.repeat(200_000)} ${token} ${fill.repeat(4_500_000)} ${token}`;
      const ran = await hooksh(["redact"], { cwd: tempDir(), input: text });
      expect(ran.code).toBe(0);
      expect(ran.stdout === text.replaceAll(token, "[REDACTED]")).toBe(true);
    }
  });
});

describe("the report", () => {
  test("counts lines and columns across the pieces of a long text", async () => {
    const line = `${"y".repeat(99)}\n`;
    const text = `${line.repeat(200_000)}${token}\n${"z".repeat(30)} ${token}`;
    const ran = await hooksh(["redact", "--report"], { cwd: tempDir(), input: text });
    expect(ran.stdout).toBe("-:200001:1: github-pat\n-:200002:32: github-pat\n");
  });
});
