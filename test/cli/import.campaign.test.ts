import { expect, test } from "bun:test";
import { binary, cleanEnv, hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";

test("20,000 hooks are imported, and a signal ends that", async () => {
  const groups = Array.from({ length: 20_000 }, (_, at) => ({
    matcher: `m${at}`,
    hooks: [{ type: "command", command: `c${at}` }],
  }));
  const where = {
    home: tempDir(),
    project: tempDir({ ".claude/settings.json": JSON.stringify({ hooks: { PreToolUse: groups } }) }),
  };
  const ran = await hooksh(["import", "claude", "--output", "hooks.yaml", "--json"], {
    cwd: where.project,
    env: { HOME: where.home },
  });
  expect(JSON.parse(ran.stdout).hooks).toHaveLength(20_000);
  const running = Bun.spawn([binary(), "import", "claude"], {
    cwd: where.project,
    env: { ...cleanEnv(where.project), HOME: where.home },
    stdout: "ignore",
    stderr: "ignore",
  });
  await Bun.sleep(100);
  running.kill("SIGTERM");
  expect([130, 143]).toContain(await running.exited); // 143: before hooksh listens to signals
});
