import { describe, expect, test } from "bun:test";
import { statSync } from "node:fs";
import { longFile, MIGRATE, versionOf } from "./version-1-files.ts";

describe("a migration", () => {
  test.if(process.platform === "linux")("of 50 MB never holds the whole file in memory", async () => {
    const path = longFile(5_000);
    expect(statSync(path).size).toBeGreaterThan(50_000_000);
    // The peak of this process alone: the usage that the system reports for a child counts the memory of its parent too.
    const printStatus = `process.stdout.write(require("node:fs").readFileSync("/proc/self/status", "utf8"));`;
    const child = Bun.spawn([process.execPath, "-e", `${MIGRATE}\n${printStatus}`, path], {
      stdout: "pipe",
      stderr: "pipe",
    });
    const [status, errors, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    expect([code, errors]).toEqual([0, ""]);
    const peak = Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]);
    expect(peak / 1024).toBeLessThan(400);
    expect(versionOf(path)).toBe(2);
  });
});
