import { MAX_TIMEOUT_MS } from "../run-command.ts";

/** A time limit that can be paused. */
export interface TimeLimit {
  /** Aborted when the time is up. */
  signal: AbortSignal;
  pause(): void;
  /** Starts the whole time again. */
  resume(): void;
  stop(): void;
}

/** Starts a time limit. */
export function startTimeLimit(milliseconds: number): TimeLimit {
  const controller = new AbortController();
  let pauses = 0;
  let running: ReturnType<typeof setTimeout> | undefined;
  const start = () => {
    running = setTimeout(() => controller.abort(new Error("timed out")), Math.min(milliseconds, MAX_TIMEOUT_MS));
  };
  start();
  return {
    signal: controller.signal,
    pause: () => {
      pauses++;
      clearTimeout(running);
    },
    resume: () => {
      pauses--;
      if (pauses === 0) start();
    },
    stop: () => {
      pauses = Infinity;
      clearTimeout(running);
    },
  };
}
