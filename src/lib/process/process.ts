import { isUtf8 } from "node:buffer";
import { closeSync, statSync } from "node:fs";
import type { Env } from "../env.ts";
import { settleWithin } from "../settle-within.ts";
import { endDescendants, MARK, markedWith, signalDescendants, signalStrays } from "./descendants.ts";
import { openPipe, type Pipe } from "./pipe.ts";

/** What to run and how long, and how much of its output to keep. */
export interface ProcessRequest {
  /** Program and arguments. */
  command: readonly string[];
  cwd: string;
  /** The whole environment; nothing is inherited. */
  env: Env;
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
  holders?: "end" | "leave";
  /** Sees output as it arrives, from both streams in order of arrival. */
  onOutput?: (chunk: Uint8Array, stream: "stdout" | "stderr") => void;
}

/** How a process ended. The first reason to end it wins. */
export type ProcessEnd =
  | { kind: "exited"; code: number }
  | { kind: "signaled"; signal: string }
  | { kind: "timed_out" }
  | { kind: "aborted" }
  | { kind: "flooded" }
  | { kind: "not_started"; error: string };

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
  survivors: boolean;
}

const running = new Map<string, number>();
let counter = 0;

/** Unlike that of any other process, also of one with the same id at another time. */
function nextMark(): string {
  return `${process.pid}.${process.hrtime.bigint().toString(36)}.${++counter}`;
}

/**
 * Runs a program in its own process group and waits for its end, its output and nothing else: never throws, and never
 * outlives its deadline by more than the grace and drain times (1.6 s by default), whatever its descendants do.
 */
