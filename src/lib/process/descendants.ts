import { readdirSync, readFileSync } from "node:fs";
import { processEnv } from "../env.ts";
import { runSilently, sleep } from "../platform.ts";

/** A signal that ends a process: asked to, or made to. */
export type EndSignal = "SIGTERM" | "SIGKILL";

/** The variable by which a descendant is found again after it has left the process group. */
export const GROUP_VARIABLE = "HOOKSH_PROCESS_GROUP";

/** What the next look through the process table is for: signals by mark, and the marks that were met. */
interface Look {
  wanted: Map<string, EndSignal>;
  met: Set<string>;
  done: PromiseWithResolvers<void>;
}

let next: Look | undefined;

/** The value of {@link GROUP_VARIABLE} for a process: its own mark behind those of the processes it was started by. */
export function groupVariableValue(outer: string | undefined, mark: string): string {
  return `${outer ?? ""}/${mark}/`;
}

/**
 * Signals a process group at once, and soon after whatever left it, as far as the platform lets us find it (Linux: through
 * /proc). One look through the process table serves all that are asked for together. Resolves with whether any process
 * of that mark was met. Windows has neither groups nor signals: there every signal ends the process and its descendants.
 */
export async function signalDescendants(pid: number, mark: string, signal: EndSignal): Promise<boolean> {
  if (process.platform === "win32") {
    endTree(pid);
    return false;
  }
  send(-pid, signal);
  if (process.platform !== "linux") return false;
  if (!next) {
    next = { wanted: new Map(), met: new Set(), done: Promise.withResolvers() };
    setImmediate(flushSignals);
  }
  const look = next;
  look.wanted.set(mark, signal);
  await look.done.promise;
  return look.met.has(mark);
}

/** Ends everything of a mark until nothing of it is met any more: a process is hidden while it is being started. */
export async function killDescendants(pid: number, mark: string): Promise<void> {
  let quiet = 0;
  for (let round = 0; round < 10 && quiet < 2; round++) {
    quiet = (await signalDescendants(pid, mark, "SIGKILL")) ? 0 : quiet + 1;
    if (quiet < 2) await sleep(15);
  }
}

/** Signals everything that is still to be signalled, now: for the moment this process itself has to go. */
export function flushSignals(): void {
  const look = next;
  next = undefined;
  if (!look) return;
  for (const entry of readdirSync("/proc")) {
    const pid = Number(entry);
    if (Number.isInteger(pid) && pid !== process.pid) signalIfWanted(pid, look);
  }
  look.done.resolve();
}

function signalIfWanted(pid: number, { wanted, met }: Look): void {
  let environment;
  try {
    environment = readFileSync(`/proc/${pid}/environ`, "latin1");
  } catch {
    return; // gone meanwhile, or another user's: not ours to end
  }
  const start = environment.indexOf(`${GROUP_VARIABLE}=`);
  if (start < 0) return;
  const end = environment.indexOf("\0", start);
  for (const mark of environment.slice(start + GROUP_VARIABLE.length + 1, end < 0 ? undefined : end).split("/")) {
    const signal = wanted.get(mark);
    if (!signal) continue;
    met.add(mark);
    send(pid, signal);
  }
}

/** Ends a process on Windows with everything it started. A bare `taskkill` would be looked for in the working directory first. */
function endTree(pid: number): void {
  const taskkill = `${processEnv()["SystemRoot"] ?? "C:\\Windows"}\\System32\\taskkill.exe`;
  if (!runSilently([taskkill, "/T", "/F", "/PID", String(pid)])) send(pid, "SIGKILL");
}

function send(pid: number, signal: EndSignal): void {
  try {
    process.kill(pid, signal);
  } catch {
    // ESRCH: nobody is left to be told
  }
}
