import { isHookFile } from "../../config/hooks/read-hooks.ts";
import { startWorker } from "../../lib/platform.ts";
import { killDescendants } from "../../lib/process/descendants.ts";
import { GROUP_VARIABLE, groupVariableValue } from "../../lib/process/mark.ts";
import { secretCandidates } from "../../lib/secrets/known-secrets.ts";
import { settleWithin } from "../../lib/settle-within.ts";
import type { HandlerEnvironment, HandlerResult, Log } from "../handler.ts";
import { ABORT, type Job, readReport } from "./job.ts";

/** An in-process hook to run on a worker thread. */
export interface WorkerRequest {
  /** The builtin's name, or the path of the user's own hook. */
  builtin: string;
  args: readonly string[];
  /** A plain value, which is posted faster than its JSON text, or the JSON text of any other value. */
  input: string | Readonly<Record<string, unknown>>;
  /** True for a builtin that redacts: it receives the known secrets of this thread. */
  redacts: boolean;
  /** Milliseconds between the abort of its signal and the end of its thread. */
  cleanupMs: number;
  environment: HandlerEnvironment;
}

/** Warm threads for builtins. The user's own hooks each get a fresh thread, so that no state leaks between calls. */
const idle: Thread[] = [];

/** Maximum idle threads kept warm. More threads than cores gain nothing. */
const MAX_IDLE = Math.max(1, navigator.hardwareConcurrency);

/**
 * Maximum log lines and characters of one call; a call that logs more fails. The queue between two threads has no limit
 * itself.
 */
const LOG_LIMITS = { lines: 10_000, characters: 10_000_000 };

/**
 * Runs one in-process hook on a worker thread. When the signal aborts, the signal of the hook aborts too, and the
 * thread is terminated after `cleanupMs`; the processes of the user's own hook are killed too, on Linux. A thread that cannot be terminated, such as one in a blocking system call, is abandoned. Never
 * rejects.
 */
export async function runOnWorker(request: WorkerRequest, signal: AbortSignal): Promise<HandlerResult> {
  const own = isHookFile(request.builtin);
  const thread = (own ? undefined : takeIdle()) ?? new Thread();
  if (signal.aborted) thread.abort();
  const job = jobOf(request, own ? crypto.randomUUID() : undefined);
  const running = thread.run(job, request.environment.log);
  const result = await resultOf(running, signal, () => {
    thread.abort();
    return request.cleanupMs;
  });
  const reusable = !own && !signal.aborted && result.kind === "returned" && idle.length < MAX_IDLE;
  if (reusable) {
    thread.rest();
    idle.push(thread);
  } else thread.end();
  if (signal.aborted && job.mark !== undefined) await killDescendants(undefined, job.mark);
  return result;
}

/** Waits for the result of a job. After an abort, waits for as many milliseconds as `onAbort` returns, then fails. */
async function resultOf(
  running: Promise<HandlerResult>,
  signal: AbortSignal,
  onAbort: () => number,
): Promise<HandlerResult> {
  const settled = await settleWithin(running, { signal });
  const last = settled.kind === "done" ? settled : await settleWithin(running, { ms: onAbort() });
  return last.kind === "done" ? last.value : { kind: "failed", error: "ended before it answered" };
}

/** Takes a warm thread, skipping threads that have ended. */
function takeIdle(): Thread | undefined {
  for (;;) {
    const thread = idle.pop();
    if (!thread?.ended) return thread;
  }
}

function jobOf({ builtin, args, input, redacts, environment }: WorkerRequest, mark: string | undefined): Job {
  const { directories, workingDir } = environment;
  const secrets = redacts ? secretCandidates() : [];
  if (mark === undefined) return { builtin, args, input, env: environment.env, directories, workingDir, secrets };
  // The hook may start processes with these variables.
  const env = {
    ...environment.env,
    [GROUP_VARIABLE]: groupVariableValue(environment.env[GROUP_VARIABLE], mark),
  };
  return { builtin, args, input, env, directories, workingDir, secrets, mark };
}

/** A worker thread. It runs one job at a time. */
class Thread {
  ended = false;
  /** True once the current job is aborted. */
  #aborted = false;
  readonly #worker: Worker;
  /** Resolves to true when the thread is ready, or to false if it failed. */
  readonly #ready = Promise.withResolvers<boolean>();
  /** Receives the messages of the current job. */
  #onMessage: (data: unknown) => void = () => {};
  #onFailure: (error: string) => void = () => {};

  constructor() {
    // In the compiled program every module has the URL of the program, and the worker is next to it.
    const file = import.meta.url.endsWith(".ts") ? "../../worker.ts" : "./worker.js";
    this.#worker = startWorker(new URL(file, import.meta.url).href);
    // The first message says that the thread is ready for a job.
    this.#worker.addEventListener(
      "message",
      () => {
        this.#ready.resolve(true);
        this.#worker.onmessage = ({ data }: MessageEvent<unknown>) => this.#onMessage(data);
      },
      { once: true },
    );
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.#fail(`worker failed: ${reasonOf(event.message)}`);
    };
    this.#worker.addEventListener(
      "close",
      (event) => {
        this.ended = true;
        const { code } = event as CloseEvent;
        this.#fail(`worker ended with code ${code} before it answered`);
      },
      { once: true },
    );
  }

  /** Runs a job and resolves with its result. Never rejects; stays pending while the thread does not answer. */
  async run(job: Job, log: Log): Promise<HandlerResult> {
    this.#worker.ref();
    const answer = Promise.withResolvers<HandlerResult>();
    const left = { ...LOG_LIMITS };
    this.#onFailure = (error) => answer.resolve({ kind: "failed", error });
    this.#onMessage = (data) => {
      const report = readReport(data);
      if (report.kind !== "log") return answer.resolve(report);
      left.lines--;
      left.characters -= report.message.length;
      if (left.lines >= 0 && left.characters >= 0) return log(report.level, report.message);
      const { lines, characters } = LOG_LIMITS;
      answer.resolve({ kind: "failed", error: `logged more than ${lines} lines or ${characters} characters` });
    };
    // A job aborted while its thread started is not posted: the abort would arrive before the job.
    if (!(await this.#ready.promise) || this.#aborted) return answer.promise;
    this.#worker.postMessage(job);
    return answer.promise;
  }

  /** Aborts the signal of the current job. A thread that never yields does not notice. */
  abort(): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#worker.postMessage(ABORT);
  }

  /** Keeps the thread for its next job, without keeping the process alive. */
  rest(): void {
    this.#forget();
    this.#worker.unref();
  }

  /** Terminates the thread if possible. The process does not wait for it. */
  end(): void {
    this.#forget();
    this.#worker.unref();
    this.#worker.terminate();
  }

  #forget(): void {
    this.#onMessage = () => {};
    this.#onFailure = () => {};
  }

  #fail(error: string): void {
    this.#onFailure(error);
    this.#ready.resolve(false);
  }
}

/** Extracts the error from a report that starts with an excerpt of the source. */
function reasonOf(message: string): string {
  const lines = message
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
  const thrown = lines.find((line) => /^[A-Za-z]*error: /i.test(line));
  return (thrown ?? lines[0] ?? "no reason given").slice(0, 500);
}
