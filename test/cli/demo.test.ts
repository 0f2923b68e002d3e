import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";

test("hooksh demo runs without the user's hooks, and leaves nothing behind", async () => {
  const cwd = tempDir({
    "tmp/keep": "",
    "config/hooks.d/00-deny.yaml": "pre_tool_use: [{hooks: [{type: command, command: exit 2}]}]\n",
  });
  const env = { TMPDIR: join(cwd, "tmp"), HOOKSH_CONFIG_DIR: join(cwd, "config"), HOOKSH_DATA_DIR: cwd };
  const { code, stdout } = await hooksh(["demo"], { cwd, env });
  expect(code).toBe(0);
  expect(stdout).toContain("Denied shell(cmd: rm -rf build)");
  expect(stdout).toContain("\n$ ls -A .trash\nbuild\n");
  expect([readdirSync(cwd).sort(), readdirSync(join(cwd, "tmp"))]).toEqual([["config", "tmp"], ["keep"]]);
});

test("hooksh demo DIR keeps a project in which the tests of the guard pass; DIR must be new or empty", async () => {
  const cwd = tempDir({ "full/file": "" });
  expect(await hooksh(["demo", "new"], { cwd })).toMatchObject({ code: 0 });
  expect(await hooksh(["test"], { cwd: join(cwd, "new") })).toMatchObject({ code: 0 });
  for (const used of ["new", "full"])
    expect(await hooksh(["demo", used], { cwd })).toMatchObject({
      code: 1,
      stdout: "",
      stderr: `${used}: not empty: name a new directory\n`,
    });
  expect(readdirSync(join(cwd, "full"))).toEqual(["file"]);
});
