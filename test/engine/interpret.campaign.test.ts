import { describe, expect, test } from "bun:test";
import { defineHook } from "../../src/config/hooks/read-hooks.ts";
import { interpret } from "../../src/engine/interpret.ts";
import { contractOf, type EventName } from "../../src/protocol/events.ts";

function read(event: EventName, stdout: string) {
  const asked = { event, contract: contractOf(event), hook: defineHook({ type: "command", command: "x" }) };
  return interpret(asked, { kind: "exited", exitCode: 0, stdout, stderr: "" });
}

describe("a guard that misspells its answer", () => {
  test("is recognised in linear time", () => {
    const keys = Object.fromEntries(Array.from({ length: 300_000 }, (_, n) => [`a_rather_long_key_${n}`, n]));
    expect(read("turn_start", JSON.stringify(keys))).toMatchObject({
      kind: "silent",
      warning: expect.stringContaining("no key of it is read"),
    });
    expect(read("turn_start", JSON.stringify([keys])).kind).toBe("said");
    expect(read("pre_tool_use", JSON.stringify({ ...keys, permissionDecision: "deny" }))).toMatchObject({
      error: expect.stringContaining("permissionDecision"),
    });
    const hostile = ["{", '{"', "{ ", '{"\\', "[{"].map((part) => `x${part.repeat(2_000_000)}`);
    for (const text of hostile) expect(read("turn_start", text).kind).toBe("said");
  });
});
