import { expect, test } from "bun:test";
import { cpSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const EXAMPLES = resolve(import.meta.dir, "../../examples");

const files = (readdirSync(EXAMPLES, { recursive: true }) as string[]).filter(
  (file) => /(?:hooks|agent|policy)\.yaml$/.test(file) && statSync(join(EXAMPLES, file)).isFile() && hasHooks(file),
);

/** A file of rules alone has nothing that `--init` could run. */
function hasHooks(file: string): boolean {
  return /^ *(?:hooks|[a-z]+_[a-z_]+):/m.test(readFileSync(join(EXAMPLES, file), "utf8"));
}

test.each(files)("hooksh test --init passes for the example %s", async (file) => {
  const cwd = tempDir();
  cpSync(EXAMPLES, cwd, { recursive: true });
  const target = file.replace(/\.yaml$/, ".hooktest.yaml");
  rmSync(join(cwd, target), { force: true });
  expect((await hooksh(["test", "--init", file], { cwd })).code).toBe(0);
  const { stdout, code } = await hooksh(["test", target], { cwd });
  expect([stdout, code]).toEqual([stdout, 0]);
});
