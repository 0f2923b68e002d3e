import { ABORT, type Job, READY, runJob } from "./engine/workers/job.ts";

// The other end of the pool (engine/workers/pool.ts): one job at a time, answers as data. It lies beside main.ts
// because a compiled program finds it only there.
declare const self: Worker;

const post = postMessage.bind(globalThis);
let current = new AbortController();

self.onmessage = ({ data }: MessageEvent<Job | typeof ABORT>) => {
  if (data === ABORT) return current.abort();
  current = new AbortController();
  void runJob(data, current.signal, (report) => post(report));
};

// Last, when jobs can be taken.
post(READY);
