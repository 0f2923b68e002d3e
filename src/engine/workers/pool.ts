import { isHookFile } from "../../config/hooks/read-hooks.ts";
import { startWorker } from "../../lib/platform.ts";
import { secretCandidates } from "../../lib/secrets/known-secrets.ts";
import { settleWithin } from "../../lib/settle-within.ts";
import type { HandlerEnvironment, HandlerResult, Log } from "../hook.ts";
import { ABORT, type Job, readReport } from "./job.ts";

/** What a worker is asked to run. */
export interface WorkerRequest {
  /** The builtin's name, or the path of the user's own hook. */
  builtin: string;
  args: readonly string[];
  /** A plain value, of which every long string crosses to the other thread faster than as JSON, or the JSON text of any other. */
  input: string | Readonly<Record<string, unknown>>;
  /** True for a builtin of ours that redacts: it gets the secrets that this process remembers. */
  redacts: boolean;
  environment: HandlerEnvironment;
}

/** Warm threads for our own builtins. The user's own hooks get a fresh one each: nothing of one call reaches another. */
const idle: Thread[] = [];

/** How many idle threads are kept warm; more threads than cores gain nothing. */
const MAX_IDLE = Math.max(1, navigator.hardwareConcurrency);

/** Log lines and characters of one call beyond which it fails: the queue between two threads has no other bound. */
const LOG_LIMITS = { lines: 10_000, characters: 10_000_000 };

/** How long the user's own hook has for its clean-up, from the abort of its signal to the end of its thread. */
export const CLEANUP_MS = 500;

/**
 * Runs one in-process hook on a thread of its own. When the signal aborts, so does that of the hook; the thread is ended
 * and replaced, one of the user's own hooks after {@link CLEANUP_MS}. Where a thread cannot be ended (a blocking system
 * call) it is abandoned, and the answer comes all the same. Never rejects.
 */
export async function runOnWorker(request: WorkerRequest, signal: AbortSignal): Promise<HandlerResult> {
  const own = isHookFile(request.builtin);
  const thread = (own ? undefined : takeIdle()) ?? new Thread();
  if (signal.aborted) thread.abort();
  const running = thread.run(jobOf(request), request.environment.log);
  const result = await resultOf(running, signal, () => {
    thread.abort();
    return own ? CLEANUP_MS : 0;
  });
  const reusable = !own && !signal.aborted && result.kind === "returned" && idle.length < MAX_IDLE;
  if (reusable) {
    thread.rest();
    idle.push(thread);
  } else thread.end();
  return result;
}

/** The result of a job; after an abort only if it comes within the time that `onAbort` grants, in milliseconds. */
async function resultOf(
  running: Promise<HandlerResult>,
  signal: AbortSignal,
  onAbort: () => number,
): Promise<HandlerResult> {
  const settled = await settleWithin(running, { signal });
  const last = settled.kind === "done" ? settled : await settleWithin(running, { ms: onAbort() });
  return last.kind === "done" ? last.value : { kind: "failed", error: "ended before it answered" };
}

/** A warm thread; one that has ended meanwhile is passed over. */
function takeIdle(): Thread | undefined {
  for (;;) {
    const thread = idle.pop();
    if (!thread?.ended) return thread;
  }
}

function jobOf({ builtin, args, input, redacts, environment }: WorkerRequest): Job {
  const { env, directories, workingDir } = environment;
  return { builtin, args, input, env, directories, workingDir, secrets: redacts ? secretCandidates() : [] };
}

/** A worker thread, and the one job it has at a time. */
class Thread {
  ended = false;
  /** The current job is not wanted any more. */
  #aborted = false;
  readonly #worker: Worker;
  /** Settles when the thread has said that it is ready, or can no longer be. */
  readonly #ready = Promise.withResolvers<boolean>();
  /** Where the messages of the current job go. */
  #onMessage: (data: unknown) => void = () => {};
  #onFailure: (error: string) => void = () => {};

  constructor() {
    // In the compiled program every module's URL is that of the program, and the worker lies beside it.
    const file = import.meta.url.endsWith(".ts") ? "../../worker.ts" : "./worker.js";
    this.#worker = startWorker(new URL(file, import.meta.url).href);
    // The first message says that the thread is ready: a job is only posted after it.
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

  /** Runs a job to its answer. Never rejects; pending for as long as the thread gives no answer. */
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
    // A job that was aborted while its thread started never begins: the abort would have come before it.
    if (!(await this.#ready.promise) || this.#aborted) return answer.promise;
    this.#worker.postMessage(job);
    return answer.promise;
  }

  /** Aborts the signal of the current job; a thread that never pauses does not see it. */
  abort(): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#worker.postMessage(ABORT);
  }

  /** Waits for its next job without keeping the process alive. */
  rest(): void {
    this.#forget();
    this.#worker.unref();
  }

  /** Ends the thread, as far as it lets itself be ended; the process does not wait for it. */
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

/** What was thrown, out of a report that begins with an excerpt of the source. */
function reasonOf(message: string): string {
  const lines = message
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
  const thrown = lines.find((line) => /^[A-Za-z]*error: /i.test(line));
  return (thrown ?? lines[0] ?? "no reason given").slice(0, 500);
}
