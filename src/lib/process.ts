import { readdirSync, readFileSync, statSync } from "node:fs";
import type { Env } from "./env.ts";

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
  stdout: string;
  /** Ends with `... (truncated)` when it was longer than its limit. */
  stderr: string;
  /** True when something the process started could not be ended. */
  survivors: boolean;
}

/** The variable by which a descendant is found again after it has left the process group. */
const MARK = "HOOKSH_PROCESS_GROUP";

const running = new Map<string, number>();
let counter = 0;

/**
 * Runs a program in its own process group and waits for its end, its output and nothing else: never throws, and never
 * outlives its deadline by more than the grace and drain times (1.6 s by default), whatever its descendants do.
 */
export async function runProcess(request: ProcessRequest): Promise<ProcessResult> {
  const { graceMs = 1000, drainMs = 100, holders = "end" } = request;
  if (request.signal?.aborted) return ended({ kind: "aborted" });
  const mark = `${process.pid}.${++counter}`;
  const outer = request.env[MARK];
  let child: Bun.Subprocess<Buffer | "ignore", "pipe", "pipe">;
  try {
    child = Bun.spawn([...request.command], {
      cwd: request.cwd,
      env: { ...request.env, [MARK]: outer ? `${outer}/${mark}/` : `/${mark}/` },
      detached: true,
      stdin: request.input === undefined ? "ignore" : Buffer.from(request.input),
      stdout: "pipe",
      stderr: "pipe",
    });
  } catch (error) {
    return ended({ kind: "not_started", error: spawnErrorText(error, request) });
  }

  running.set(mark, child.pid);
  let reason: "timed_out" | "aborted" | "flooded" | undefined;
  const timers: Timer[] = [];
  const gaveUp = Promise.withResolvers<void>();
  const end = (why: typeof reason, grace: number) => {
    if (reason) return;
    reason = why;
    if (grace > 0) signalAll(child.pid, mark, "SIGTERM");
    timers.push(
      setTimeout(() => signalAll(child.pid, mark, "SIGKILL"), grace),
      setTimeout(gaveUp.resolve, grace + 400),
    );
  };
  if (request.deadlineMs !== undefined) timers.push(setTimeout(end, request.deadlineMs, "timed_out", graceMs));
  const onAbort = () => end("aborted", graceMs);
  request.signal?.addEventListener("abort", onAbort, { once: true });

  const stdout = capture(child.stdout, request.stdoutLimit, (chunk) => request.onOutput?.(chunk, "stdout"), () => {
    if (request.overflow !== "drop") end("flooded", 0);
  });
  const stderr = capture(child.stderr, request.stderrLimit, (chunk) => request.onOutput?.(chunk, "stderr"), () => {});
  const bothRead = Promise.all([stdout.done, stderr.done]).then(() => true);

  const exited = await Promise.race([child.exited.then(() => true), gaveUp.promise.then(() => false)]);
  // What the process started may hold the pipes: read on for a moment, but not past the deadline.
  let drained = await Promise.race([bothRead, Bun.sleep(drainMs).then(() => false)]);
  if (reason || (!drained && holders === "end")) {
    signalAll(child.pid, mark, "SIGKILL");
    drained = await Promise.race([bothRead, Bun.sleep(50).then(() => false)]);
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
    stdout: stdout.text(),
    stderr: stderr.truncated() ? `${stderr.text()}\n... (truncated)` : stderr.text(),
    survivors: !exited || (!drained && holders === "end"),
  };
}

/** Ends every process group that is still running, at once. For the moment this process itself has to go. */
export function endAllProcesses(): void {
  for (const [mark, pid] of running) signalAll(pid, mark, "SIGKILL");
}

function ended(end: ProcessEnd): ProcessResult {
  return { end, stdout: "", stderr: "", survivors: false };
}

function naturalEnd(child: Bun.Subprocess): ProcessEnd {
  if (child.signalCode !== null) return { kind: "signaled", signal: String(child.signalCode) };
  return { kind: "exited", code: child.exitCode ?? -1 };
}

function spawnErrorText(error: unknown, request: ProcessRequest): string {
  const text = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "ENOENT" && !isDirectory(request.cwd)) return `working directory ${JSON.stringify(request.cwd)}: no such directory`;
  return code && !text.includes(code) ? `${code}: ${text}` : text;
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Signals the process group, then whatever left it, as far as the platform lets us find it (Linux: through /proc). */
function signalAll(pid: number, mark: string, signal: "SIGTERM" | "SIGKILL"): void {
  send(-pid, signal);
  if (process.platform !== "linux") return;
  const needle = `/${mark}/`;
  for (const entry of readdirSync("/proc")) {
    const candidate = Number(entry);
    if (!Number.isInteger(candidate) || candidate === process.pid) continue;
    try {
      if (readFileSync(`/proc/${entry}/environ`, "latin1").includes(needle)) send(candidate, signal);
    } catch {
      // gone meanwhile, or another user's: not ours to end
    }
  }
}

function send(pid: number, signal: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(pid, signal);
  } catch {
    // ESRCH: nobody is left to be told
  }
}

/** Reads a stream to its end, keeps the first `limit` bytes, and says once when there are more. */
function capture(stream: ReadableStream<Uint8Array>, limit: number, onChunk: (chunk: Uint8Array) => void, onOver: () => void) {
  const reader = stream.getReader();
  const parts: Uint8Array[] = [];
  let kept = 0;
  let over = false;
  const read = async () => {
    for (;;) {
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
    }
  };
  return {
    done: read().catch(() => {
      // the other end is gone or reading was stopped: what was read is kept
    }),
    truncated: () => over,
    text: () => new TextDecoder().decode(Buffer.concat(parts)),
    stop: () => void reader.cancel().catch(() => {}),
  };
}
