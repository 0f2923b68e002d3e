import { ABORT, type Job, READY, runJob } from "./engine/workers/job.ts";

// The worker thread of engine/workers/pool.ts. It runs one job at a time and posts the result. It is next to main.ts
// because a compiled program finds it only there.
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
