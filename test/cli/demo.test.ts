import { expect, test } from "bun:test";
import { copyFileSync, existsSync, readdirSync, readFileSync, realpathSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { binary, cleanEnv, hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const root = join(import.meta.dir, "../..");

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
  expect([readdirSync(cwd).sort(), readdirSync(join(cwd, "tmp"))]).toEqual([[".home", "config", "tmp"], ["keep"]]);
});

test("its last line names the next command as the shell finds it", async () => {
  const cwd = tempDir({ "other!x": "#!/bin/sh\n", "bin/keep": "", "others/keep": "" });
  const last = async (at: string, PATH = "/usr/bin:/bin") => {
    const { stdout } = await hooksh(["demo"], { cwd: at, env: { PATH } });
    return /^Next: `(.*) init` writes/.exec(stdout.trimEnd().split("\n").at(-1) ?? "")?.[1];
  };
  const program = realpathSync(binary());
  const folder = dirname(program);
  expect(await last(cwd)).toBe(program);
  expect(await last(folder)).toBe(`./${basename(program)}`);
  expect(await last(dirname(folder))).toBe(`${basename(folder)}/${basename(program)}`);
  symlinkSync(program, join(cwd, "bin/hooksh"));
  expect(await last(cwd, `${cwd}/bin:/usr/bin:/bin`)).toBe("hooksh");
  symlinkSync(join(cwd, "other"), join(cwd, "others/hooksh"));
  expect(await last(cwd, `${cwd}/others:/usr/bin:/bin`)).toBe(program);
});

test("npm run demo ends with steps that work as typed", async () => {
  const clone = tempDir({ "dist/keep": "", "scripts/demo.sh": readFileSync(join(root, "scripts/demo.sh"), "utf8") });
  copyFileSync(binary(), join(clone, "dist/hooksh"));
  const child = Bun.spawn(["sh", "scripts/demo.sh"], {
    cwd: clone,
    env: { ...cleanEnv(tempDir()), PATH: "/usr/bin:/bin" },
    stdout: "pipe",
  });
  const [code, stdout] = await Promise.all([child.exited, child.stdout.text()]);
  const [next = "", tour = ""] = stdout.trimEnd().split("\n").slice(-2);
  const [, command = ""] = /^Next: `(.+)` /.exec(next) ?? [];
  expect({ code, command }).toEqual({ code: 0, command: "dist/hooksh init" });
  expect(await Bun.spawn(["sh", "-c", command], { cwd: clone, env: cleanEnv(clone), stdout: "ignore" }).exited).toBe(0);
  const [page = ""] = /docs\/\S+\.md/.exec(tour) ?? [];
  expect([page, existsSync(join(root, page))]).toEqual(["docs/tour.md", true]);
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
