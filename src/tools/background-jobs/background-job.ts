import type { Env } from "../../lib/env.ts";
import { type ProcessEnd, runProcess } from "../../lib/process/process.ts";
import { shellCommand } from "../../lib/process/system-shell.ts";
import { fromLineStart } from "../../lib/text/cut-text.ts";
import { failureText, MAX_TIMEOUT_MS } from "../run-command.ts";
import type { BackgroundWork } from "../tool.ts";

/** Maximum bytes of a job's output that are kept. */
const OUTPUT_LIMIT = 10 * 1024 * 1024;

/** Bytes of the end of a job's output. */
const TAIL_BYTES = 16 * 1024;

let counter = 0;

/** A command that runs in the background; its id is `job_<unix seconds>_<counter>`. */
export interface Job extends BackgroundWork {
  /** Why it failed; undefined for every other status. */
  failure(): string | undefined;
  /** The output of both streams in order of arrival: at most 10 MiB, then a notice. */
  output(): string;
  /** Resolves when the command and its descendants have ended. Never rejects. */
  ended: Promise<void>;
}

/** Starts a command text. Never throws: a command that cannot be started has the status `failed`. */
export function startJob(command: string, cwd: string, env: Env): Job {
  const controller = new AbortController();
  const parts: Uint8Array[] = [];
  let room = OUTPUT_LIMIT;
  let end: ProcessEnd | undefined;
  const ended = runProcess({
    command: shellCommand(command, env),
    isMerged: true,
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
  const startedAt = Date.now();
  return {
    id: `job_${Math.floor(startedAt / 1000)}_${++counter}`,
    what: command,
    startedAt,
    status: () => statusOf(end),
    failure: () => (end && statusOf(end) === "failed" ? failureText(end) : undefined),
    output: () => {
      const text = new TextDecoder().decode(Buffer.concat(parts));
      return room < 0 ? `${text}\n... (output beyond ${OUTPUT_LIMIT} bytes was dropped)` : text;
    },
    tail: () => endOf(parts),
    ended,
    stop: async () => {
      controller.abort();
      await ended;
    },
  };
}

function endOf(parts: readonly Uint8Array[]): string {
  const last: Uint8Array[] = [];
  let size = 0;
  for (let at = parts.length - 1; at >= 0 && size <= TAIL_BYTES; at--) {
    const part = parts[at] ?? new Uint8Array();
    last.unshift(part);
    size += part.length;
  }
  const text = new TextDecoder().decode(Buffer.concat(last).subarray(-TAIL_BYTES));
  return size > TAIL_BYTES ? fromLineStart(text) : text;
}

function statusOf(end: ProcessEnd | undefined): ReturnType<Job["status"]> {
  if (end === undefined) return "running";
  if (end.kind === "aborted") return "stopped";
  return end.kind === "exited" && end.code === 0 ? "completed" : "failed";
}
