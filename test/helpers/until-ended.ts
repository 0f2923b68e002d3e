import { readFileSync } from "node:fs";

/** Waits until a process has ended. Fails after two minutes. A zombie has ended, whoever reaps it. */
export async function untilEnded(pid: number): Promise<void> {
  const deadline = Date.now() + 120_000;
  while (isRunning(pid)) {
    if (Date.now() > deadline) throw new Error(`process ${pid} did not end`);
    await Bun.sleep(20);
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== "linux" || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