export async function runProcess(request: ProcessRequest): Promise<ProcessResult> {
  const { graceMs = 1000, drainMs = 100, holders = "end" } = request;
  if (request.signal?.aborted) return ended({ kind: "aborted" });
  const mark = nextMark();
  let started: Started<Buffer | "ignore">;
  try {
    started = start(request, mark, request.input === undefined ? "ignore" : Buffer.from(request.input));
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
  if (reason || (!drained && holders === "end")) {
    await endDescendants(child.pid, mark);
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
    survivors: !exited || (!drained && holders === "end"),
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

/** A program to run beside this one. */
export interface ServerRequest extends Pick<ProcessRequest, "command" | "cwd" | "env"> {
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
  let started: Started<"pipe">;
  try {
    started = start(request, mark, "pipe");
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
  { child, stdout, stderr }: Started<"pipe">,
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
  await endDescendants(child.pid, mark);
  await settleWithin(bothRead, { ms: 50 });
  readers.forEach(({ stop }) => stop());
  return naturalEnd(child);
}

/** A child process and the streams of its output. */
interface Started<In extends Buffer | "ignore" | "pipe"> {
  child: Bun.Subprocess<In, "pipe" | number, "pipe" | number>;
  stdout: Output;
  stderr: Output;
}

/** What a child writes; `close` is called once, when no more of it is read. */
interface Output {
  stream: ReadableStream<Uint8Array>;
  close: () => void;
}

/**
 * Starts a program in its own process group. On Unix its output goes into real pipes: what Bun connects a child with are
 * sockets, which cannot be opened by name, so that `echo no > /dev/stderr` would fail in it. Throws if it does not start.
 */
function start<In extends Buffer | "ignore" | "pipe">(
  { command, cwd, env }: Pick<ProcessRequest, "command" | "cwd" | "env">,
  mark: string,
  stdin: In,
): Started<In> {
  const options = { cwd, env: { ...env, [MARK]: markedWith(env[MARK], mark) }, detached: true, stdin };
  if (process.platform === "win32") {
    const child = Bun.spawn([...command], { ...options, stdout: "pipe", stderr: "pipe" });
    const output = (stream: ReadableStream<Uint8Array>): Output => ({ stream, close: () => {} });
    return { child, stdout: output(child.stdout), stderr: output(child.stderr) };
  }
  const pipes = openPipes();
  try {
    const child = Bun.spawn([...command], { ...options, stdout: pipes.stdout.writeEnd, stderr: pipes.stderr.writeEnd });
    return { child, stdout: outputOf(pipes.stdout), stderr: outputOf(pipes.stderr) };
  } catch (error) {
    closeSync(pipes.stdout.readEnd);
    closeSync(pipes.stderr.readEnd);
    throw error;
  } finally {
    // While this process holds a writing end, the reading end never sees the end of file.
    closeSync(pipes.stdout.writeEnd);
    closeSync(pipes.stderr.writeEnd);
  }
}

function openPipes(): { stdout: Pipe; stderr: Pipe } {
  const stdout = openPipe();
  try {
    return { stdout, stderr: openPipe() };
  } catch (error) {
    closeSync(stdout.readEnd);
    closeSync(stdout.writeEnd);
    throw error;
  }
}

function outputOf({ readEnd }: Pipe): Output {
  return { stream: Bun.file(readEnd).stream(), close: () => closeSync(readEnd) };
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

/** Ends every process group that is still running, at once. For the moment this process itself has to go. */
export function endAllProcesses(): void {
  for (const [mark, pid] of running) void signalDescendants(pid, mark, "SIGKILL");
  signalStrays();
}

function ended(end: ProcessEnd): ProcessResult {
  return { end, stdout: "", stdoutIsUtf8: true, stderr: "", survivors: false };
}

function stdoutOf(bytes: Buffer): Pick<ProcessResult, "stdout" | "stdoutIsUtf8"> {
  return { stdout: decode(bytes), stdoutIsUtf8: isUtf8(bytes) };
}

function decode(bytes: Buffer): string {
  return new TextDecoder().decode(bytes);
}

function naturalEnd(child: Bun.Subprocess): ProcessEnd {
  if (child.signalCode !== null) return { kind: "signaled", signal: String(child.signalCode) };
  return { kind: "exited", code: child.exitCode ?? -1 };
}

function spawnErrorText(error: unknown, request: Pick<ProcessRequest, "cwd">): string {
  const text = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if ((code === "ENOENT" || code === "ENOTDIR") && !isDirectory(request.cwd)) {
    return `working directory ${JSON.stringify(request.cwd)}: no such directory (${code})`;
  }
  return code && !text.includes(code) ? `${code}: ${text}` : text;
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** How long a stream that always has more is read before anything else gets its turn. */
const BREATH_MS = 5;

/** Reads a stream to its end, keeps the first `limit` bytes, and says once when there are more. */
function capture({ stream, close }: Output, limit: number, onChunk: (chunk: Uint8Array) => void, onOver: () => void) {
  const reader = stream.getReader();
  let closed = false;
  const closeOnce = () => {
    if (!closed) close();
    closed = true;
  };
  const parts: Uint8Array[] = [];
  let kept = 0;
  let over = false;
  const read = async () => {
    for (let rested = performance.now(); ; ) {
      const { done, value } = await reader.read();
      if (done) return;
      onChunk(value);
      const room = limit - kept;
      if (room > 0) parts.push(value.length > room ? value.slice(0, room) : value);
      kept += Math.min(room, value.length);
      if (value.length > room && !over) {
        over = true;
        onOver();
      }
      // A writer that is faster than `onChunk` would keep every timer waiting, the deadline's too.
      if (performance.now() - rested < BREATH_MS) continue;
      await new Promise(setImmediate);
      rested = performance.now();
    }
  };
  return {
    done: read()
      .catch(() => {
        // the other end is gone or reading was stopped: what was read is kept
      })
      .finally(closeOnce),
    truncated: () => over,
    bytes: () => Buffer.concat(parts),
    stop: () =>
      void reader
        .cancel()
        .catch(() => {})
        .finally(closeOnce),
  };
}
