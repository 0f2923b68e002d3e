import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { binary, cleanEnv } from "../helpers/binary.ts";
import { EVENT, PASSING, project } from "./audited-project.ts";

describe("many processes", () => {
  test.skipIf(!Bun.which("flock"))("held up together, they all get their lines", async () => {
    const { cwd, log, dispatch, run, entries } = project(PASSING);
    await dispatch();
    const holder = Bun.spawn(["flock", join(dirname(log), "lock"), "sh", "-c", "echo held; sleep 2"], {
      cwd,
      stdout: "pipe",
    });
    for await (const _chunk of holder.stdout) break;
    const verdicts = await Promise.all(Array.from({ length: 60 }, () => dispatch()));
    expect(verdicts.filter(({ code, stderr }) => code !== 0 || stderr !== "")).toEqual([]);
    expect(entries()).toHaveLength(61);
    expect(await run(["audit", "verify"])).toMatchObject({ code: 0, stderr: "" });
  });

  test("killed while they write, they hold up nobody and break no chain", async () => {
    const { cwd, log, dispatch, run, entries } = project(PASSING);
    const args = ["dispatch", "--hooks-file", "hooks.yaml", "--data-dir", "data", "--config-dir", "config"];
    const stream = Buffer.from(`${EVENT}\n`.repeat(20_000));
    const writers = Array.from({ length: 6 }, () =>
      Bun.spawn([binary(), ...args], { cwd, env: cleanEnv(cwd), stdin: stream, stdout: "ignore", stderr: "ignore" }),
    );
    while (!existsSync(log) || readFileSync(log, "utf8").split("\n").length <= 200) await Bun.sleep(10);
    for (const writer of writers) {
      writer.kill("SIGKILL");
      await Bun.sleep(20);
    }
    await Promise.all(writers.map((writer) => writer.exited));
    const count = entries().length;
    expect(await dispatch()).toMatchObject({ code: 0, stderr: "" });
    expect(entries()).toHaveLength(count + 1);
    expect(await run(["audit", "verify"])).toMatchObject({ code: 0, stderr: "" });
  });
});
