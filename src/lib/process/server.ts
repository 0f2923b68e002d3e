import { settleWithin } from "../settle-within.ts";
import {
  type ChildRequest,
  capture,
  naturalEnd,
  type ProcessEnd,
  running,
  type StartedChild,
  spawnErrorText,
  startChild,
} from "./child.ts";
import { killDescendants, signalDescendants } from "./descendants.ts";
import { nextMark } from "./mark.ts";

/** A long-running program to start. */
export interface ServerRequest extends ChildRequest {
  /** Called with its output as it arrives. The output is not kept. */
  onOutput: (chunk: Uint8Array, stream: "stdout" | "stderr") => void;
}

/** A program that runs until it ends or is stopped. */
export interface Server {
  /** Writes to its standard input; false when it no longer reads. Never throws. */
  write(text: string): Promise<boolean>;
  /** Resolves when the program and its descendants have ended, or could not be killed. Never rejects. */
  ended: Promise<ProcessEnd>;
  /**
   * Stops the program and its descendants: closes standard input, sends SIGTERM half a second later and SIGKILL after
   * another `graceMs` (default 1000). With 0 it sends SIGKILL immediately. Resolves when `ended` does; never throws.
   */
  stop(graceMs?: number): Promise<void>;
}

/** The time between end of file on standard input, at which most servers exit, and SIGTERM. */
const EXIT_WAIT_MS = 500;

/** Starts a program in its own process group, with pipes for its standard streams. Never throws. */
export function spawnServer(request: ServerRequest): Server | Extract<ProcessEnd, { kind: "not_started" }> {
  const mark = nextMark();
  let started: StartedChild<"pipe">;
  try {
    started = startChild(request, mark, "pipe");
  } catch (error) {
    return { kind: "not_started", error: spawnErrorText(error, request) };
  }
  const { child } = started;
  running.set(mark, child.pid);
  const gaveUp = Promise.withResolvers<void>();
  const timers: Timer[] = [];
  const ended = outlive(started, mark, { gaveUp: gaveUp.promise, onOutput: request.onOutput }).finally(() => {
    timers.forEach(clearTimeout);
    running.delete(mark);
  });
  const end = (grace: number) => {
    if (!running.has(mark)) return; // its process id may have been reused
    if (grace === 0) signalDescendants(child.pid, mark, "SIGKILL");
    const wait = grace > 0 ? EXIT_WAIT_MS : 0;
    if (grace > 0) timers.push(setTimeout(signalDescendants, wait, child.pid, mark, "SIGTERM"));
    timers.push(
      setTimeout(signalDescendants, wait + grace, child.pid, mark, "SIGKILL"),
      setTimeout(gaveUp.resolve, wait + grace + 400),
    );
  };
  return {
    ended,
    write: async (text) =>
      running.has(mark) &&
      settle(async () => {
        await child.stdin.write(text);
        await child.stdin.flush();
      }),
    stop: async (graceMs = 1000) => {
      end(graceMs);
      void settle(async () => child.stdin.end());
      await ended;
    },
  };
}

/** Waits until a server ends, and kills the processes that it leaves behind. */
async function outlive(
  { child, stdout, stderr }: StartedChild<"pipe">,
  mark: string,
  { gaveUp, onOutput }: { gaveUp: Promise<void>; onOutput: ServerRequest["onOutput"] },
): Promise<ProcessEnd> {
  const readers = [
    capture(
      stdout,
      0,
      (chunk) => onOutput(chunk, "stdout"),
      () => {},
    ),
    capture(
      stderr,
      0,
      (chunk) => onOutput(chunk, "stderr"),
      () => {},
    ),
  ];
  const bothRead = Promise.all(readers.map(({ done }) => done));
  await Promise.race([child.exited, gaveUp]);
  // Its last output may still be in the pipes, and its descendants must not keep the pipes open.
  await settleWithin(bothRead, { ms: 100 });
  await killDescendants(child.pid, mark);
  await settleWithin(bothRead, { ms: 50 });
  readers.forEach(({ stop }) => stop());
  return naturalEnd(child);
}

/** Resolves with true if the write succeeded. A closed pipe must not cause an error in this process. */
async function settle(write: () => Promise<unknown>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch {
    return false; // EPIPE: how the process ended tells more
  }
}
