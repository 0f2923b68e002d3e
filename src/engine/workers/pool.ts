import { isHookFile } from "../../config/hooks.ts";
import type { HandlerEnvironment, HandlerResult } from "../hook.ts";
import type { Job, Report } from "./job.ts";

/** What a worker is asked to run. */
export interface WorkerRequest {
  /** The builtin's name, or the path of the user's own hook. */
  builtin: string;
  args: readonly string[];
  input: Readonly<Record<string, unknown>>;
  environment: HandlerEnvironment;
}

/** One worker thread and whether it can take a job. */
interface Slot {
  worker: Worker;
  /** Settles when the thread has said that it is ready, or can no longer be. */
  ready: Promise<boolean>;
}

/** Idle threads, apart: the user's own hooks never share a thread with ours. */
const idle: Record<"ours" | "own", Slot[]> = { ours: [], own: [] };

/** How many idle threads of a kind are kept warm; more threads than cores gain nothing. */
const KEPT = Math.max(1, navigator.hardwareConcurrency);

/**
 * Runs one in-process hook on a thread of its own. When the signal aborts the thread is told to end and is replaced;
 * where it cannot be ended (a blocking system call) it is abandoned, and the answer comes all the same. Never rejects.
 */
export async function runOnWorker(request: WorkerRequest, signal: AbortSignal): Promise<HandlerResult> {
  const kind = isHookFile(request.builtin) ? "own" : "ours";
  const slot = idle[kind].pop() ?? startWorker();
  slot.worker.ref();
  const stop = Promise.withResolvers<HandlerResult>();
  const onAbort = () => stop.resolve({ kind: "failed", error: "ended before it answered" });
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    if (signal.aborted) onAbort();
    const result = await Promise.race([runJob(slot, request), stop.promise]);
    const reusable = !signal.aborted && result.kind === "returned" && idle[kind].length < KEPT;
    if (reusable) {
      slot.worker.unref();
      idle[kind].push(slot);
    } else endWorker(slot);
    return result;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

async function runJob({ worker, ready }: Slot, { builtin, args, input, environment }: WorkerRequest): Promise<HandlerResult> {
  if (!(await ready)) return { kind: "failed", error: "worker did not start" };
  const { env, directories, workingDir, log } = environment;
  const answer = Promise.withResolvers<HandlerResult>();
  worker.onmessage = ({ data }: MessageEvent<Report>) => {
    if (data.kind === "log") log(data.level, data.message);
    else answer.resolve(data);
  };
  worker.onerror = (event) => {
    event.preventDefault();
    answer.resolve({ kind: "failed", error: `worker failed: ${firstLine(event.message)}` });
  };
  worker.addEventListener("close", () => answer.resolve({ kind: "failed", error: "worker ended before it answered" }), { once: true });
  // As text: a long string crosses to the other thread without being copied, and is parsed there.
  const job: Job = { builtin, args, input: JSON.stringify(input), env, directories, workingDir };
  worker.postMessage(job);
  return answer.promise;
}

function startWorker(): Slot {
  // In the compiled program every module's URL is that of the program, and the worker lies beside it.
  const file = Bun.isStandaloneExecutable ? "./worker.js" : "../../worker.ts";
  const worker = new Worker(new URL(file, import.meta.url).href, { env: {}, ref: false } as WorkerOptions);
  const ready = new Promise<boolean>((resolve) => {
    worker.addEventListener("message", () => resolve(true), { once: true });
    worker.addEventListener("error", () => resolve(false), { once: true });
    worker.addEventListener("close", () => resolve(false), { once: true });
  });
  return { worker, ready };
}

function endWorker({ worker }: Slot): void {
  worker.unref();
  worker.terminate();
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}
