import type { Env } from "../../lib/env.ts";
import { type ProcessEnd, runProcess } from "../../lib/process/process.ts";
import { shellCommand } from "../../lib/process/system-shell.ts";
import { failureText, MAX_TIMEOUT_MS } from "../run-command.ts";

/** What is kept of a job's output, in bytes. */
const OUTPUT_LIMIT = 10 * 1024 * 1024;

let counter = 0;

/** A command that runs in the background. */
export interface Job {
  /** `job_<unix seconds>_<counter>` */
  id: string;
  command: string;
  status(): "running" | "completed" | "failed" | "stopped";
  /** Why it failed; undefined for every other status. */
  failure(): string | undefined;
  /** Both streams in order of arrival, at most 10 MiB and a notice. */
  output(): string;
  /** Resolves when nothing of it runs any more; never rejects. */
  ended: Promise<void>;
  /** Ends it and everything it started. Never throws. */
  stop(): Promise<void>;
}

/** Starts a command text. Never throws: what cannot be started has failed. */
export function startJob(command: string, cwd: string, env: Env): Job {
  const controller = new AbortController();
  const parts: Uint8Array[] = [];
  let room = OUTPUT_LIMIT;
  let end: ProcessEnd | undefined;
  const ended = runProcess({
    command: shellCommand(command, env),
    cwd,
    env,
    deadlineMs: MAX_TIMEOUT_MS,
    signal: controller.signal,
    stdoutLimit: 0,
    stderrLimit: 0,
    overflow: "drop",
    drainMs: 500,
    onOutput: (chunk) => {
      if (room > 0) parts.push(chunk.length > room ? chunk.slice(0, room) : chunk);
      room -= chunk.length;
    },
  }).then((result) => {
    end = result.end;
  });
  return {
    id: `job_${Math.floor(Date.now() / 1000)}_${++counter}`,
    command,
    status: () => statusOf(end),
    failure: () => (end && statusOf(end) === "failed" ? failureText(end) : undefined),
    output: () => {
      const text = new TextDecoder().decode(Buffer.concat(parts));
      return room < 0 ? `${text}\n... (output beyond ${OUTPUT_LIMIT} bytes was dropped)` : text;
    },
    ended,
    stop: async () => {
      controller.abort();
      await ended;
    },
  };
}

function statusOf(end: ProcessEnd | undefined): ReturnType<Job["status"]> {
  if (end === undefined) return "running";
  if (end.kind === "aborted") return "stopped";
  return end.kind === "exited" && end.code === 0 ? "completed" : "failed";
}
