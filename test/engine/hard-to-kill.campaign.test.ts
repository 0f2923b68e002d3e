import { describe, expect, test } from "bun:test";
import { tempDir } from "../helpers/temp-dir.ts";
import { executor } from "./command-executor.ts";

describe("large amounts", () => {
  test("500 hooks on one event all run", async () => {
    const dir = tempDir();
    const hooks = Array.from({ length: 500 }, (_, n) => ({ command: `echo ${n}; cat > /dev/null` }));
    const result = await executor(dir, "turn_start", ...hooks).dispatch("turn_start", {});
    expect(result.additional_context).toBe(Array.from({ length: 500 }, (_, n) => n).join("\n"));
    expect(result.system_message).toBeUndefined();
  });
});
