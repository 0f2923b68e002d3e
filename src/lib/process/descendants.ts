import { readdirSync, readFileSync } from "node:fs";
import { processEnv } from "../env.ts";
import { runSilently, sleep } from "../platform.ts";
import { GROUP_VARIABLE } from "./mark.ts";

/** A signal that asks a process to end, or kills it. */
export type EndSignal = "SIGTERM" | "SIGKILL";

/** One pass over the process table. */
interface Scan {
  /** The signal to send to the processes of each mark. */
  signals: Map<string, EndSignal>;
  /** The marks of the processes that were found. */
  found: Set<string>;
  done: PromiseWithResolvers<void>;
}

let next: Scan | undefined;

/**
 * Signals a process group immediately, if one is given. On Linux it then also signals the processes with the mark that
 * are not in the group, which it finds through /proc; requests that are made together share one pass over the process
 * table. Resolves with true if a process with the mark was found. Windows has neither groups nor signals: there every
 * signal kills the process and its descendants.
 */
export async function signalDescendants(pid: number | undefined, mark: string, signal: EndSignal): Promise<boolean> {
  if (process.platform === "win32") {
    if (pid !== undefined) endTree(pid);
    return false;
  }
  if (pid !== undefined) send(-pid, signal);
  if (process.platform !== "linux") return false;
  if (!next) {
    next = { signals: new Map(), found: new Set(), done: Promise.withResolvers() };
    setImmediate(flushSignals);
  }
  const scan = next;
  scan.signals.set(mark, signal);
  await scan.done.promise;
  return scan.found.has(mark);
}

/**
 * Kills every process with a mark, and repeats that until two passes in a row find none: a process that is just being
 * started cannot be seen.
 */
export async function killDescendants(pid: number | undefined, mark: string): Promise<void> {
  let emptyPasses = 0;
  for (let round = 0; round < 10 && emptyPasses < 2; round++) {
    emptyPasses = (await signalDescendants(pid, mark, "SIGKILL")) ? 0 : emptyPasses + 1;
    if (emptyPasses < 2) await sleep(15);
  }
}

/** Sends all pending signals now, because this process is about to exit. */
export function flushSignals(): void {
  const scan = next;
  next = undefined;
  if (!scan) return;
  for (const entry of readdirSync("/proc")) {
    const pid = Number(entry);
    if (Number.isInteger(pid) && pid !== process.pid) signalIfMarked(pid, scan);
  }
  scan.done.resolve();
}

function signalIfMarked(pid: number, { signals, found }: Scan): void {
  let environment;
  try {
    environment = readFileSync(`/proc/${pid}/environ`, "latin1");
  } catch {
    return; // it has ended, or belongs to another user
  }
  const start = environment.indexOf(`${GROUP_VARIABLE}=`);
  if (start < 0) return;
  const end = environment.indexOf("\0", start);
  for (const mark of environment.slice(start + GROUP_VARIABLE.length + 1, end < 0 ? undefined : end).split("/")) {
    const signal = signals.get(mark);
    if (!signal) continue;
    found.add(mark);
    send(pid, signal);
  }
}

/**
 * Kills a process on Windows with all its descendants. Uses the full path, because Windows would look for a bare
 * `taskkill` in the working directory first.
 */
function endTree(pid: number): void {
  const taskkill = `${processEnv()["SystemRoot"] ?? "C:\\Windows"}\\System32\\taskkill.exe`;
  if (runSilently([taskkill, "/T", "/F", "/PID", String(pid)]) !== 0) send(pid, "SIGKILL");
}

function send(pid: number, signal: EndSignal): void {
  try {
    process.kill(pid, signal);
  } catch {
    // ESRCH: the process has already ended
  }
}
