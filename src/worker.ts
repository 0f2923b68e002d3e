import { type Job, READY, runJob } from "./engine/workers/job.ts";

// The other end of the pool (engine/workers/pool.ts): one job at a time, answers as data. It lies beside main.ts
// because a compiled program finds it only there.
declare const self: Worker;

const post = postMessage.bind(globalThis);

self.onmessage = ({ data }: MessageEvent<Job>) => {
  void runJob(data, (report) => post(report));
};

// Last, when jobs can be taken.
post(READY);
