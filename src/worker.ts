/**
 * The code of a worker thread. It runs one job of `engine/workers/pool.ts` at a time and posts the result.
 *
 * @packageDocumentation
 */
import { ABORT, type Job, READY, runJob } from "./engine/workers/job.ts";

// A compiled program finds its worker only next to main.ts.
declare const self: Worker;

const post = postMessage.bind(globalThis);
let current = new AbortController();

self.onmessage = ({ data }: MessageEvent<Job | typeof ABORT>) => {
  if (data === ABORT) return current.abort();
  current = new AbortController();
  void runJob(data, current.signal, (report) => post(report));
};

// Must be the last statement: from here on the worker takes jobs.
post(READY);
