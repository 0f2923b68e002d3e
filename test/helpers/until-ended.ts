import { readFileSync } from "node:fs";
import { until } from "./until.ts";

/** Waits until a process has ended. A zombie has ended, whoever reaps it. */
export async function untilEnded(pid: number): Promise<void> {
  await until(() => !isRunning(pid));
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== "linux" || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
