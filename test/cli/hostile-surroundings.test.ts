import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { dispatch } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const CALL = { hook_event_name: "pre_tool_use", tool_name: "shell", tool_input: { cmd: "ls" } };
const guard = (command: string) => ({ pre_tool_use: [{ hooks: [{ type: "command", command }] }] });

describe.if(existsSync("/dev/full"))("a disk that is full", () => {
  test.each([
    ["allows", "true", 0],
    ["blocks", "exit 2", 2],
    ["fails", "exit 1", 2],
  ])("where the debug log lies changes nothing for a guard that %s", async (_name, command, code) => {
    const cwd = tempDir();
    const ran = await dispatch(guard(command), CALL, { cwd, args: ["--debug", "--log-file", "/dev/full"] });
    expect(ran.code).toBe(code);
    expect(ran.lines()).toMatchObject([{ allowed: code === 0 }]);
    expect(ran.stderr.match(/cannot write the debug log/g)).toHaveLength(1);
  });
});
