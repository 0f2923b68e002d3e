import { expect, test } from "bun:test";
import { classifyCommand } from "../../src/shell/classify.ts";

test("a destructive command after thousands of others is found, and a line of thousands is never safe", () => {
  const many = "ls;".repeat(20_000);
  expect(classifyCommand(`${many}rm -rf x`)).toMatchObject({ label: "destructive", blastRadius: "high" });
  expect(classifyCommand(many).label).toBe("unknown");
  expect(classifyCommand(`X='rm -rf y';${many}$X`).label).not.toBe("safe");
});
