import { closeSync, statSync } from "node:fs";
import type { Env } from "../env.ts";
import { type Child, readStream, startProgram } from "../platform.ts";
import { flushSignals, signalDescendants } from "./descendants.ts";
import { openPipe, type Pipe } from "./descriptors.ts";
import { untaken } from "./handed-over.ts";
import { GROUP_VARIABLE, groupVariableValue } from "./mark.ts";

/** How a process ended. The first reason to end it wins. */
export type ProcessEnd =
  | { kind: "exited"; code: number }
  | { kind: "signaled"; signal: string }
  | { kind: "timed_out" }
  | { kind: "aborted" }
  | { kind: "flooded" }
  | { kind: "not_started"; error: string };

/** The ids of the processes that are running, by their marks. */
export const running = new Map<string, number>();

/** Kills every process group that is still running, immediately: this process is about to exit. */
export function killAllProcesses(): void {
  for (const [mark, pid] of running) void signalDescendants(pid, mark, "SIGKILL");
  killUntaken();
}

/** Kills the processes that an earlier part of this dispatch has started and that were never asked for, immediately. */
export function killUntaken(): void {
  for (const { mark, pid } of untaken()) void signalDescendants(pid, mark, "SIGKILL");
  flushSignals();
}

/** What to run, and where. */
export interface ChildRequest {
  /** Program and arguments. */
  command: readonly string[];
  cwd: string;
  /** The whole environment; nothing is inherited. */
  env: Env;
  /** True if standard error goes into the pipe of standard output, which keeps the order (not on Windows). */
  isMerged?: boolean | undefined;
}

/** A child process and the streams of its output. */
export interface StartedChild<In extends Buffer | "ignore" | "pipe"> {
  child: Child<In, "pipe" | number, "pipe" | number>;
  stdout: Output;
  stderr: Output;
}

/** What a child writes; `close` is called once, when no more of it is read. */
export interface Output {
  /** What was read of it before. */
  read?: readonly Uint8Array[];
  stream: ReadableStream<Uint8Array>;
  close: () => void;
}

/**
 * Starts a program in its own process group. On Unix its output goes into real pipes: Bun would connect the child with
 * sockets, which cannot be opened by name, so that `echo no > /dev/stderr` would fail. Throws if it does not start.
 */
export function startChild<In extends Buffer | "ignore" | "pipe">(
  { command, cwd, env, isMerged = false }: ChildRequest,
  mark: string,
  stdin: In,
): StartedChild<In> {
  const options = {
    cwd,
    env: { ...env, [GROUP_VARIABLE]: groupVariableValue(env[GROUP_VARIABLE], mark) },
    detached: true,
    stdin,
  };
  if (process.platform === "win32") {
    const child = startProgram(command, { ...options, stdout: "pipe", stderr: "pipe" });
    const output = (stream: ReadableStream<Uint8Array>): Output => ({ stream, close: () => {} });
    return { child, stdout: output(child.stdout), stderr: output(child.stderr) };
  }
  const pipes = openPipes(isMerged ? 1 : 2);
  const [stdout, stderr] = [pipes[0], pipes.at(-1) ?? pipes[0]];
  try {
    const child = startProgram(command, { ...options, stdout: stdout.writeEnd, stderr: stderr.writeEnd });
    return { child, stdout: outputOf(stdout), stderr: isMerged ? noOutput() : outputOf(stderr) };
  } catch (error) {
    for (const { readEnd } of pipes) closeSync(readEnd);
    throw error;
  } finally {
    // As long as this process has a writing end open, the reading end never reaches end of file.
    for (const { writeEnd } of pipes) closeSync(writeEnd);
  }
}

/** A stream can be read only once, so each child needs its own. */
export function noOutput(): Output {
  return { stream: new Blob([]).stream(), close: () => {} };
}

function openPipes(count: 1 | 2): [Pipe, ...Pipe[]] {
  const first = openPipe();
  if (count === 1) return [first];
  try {
    return [first, openPipe()];
  } catch (error) {
    closeSync(first.readEnd);
    closeSync(first.writeEnd);
    throw error;
  }
}

function outputOf({ readEnd }: Pipe): Output {
  return { stream: readStream(readEnd), close: () => closeSync(readEnd) };
}

/** A child process, as far as its end is concerned. */
export type Running = Pick<Child, "pid" | "exited" | "exitCode" | "signalCode">;

/** Returns how a child ended that this process did not kill. */
export function naturalEnd(child: Running): ProcessEnd {
  if (child.signalCode !== null) return { kind: "signaled", signal: String(child.signalCode) };
  return { kind: "exited", code: child.exitCode ?? -1 };
}

/** Returns why a program did not start; names the working directory if that is missing. */
export function spawnErrorText(error: unknown, request: Pick<ChildRequest, "cwd">): string {
  const text = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if ((code === "ENOENT" || code === "ENOTDIR") && !statSync(request.cwd, { throwIfNoEntry: false })?.isDirectory()) {
    return `working directory ${JSON.stringify(request.cwd)}: no such directory (${code})`;
  }
  return code && !text.includes(code) ? `${code}: ${text}` : text;
}

/** Milliseconds after which reading a busy stream yields to timers and other work. */
const YIELD_AFTER_MS = 5;

/** Reads a stream to its end, keeps the first `limit` bytes, and calls `onOver` once if there are more. */
export function capture(
  { read: before = [], stream, close }: Output,
  limit: number,
  onChunk: (chunk: Uint8Array) => void,
  onOver: () => void,
) {
  const reader = stream.getReader();
  let closed = false;
  const closeOnce = () => {
    if (!closed) close();
    closed = true;
  };
  const parts: Uint8Array[] = [];
  let kept = 0;
  let over = false;
  const take = (value: Uint8Array) => {
    onChunk(value);
    const room = limit - kept;
    if (room > 0) parts.push(value.length > room ? value.slice(0, room) : value);
    kept += Math.min(room, value.length);
    if (value.length > room && !over) {
      over = true;
      onOver();
    }
  };
  const read = async () => {
    before.forEach(take);
    for (let rested = performance.now(); ; ) {
      const { done, value } = await reader.read();
      if (done) return;
      take(value);
      // A writer that is faster than `onChunk` would keep all timers from firing, including the deadline's.
      if (performance.now() - rested < YIELD_AFTER_MS) continue;
      await new Promise(setImmediate);
      rested = performance.now();
    }
  };
  return {
    done: read()
      .catch(() => {
        // the other end was closed or reading was stopped: the output so far is kept
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
