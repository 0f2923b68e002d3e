import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readExplanations } from "../../scripts/mutate/explained.ts";

const root = join(import.meta.dir, "../..");

test("every explained survivor of the mutation run names a line that exists", () => {
  const lost = readExplanations(root).filter(({ file, line }) => {
    const path = join(root, file);
    return !existsSync(path) || !linesOf(path).includes(line);
  });
  expect(lost.map(({ file, line }) => `${file}: ${line}`)).toEqual([]);
});

function linesOf(path: string): string[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .map((line) => line.trim());
}
