import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { dispatch, hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const EVENT = { hook_event_name: "turn_start" };

describe("the directory in which hooksh starts", () => {
  test("cannot run code in hooksh with the preload of a bunfig.toml", async () => {
    const cwd = tempDir({
      "bunfig.toml": 'preload = ["./evil.ts"]\n[test]\npreload = ["./evil.ts"]\n',
      "evil.ts": 'import { writeFileSync } from "node:fs"; writeFileSync("pwned", "");',
    });
    const ran = await dispatch({ turn_start: [{ type: "command", command: "echo ran" }] }, EVENT, { cwd });
    expect(ran.lines()).toEqual([{ event: "turn_start", allowed: true, additional_context: "ran" }]);
    expect(existsSync(join(cwd, "pwned"))).toBe(false);
  });

  test("cannot set its variables with a .env", async () => {
    const cwd = tempDir({ ".env": "PLANTED=yes\n", ".env.local": "PLANTED=yes\n", ".env.production": "PLANTED=yes\n" });
    const ran = await dispatch(
      { turn_start: [{ type: "command", command: 'echo "planted: ${PLANTED:-no}"' }] },
      EVENT,
      { cwd },
    );
    expect(ran.lines()[0]).toMatchObject({ additional_context: "planted: no" });
  });

  test("cannot replace the compiled worker with its own", async () => {
    const planted = 'import { writeFileSync } from "node:fs"; writeFileSync("pwned", ""); postMessage("ready");';
    const cwd = tempDir({
      "worker.ts": planted,
      "worker.js": planted,
      "src/worker.ts": planted,
      "engine/workers/worker.js": planted,
    });
    const ran = await dispatch(
      { pre_tool_use: [{ hooks: [{ type: "builtin", command: "redact_secrets" }] }] },
      {
        hook_event_name: "pre_tool_use",
        tool_name: "shell",
        tool_input: { cmd: "ls" },
      },
      { cwd },
    );
    expect(ran.lines()[0]).toMatchObject({ allowed: true });
    expect(existsSync(join(cwd, "pwned"))).toBe(false);
  });

  test("cannot change what an import inside the executable resolves to", async () => {
    const cwd = tempDir({
      "node_modules/valibot/package.json": '{"name":"valibot","main":"index.js"}',
      "node_modules/valibot/index.js": 'require("fs").writeFileSync("pwned", "");',
      "package.json": '{"imports":{"valibot":"./evil.js"}}',
      "tsconfig.json": '{"compilerOptions":{"paths":{"*":["./evil.js"]}}}',
    });
    const ran = await hooksh(["version"], { cwd });
    expect(ran.stdout).toMatch(/^hooksh \d+\.\d+\.\d+\n$/);
    await dispatch({}, EVENT, { cwd });
    expect(existsSync(join(cwd, "pwned"))).toBe(false);
  });
});
