import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { binary, cleanEnv, dispatch } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const CALL = { hook_event_name: "pre_tool_use", tool_name: "shell", tool_input: { cmd: "ls" } };
const guard = (command: string) => ({ pre_tool_use: [{ hooks: [{ type: "command", command }] }] });

describe.if(existsSync("/dev/full"))("a disk that is full", () => {
  test.each([
    ["allows", "true", 0],
    ["blocks", "exit 2", 2],
    ["fails", "exit 1", 2],
  ])("the place of the debug log does not affect a guard that %s", async (_name, command, code) => {
    const cwd = tempDir();
    const ran = await dispatch(guard(command), CALL, { cwd, args: ["--debug", "--log-file", "/dev/full"] });
    expect(ran.code).toBe(code);
    expect(ran.lines()).toMatchObject([{ allowed: code === 0 }]);
    expect(ran.stderr.match(/cannot write the debug log/g)).toHaveLength(1);
  });

  test.each([
    ["allows", "pre_tool_use", "true", "hook", 2],
    ["blocks", "pre_tool_use", "echo no >&2; exit 2", "hook", 2],
    ["only watches", "turn_end", "true", "hook", 2],
    ["only watches", "turn_end", "true", "result", 1],
  ] as const)(
    "no output allows a call if a hook %s: %s, %s, --output %s",
    async (_name, event, command, format, code) => {
      const hooks = event === "turn_end" ? { turn_end: [{ type: "command", command }] } : guard(command);
      const cwd = tempDir({
        "hooks.json": JSON.stringify(hooks),
        "event.json": JSON.stringify({ ...CALL, hook_event_name: event }),
      });
      // The engine alone, and the part before it, which needs no log for this.
      for (const way of ["--input event.json", "--no-audit < event.json"]) {
        const shell = `exec "$0" dispatch --hooks-file hooks.json --output ${format} ${way} > /dev/full`;
        const ran = Bun.spawnSync(["/bin/sh", "-c", shell, binary()], { cwd, env: cleanEnv(cwd) });
        expect(ran.exitCode).toBe(code);
        expect(ran.stderr.toString()).toContain("standard output: ENOSPC");
        expect(ran.stderr.toString()).not.toContain("bug");
      }
    },
  );
});
