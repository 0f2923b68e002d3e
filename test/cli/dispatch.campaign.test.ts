import { expect, test } from "bun:test";
import { join } from "node:path";
import { binary, cleanEnv } from "../helpers/binary.ts";
import { expectGrowth } from "../helpers/growth.ts";
import { tempDir } from "../helpers/temp-dir.ts";

test.each([
  ["one long string", `{"hook_event_name":"turn_end","x":"`, "x", `"}`],
  ["nothing but escapes", `{"hook_event_name":"turn_end","x":"`, '\\"', `"}`],
  ["nothing but blanks", `{"hook_event_name":"turn_end"`, "\n", "}"],
])("100 MB of %s are read in linear time", async (_name, head, filling, tail) => {
  await expectGrowth(64, 100_000_000, async (size) => {
    const cwd = tempDir();
    const input = Buffer.concat([Buffer.from(head), Buffer.alloc(size, filling), Buffer.from(tail)]);
    await Bun.write(join(cwd, "input"), input);
    const stdin = Bun.file(join(cwd, "input"));
    const child = Bun.spawn([binary(), "dispatch"], { cwd, env: cleanEnv(cwd), stdin, stdout: "pipe" });
    expect(await child.exited).toBe(0);
    return Number(child.resourceUsage()?.cpuTime.total ?? 0n) / 1000;
  });
});
