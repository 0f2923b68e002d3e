import { isUtf8 } from "node:buffer";
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

export type { ProcessEnd } from "./child.ts";

/** What to run and how long, and how much of its output to keep. */
export interface ProcessRequest extends ChildRequest {
  /** Written to standard input, followed by end of file. Nothing: standard input is empty. */
  input?: string | undefined;
  /** Time until the process and everything it started are ended; absent: only `signal` ends it. */
  deadlineMs?: number | undefined;
  /** Ends the process and everything it started when aborted. */
  signal?: AbortSignal | undefined;
  /** Standard output beyond this many bytes ends the process. */
  stdoutLimit: number;
  /** What happens at that limit instead: the rest is dropped, and the process goes on. */
  overflow?: "end" | "drop";
  /** Standard error beyond this many bytes is dropped. */
  stderrLimit: number;
  /** Between SIGTERM and SIGKILL. */
  graceMs?: number;
  /** How long to go on reading after the process itself has exited, when something it started holds the pipes. */
  drainMs?: number;
  /** What then happens to whatever holds the pipes: hooks end it, a shell tool leaves a background program alone. */
  pipeHolders?: "end" | "leave";
  /** Sees output as it arrives, from both streams in order of arrival. */
  onOutput?: (chunk: Uint8Array, stream: "stdout" | "stderr") => void;
}

/** The end of a process and what it wrote. The fields are always set. */
export interface ProcessResult {
  end: ProcessEnd;
  /** Decoded as UTF-8 without its byte-order mark; invalid bytes become U+FFFD. */
  stdout: string;
  /** False if standard output holds bytes that are not UTF-8. */
  stdoutIsUtf8: boolean;
  /** Ends with `... (truncated)` when it was longer than its limit. */
  stderr: string;
  /** True when something the process started could not be ended. */
  hasSurvivors: boolean;
}

/**
 * Runs a program in its own process group and waits for its end, its output and nothing else: never throws, and never
 * outlives its deadline by more than the grace and drain times (1.6 s by default), whatever its descendants do.
 */
export async function runProcess(request: ProcessRequest): Promise<ProcessResult> {
  const { graceMs = 1000, drainMs = 100, pipeHolders = "end" } = request;
  if (request.signal?.aborted) return ended({ kind: "aborted" });
  const mark = nextMark();
  let started: StartedChild<Buffer | "ignore">;
  try {
    started = startChild(request, mark, request.input === undefined ? "ignore" : Buffer.from(request.input));
  } catch (error) {
    return ended({ kind: "not_started", error: spawnErrorText(error, request) });
  }
  const { child } = started;

  running.set(mark, child.pid);
  let reason: "timed_out" | "aborted" | "flooded" | undefined;
  const timers: Timer[] = [];
  const gaveUp = Promise.withResolvers<void>();
  const end = (why: typeof reason, grace: number) => {
    if (reason) return;
    reason = why;
    if (grace > 0) void signalDescendants(child.pid, mark, "SIGTERM");
    timers.push(
      setTimeout(() => void signalDescendants(child.pid, mark, "SIGKILL"), grace),
      setTimeout(gaveUp.resolve, grace + 400),
    );
  };
  if (request.deadlineMs !== undefined) timers.push(setTimeout(end, request.deadlineMs, "timed_out", graceMs));
  const onAbort = () => end("aborted", graceMs);
  request.signal?.addEventListener("abort", onAbort, { once: true });

  const stdout = capture(
    started.stdout,
    request.stdoutLimit,
    (chunk) => request.onOutput?.(chunk, "stdout"),
    () => {
      if (request.overflow !== "drop") end("flooded", 0);
    },
  );
  const stderr = capture(
    started.stderr,
    request.stderrLimit,
    (chunk) => request.onOutput?.(chunk, "stderr"),
    () => {},
  );
  const bothRead = Promise.all([stdout.done, stderr.done]);

  const exited = await Promise.race([child.exited.then(() => true), gaveUp.promise.then(() => false)]);
  // What the process started may hold the pipes: read on for a moment, but not past the deadline.
  let drained = await isDoneWithin(bothRead, drainMs);
  if (reason || (!drained && pipeHolders === "end")) {
    await killDescendants(child.pid, mark);
    drained = await isDoneWithin(bothRead, 50);
  }
  if (!drained) {
    stdout.stop();
    stderr.stop();
  }
  timers.forEach(clearTimeout);
  request.signal?.removeEventListener("abort", onAbort);
  running.delete(mark);

  return {
    end: reason ? { kind: reason } : naturalEnd(child),
    ...stdoutOf(stdout.bytes()),
    stderr: stderr.truncated() ? `${decode(stderr.bytes())}\n... (truncated)` : decode(stderr.bytes()),
    hasSurvivors: !exited || (!drained && pipeHolders === "end"),
  };
}

/** Turns of the event loop in which what a process has written before its end is certain to be read: a pipe holds 64 KiB. */
const READING_TURNS = 10;

/** True if both streams have ended. On a busy machine the time can be over before anything has looked at them. */
async function isDoneWithin(bothRead: Promise<unknown>, ms: number): Promise<boolean> {
  if ((await settleWithin(bothRead, { ms })).kind === "done") return true;
  for (let turn = 0; turn < READING_TURNS; turn++) await new Promise(setImmediate);
  return (await settleWithin(bothRead, { ms: 0 })).kind === "done";
}

function ended(end: ProcessEnd): ProcessResult {
  return { end, stdout: "", stdoutIsUtf8: true, stderr: "", hasSurvivors: false };
}

function stdoutOf(bytes: Buffer): Pick<ProcessResult, "stdout" | "stdoutIsUtf8"> {
  return { stdout: decode(bytes), stdoutIsUtf8: isUtf8(bytes) };
}

function decode(bytes: Buffer): string {
  return new TextDecoder().decode(bytes);
}
