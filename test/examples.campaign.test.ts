import { expect, test } from "bun:test";
import { join } from "node:path";
import { hooksh } from "./helpers/binary.ts";
import { tempDir } from "./helpers/temp-dir.ts";

test("all tests of the examples pass", async () => {
  const ran = await hooksh(["test", join(import.meta.dir, "../examples"), "--json"], { cwd: tempDir() });
  const failed = ran.lines().filter((line) => line["status"] === "failed");
  expect({ code: ran.code, failed, stderr: ran.stderr }).toEqual({ code: 0, failed: [], stderr: "" });
});
