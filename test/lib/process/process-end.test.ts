import { expect, test } from "bun:test";
import { getEventListeners } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { processEnv } from "../../../src/lib/env.ts";
import { type ProcessRequest, runProcess } from "../../../src/lib/process/process.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

const onUnix = test.skipIf(process.platform === "win32");
const onLinux = test.skipIf(process.platform !== "linux");

function run(text: string, more: Partial<ProcessRequest> = {}) {
  const limits = { stdoutLimit: 1_000_000, stderrLimit: 1_000_000 };
  return runProcess({ command: ["/bin/sh", "-c", text], cwd: "/", env: processEnv(), ...limits, ...more });
}

/** Waits for a file, and returns the process id in it. */
async function pidIn(file: string): Promise<number> {
  while (!existsSync(file) || readFileSync(file, "utf8").trim() === "") await Bun.sleep(10);
  return Number(readFileSync(file, "utf8"));
}

onUnix("a signal that outlives its processes keeps no listener of theirs", async () => {
  const { signal } = new AbortController();
  await run("true", { signal });
  await run("exit 3", { signal });
  await run("exec sleep 600", { signal, deadlineMs: 1, graceMs: 0 });
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

onUnix("output that arrived before the end is kept, even if nothing could look at it in time", async () => {
  // Longer than the time for reading: its timer is over whenever the event loop gets to it.
  const busy = setInterval(() => Bun.sleepSync(30), 1);
  try {
    for (let n = 0; n < 10; n++) {
      const { stdout } = await run("head -c 50000 /dev/zero | tr '\\0' x", { drainMs: 10, pipeHolders: "leave" });
      expect(stdout.length).toBe(50_000);
    }
  } finally {
    clearInterval(busy);
  }
});

onLinux("an outer run ends what an inner run started, even after the inner one is dead", async () => {
  const dir = tempDir();
  const file = join(dir, "pid");
  const program = `
    import { runProcess } from ${JSON.stringify(join(import.meta.dir, "../../../src/lib/process/process.ts"))};
    const command = ["setsid", "sh", "-c", ${JSON.stringify(`echo $$ > ${file}; exec sleep 600`)}];
    await runProcess({ command, cwd: "/", env: process.env, stdoutLimit: 0, stderrLimit: 0 });`;
  const controller = new AbortController();
  const outer = runProcess({
    command: [process.execPath, "-e", program],
    cwd: dir,
    env: processEnv(),
    signal: controller.signal,
    stdoutLimit: 10_000,
    stderrLimit: 10_000,
  });
  const pid = await pidIn(file);
  controller.abort();
  expect(await outer).toMatchObject({ end: { kind: "aborted" }, hasSurvivors: false });
  expect(existsSync(`/proc/${pid}/cmdline`) && readFileSync(`/proc/${pid}/cmdline`, "utf8")).toBeFalsy();
});
