import { describe, expect, test } from "bun:test";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";

/** The verdict of the example's hooks on a tool call, from a directory without packages. */
async function judge(toolName: string, toolInput: object) {
  const cwd = tempDir();
  await cp(join(import.meta.dir, "../../examples/own-hook"), cwd, { recursive: true });
  const input = JSON.stringify({ hook_event_name: "pre_tool_use", tool_name: toolName, tool_input: toolInput });
  return hooksh(["dispatch", "--hooks-file", "hooks.yaml", "--output", "text"], { cwd, input });
}

describe("the example of a hook in TypeScript", () => {
  test.each(["package-lock.json", "./keys/server.pem", "/srv/project/package-lock.json"])(
    "blocks a write to %s",
    async (path) => {
      const message = `${path} is frozen in this project: leave it as it is`;
      expect(await judge("write_file", { path })).toMatchObject({
        code: 2,
        stdout: `pre_tool_use: denied: ${message}\n`,
        stderr: `${message}\n`,
      });
    },
  );

  test("allows every other write, and ignores other tools", async () => {
    expect(await judge("edit_file", { path: "src/main.ts" })).toMatchObject({
      code: 0,
      stdout: "pre_tool_use: allowed\n",
    });
    expect(await judge("read_file", { path: "package-lock.json" })).toMatchObject({ code: 0 });
  });

  test("blocks a call it cannot judge", async () => {
    const ran = await judge("write_file", {});
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain("write_file came without a path");
  });
});
