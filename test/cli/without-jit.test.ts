import { describe, expect, test } from "bun:test";
import { closeSync, constants, mkdirSync, openSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { tryLock } from "../../src/lib/process/descriptors.ts";
import { binary, cleanEnv, hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { EVENT, onShell, PASSING, project } from "./audited-project.ts";

// As under MemoryDenyWriteExecute of systemd: no code can be made at run time, so nothing of the C library can be called.
const NO_JIT = { BUN_JSC_useJIT: "0" };

const COMMAND = ["dispatch", "--hooks-file", "hooks.yaml", "--data-dir", "data", "--config-dir", "config"];

describe.skipIf(process.platform === "win32")("without the JIT", () => {
  const withoutJit = (cwd: string, args: readonly string[] = COMMAND, env = {}) =>
    hooksh(args, { cwd, input: EVENT, env: { ...NO_JIT, ...env } });

  test("a command hook writes to real pipes, and the audit log gets its line", async () => {
    const command = `echo '{"reason":"no","decision":"block"}' > /dev/stdout; echo why > /dev/stderr; exit 0`;
    const { cwd, entries } = project(onShell({ type: "command", command }));
    expect(await withoutJit(cwd)).toMatchObject({ code: 2, stderr: "no\n" });
    expect(entries()).toMatchObject([{ decision: "deny", reason: "no" }]);
  });

  test("a hook that writes more than a pipe holds", async () => {
    const reason = "x".repeat(300_000);
    const { cwd } = project(onShell({ type: "command", command: "cat answer.json" }));
    await Bun.write(join(cwd, "answer.json"), JSON.stringify({ decision: "block", reason }));
    expect(await withoutJit(cwd)).toMatchObject({ code: 2, stderr: `${reason}\n` });
  });

  test("processes with and without the JIT leave one chain", async () => {
    const { cwd, run, entries } = project(PASSING);
    // Absolute folders: with the JIT, the part before the engine takes them.
    const command = COMMAND.map((word) => (/^(?:data|config)$/.test(word) ? join(cwd, word) : word));
    const verdicts = await Promise.all(
      Array.from({ length: 40 }, (_, index) => hooksh(command, { cwd, input: EVENT, env: index % 2 ? NO_JIT : {} })),
    );
    expect(verdicts.filter(({ code, stderr }) => code !== 0 || stderr !== "")).toEqual([]);
    expect(entries()).toHaveLength(40);
    expect(await run(["audit", "verify"])).toMatchObject({ code: 0, stderr: "" });
  });

  test("a lock excludes processes of both kinds, until its holder is killed", async () => {
    const path = join(tempDir({ lock: "" }), "lock");
    const program = `import { openSync } from "node:fs";
      import { tryLock } from ${JSON.stringify(join(import.meta.dir, "../../src/lib/process/descriptors.ts"))};
      console.log(tryLock(openSync(${JSON.stringify(path)}, "r+")));
      setInterval(() => {}, 1000);`;
    const other = async (env: Record<string, string>) => {
      const child = Bun.spawn([process.execPath, "-e", program], { env: { ...process.env, ...env }, stdout: "pipe" });
      for await (const chunk of child.stdout) return { child, answer: new TextDecoder().decode(chunk) };
      throw new Error("it says nothing");
    };
    const own = openSync(path, constants.O_RDWR);
    expect(tryLock(own)).toBe(true);
    const refused = await other(NO_JIT);
    expect(refused.answer).toBe("false\n");
    closeSync(own);
    const holder = await other(NO_JIT);
    expect(holder.answer).toBe("true\n");
    const again = openSync(path, constants.O_RDWR);
    expect(tryLock(again)).toBe(false);
    expect((await other({})).answer).toBe("false\n");
    holder.child.kill("SIGKILL");
    await holder.child.exited;
    expect(tryLock(again)).toBe(true);
  });

  test("what an own hook prints stays out of the answer in a pipe; at a socket nothing runs", async () => {
    const hook = 'console.log("noise"); export default () => ({ decision: "block", reason: "no" });';
    const { cwd } = project(onShell({ type: "builtin", command: "./hook.ts" }));
    await Bun.write(join(cwd, "hook.ts"), hook);
    const piped = Bun.spawn(["sh", "-c", '"$@" 2>/dev/null | cat', "sh", binary(), ...COMMAND], {
      cwd,
      env: cleanEnv(cwd, NO_JIT),
      stdin: Buffer.from(EVENT),
      stdout: "pipe",
    });
    expect(JSON.parse(await piped.stdout.text())).toEqual({ decision: "block", reason: "no" });
    const ran = await withoutJit(cwd);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain("out of the answer without the JIT");
  });

  test("without the programs that it needs, the call does not run; doctor says which are missing", async () => {
    const { cwd } = project(PASSING);
    mkdirSync(join(cwd, "bin"));
    symlinkSync("/bin/sh", join(cwd, "bin", "sh"));
    const env = { PATH: join(cwd, "bin") };
    const ran = await withoutJit(cwd, COMMAND, env);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain("cannot open a pipe without the JIT");
    expect(ran.stderr).toContain("cannot lock a file without the JIT: neither flock nor perl can be run");
    const { issues, warnings } = JSON.parse((await withoutJit(cwd, ["doctor", "--json"], env)).stdout);
    expect(issues).toContain("mkfifo: not found: without the JIT, command hooks cannot run");
    expect(issues).toContain("flock: not found, and no perl: without the JIT, the audit log cannot be written");
    expect(warnings).toContainEqual(expect.stringContaining("hooksh may not compile code at run time here"));
    const usual = JSON.parse((await hooksh(["doctor", "--json"], { cwd })).stdout);
    expect(usual.warnings.join()).not.toContain("compile code");
  });
});
