import { expect, test } from "bun:test";
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
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

test("hooksh demo prints what the README shows, outside of the project too, and leaves nothing behind", async () => {
  const [, shown = ""] = /\n```console\n(An agent is asked[\s\S]*?)```/.exec(readme) ?? [];
  const cwd = tempDir({
    "tmp/keep": "",
    "config/hooks.d/00-deny.yaml": "pre_tool_use: [{hooks: [{type: command, command: exit 2}]}]\n",
  });
  const env = { TMPDIR: join(cwd, "tmp"), HOOKSH_CONFIG_DIR: join(cwd, "config"), HOOKSH_DATA_DIR: cwd };
  const { code, stdout, stderr } = await hooksh(["demo"], { cwd, env });
  const untimed = (text: string) => text.replace(/\d+ ms$/gm, "_ ms").trim();
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(untimed(stdout)).toBe(untimed(shown));
  expect([readdirSync(cwd).sort(), readdirSync(join(cwd, "tmp"))]).toEqual([["config", "tmp"], ["keep"]]);
});

test("hooksh demo DIR keeps a project in which the agent, its guard and their tests work", async () => {
  const cwd = tempDir({ "full/file": "" });
  const demo = await hooksh(["demo", "new"], { cwd });
  expect(demo).toMatchObject({ code: 0, stderr: "" });
  expect(demo.stdout).toEndWith("because of the hook in guard.ts. The files are in new, to read and change.\n");
  expect(await hooksh(["test"], { cwd: join(cwd, "new") })).toMatchObject({ code: 0 });
  for (const used of ["new", "full"]) {
    expect(await hooksh(["demo", used], { cwd })).toMatchObject({
      code: 1,
      stdout: "",
      stderr: `${used}: not empty: name a new directory\n`,
    });
  }
  expect(readdirSync(join(cwd, "full"))).toEqual(["file"]);
});
