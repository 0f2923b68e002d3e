import { isUtf8 } from "node:buffer";
import { settleWithin } from "../settle-within.ts";
import { adoptChild } from "./adopt-child.ts";
import {
  type ChildRequest,
  capture,
  naturalEnd,
  type Output,
  type ProcessEnd,
  type Running,
  running,
  spawnErrorText,
  startChild,
} from "./child.ts";
import { killDescendants, signalDescendants } from "./descendants.ts";
import { takeStarted } from "./handed-over.ts";
import { nextMark } from "./mark.ts";

export type { ProcessEnd } from "./child.ts";

/** A program to run, with its time limit and the limits of its output. */
export interface ProcessRequest extends ChildRequest {
  /** Written to standard input, followed by end of file. Absent: standard input is empty. */
  input?: string | undefined;
  /** Time until the process and its descendants are killed. Absent: only `signal` ends them. */
  deadlineMs?: number | undefined;
  /** Kills the process and its descendants when aborted. */
  signal?: AbortSignal | undefined;
  /** Maximum bytes of standard output; more than that kills the process. */
  stdoutLimit: number;
  /** `drop`: the rest of standard output is dropped, and the process continues. */
  overflow?: "end" | "drop";
  /** Maximum bytes of standard error; the rest is dropped. */
  stderrLimit: number;
  /** The time between SIGTERM and SIGKILL. */
  graceMs?: number;
  /** How long to continue reading after the process has exited, if a descendant keeps the pipes open. */
  drainMs?: number;
  /** What happens to such a descendant after that: hooks kill it, a shell tool leaves a background program running. */
  pipeHolders?: "end" | "leave";
  /** Called with the output of both streams in order of arrival. */
  onOutput?: (chunk: Uint8Array, stream: "stdout" | "stderr") => void;
}

/** How a process ended, and its output. All fields are always set. */
export interface ProcessResult {
  end: ProcessEnd;
  /** Decoded as UTF-8 without its byte-order mark; invalid bytes become U+FFFD. */
  stdout: string;
  /** False if standard output is not valid UTF-8. */
  stdoutIsUtf8: boolean;
  /** Ends with `... (truncated)` if it was longer than its limit. */
  stderr: string;
  /** True if the process or one of its descendants could not be killed. */
  hasSurvivors: boolean;
}

/**
 * Runs a program in its own process group until it has ended and its output is read. Never throws, and never exceeds
 * its deadline by more than the grace and drain times (1.6 s by default), whatever its descendants do.
 */
export async function runProcess(request: ProcessRequest): Promise<ProcessResult> {
  const { graceMs = 1000, drainMs = 100, pipeHolders = "end" } = request;
  if (request.signal?.aborted) return ended({ kind: "aborted" });
  const adopted = takeStarted(request);
  const mark = adopted?.mark ?? nextMark();
  let started: { child: Running; stdout: Output; stderr: Output };
  try {
    started = adopted
      ? adoptChild(adopted)
      : startChild(request, mark, request.input === undefined ? "ignore" : Buffer.from(request.input));
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
  // A descendant may keep the pipes open: continue reading for a moment, but not past the deadline.
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

  const written = stdout.bytes();
  return {
    end: reason ? { kind: reason } : naturalEnd(child),
    stdout: decode(written),
    stdoutIsUtf8: isUtf8(written),
    stderr: stderr.truncated() ? `${decode(stderr.bytes())}\n... (truncated)` : decode(stderr.bytes()),
    hasSurvivors: !exited || (!drained && pipeHolders === "end"),
  };
}

/** Turns of the event loop that are enough to read what a process wrote before it ended: a pipe holds 64 KiB. */
const READING_TURNS = 10;

/** True if both streams have ended. On a busy machine the time can be up before they were read even once. */
async function isDoneWithin(bothRead: Promise<unknown>, ms: number): Promise<boolean> {
  if ((await settleWithin(bothRead, { ms })).kind === "done") return true;
  for (let turn = 0; turn < READING_TURNS; turn++) await new Promise(setImmediate);
  return (await settleWithin(bothRead, { ms: 0 })).kind === "done";
}

function ended(end: ProcessEnd): ProcessResult {
  return { end, stdout: "", stdoutIsUtf8: true, stderr: "", hasSurvivors: false };
}

function decode(bytes: Buffer): string {
  return new TextDecoder().decode(bytes);
}
