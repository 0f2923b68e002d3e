import { settleWithin } from "../settle-within.ts";
import {
  type ChildRequest,
  capture,
  naturalEnd,
  nextMark,
  type ProcessEnd,
  running,
  type StartedChild,
  spawnErrorText,
  startChild,
} from "./child.ts";
import { killDescendants, signalDescendants } from "./descendants.ts";

/** A program to run beside this one. */
export interface ServerRequest extends ChildRequest {
  /** Sees what it writes, as it arrives; nothing is kept. */
  onOutput: (chunk: Uint8Array, stream: "stdout" | "stderr") => void;
}

/** A program that runs until it ends by itself or is stopped. */
export interface Server {
  /** Writes to its standard input; false when it no longer reads. Never throws. */
  write(text: string): Promise<boolean>;
  /** Resolves when nothing of it runs any more, or could not be ended; never rejects. */
  ended: Promise<ProcessEnd>;
  /**
   * Closes its standard input, sends SIGTERM half a second later and SIGKILL after another `graceMs` (1000), to it and
   * everything it started; 0 sends SIGKILL at once. Resolves with `ended`; never throws.
   */
  stop(graceMs?: number): Promise<void>;
}

/** Between end of file on a server's standard input, which most end at, and SIGTERM. */
const FAREWELL_MS = 500;

/** Starts a program in its own process group, to be talked to over its pipes. Never throws. */
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
    if (!running.has(mark)) return; // its number may be another's by now
    if (grace === 0) signalDescendants(child.pid, mark, "SIGKILL");
    const farewell = grace > 0 ? FAREWELL_MS : 0;
    if (grace > 0) timers.push(setTimeout(signalDescendants, farewell, child.pid, mark, "SIGTERM"));
    timers.push(
      setTimeout(signalDescendants, farewell + grace, child.pid, mark, "SIGKILL"),
      setTimeout(gaveUp.resolve, farewell + grace + 400),
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

/** Waits for the end of a server, and ends what it leaves behind. */
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
  // Its last words may still be in the pipe; whatever it started must not keep them open.
  await settleWithin(bothRead, { ms: 100 });
  await killDescendants(child.pid, mark);
  await settleWithin(bothRead, { ms: 50 });
  readers.forEach(({ stop }) => stop());
  return naturalEnd(child);
}

/** True when it worked; a pipe that nobody reads any more must not become an error of this process. */
async function settle(write: () => Promise<unknown>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch {
    return false; // EPIPE: the end of the process says the rest
  }
}
