import { expect, test } from "bun:test";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hooksh } from "./helpers/binary.ts";
import { tempDir } from "./helpers/temp-dir.ts";

const root = join(import.meta.dir, "..");
const readme = readFileSync(join(root, "README.md"), "utf8");

test("the test file of the README has the results that the README shows", async () => {
  const [, file = ""] = /```yaml\n(# guard\.hooktest\.yaml\n[\s\S]*?)```/.exec(readme) ?? [];
  const [, shown = ""] = /\$ hooksh test guard\.hooktest\.yaml\n([\s\S]*?)```/.exec(readme) ?? [];
  const cwd = tempDir();
  cpSync(join(root, "examples"), join(cwd, "examples"), { recursive: true });
  writeFileSync(join(cwd, "guard.hooktest.yaml"), file);
  const { code, stdout } = await hooksh(["test", "guard.hooktest.yaml"], { cwd });
  const untimed = (text: string) => text.replace(/\d+ ms$/gm, "_ ms").replace(/[\d.]+ s$/gm, "_ s");
  expect(untimed(stdout)).toBe(untimed(shown));
  expect(code).toBe(0);
});
