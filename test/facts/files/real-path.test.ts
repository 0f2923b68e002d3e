import { describe, expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { realPathOf } from "../../../src/facts/files/real-path.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

describe("a path as the system follows it", () => {
  const dir = tempDir();

  test("a slash at the end of what is not there names it all the same", () => {
    expect(realPathOf(`${dir}/missing/`)).toBe(`${dir}/missing`);
    expect(realPathOf(`${dir}/missing/below/`)).toBe(`${dir}/missing/below`);
    expect(realPathOf(`${dir}/missing//below`)).toBe(`${dir}/missing/below`);
  });

  test("a link leads to its target, also if nothing is there", () => {
    symlinkSync("nowhere", join(dir, "link"));
    expect(realPathOf(join(dir, "link"))).toBe(join(dir, "nowhere"));
    expect(realPathOf(`${dir}/link/below/`)).toBe(join(dir, "nowhere", "below"));
  });
});
