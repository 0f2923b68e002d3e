import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { Env } from "../lib/env.ts";
import { UserError } from "../lib/errors.ts";
import { type ProcessEnd, runProcess } from "../lib/process/process.ts";
import { shellCommand } from "../lib/process/system-shell.ts";
import { formatDuration } from "../lib/text/duration.ts";

/** Maximum bytes of output. More than that kills the command. */
export const OUTPUT_LIMIT = 16 * 1024 * 1024;

/** A command text to run in the platform's shell. */
export interface CommandRequest {
  text: string;
  cwd: string;
  env: Env;
  deadlineMs: number;
  signal: AbortSignal;
  onOutput?: ((text: string) => void) | undefined;
  /** Maximum bytes of output; default 16 MiB. More than that kills the command. */
  outputLimit?: number;
}

/** How a command ended, and the output of both streams in the order in which it was written. */
export interface CommandResult {
  end: ProcessEnd;
  output: string;
}

/** Close to the maximum delay of a timer. */
export const MAX_TIMEOUT_MS = 2_000_000_000;

/** Resolves the `cwd` argument of a tool call. Throws a {@link UserError} if the directory does not exist. */
export function commandDirectory(cwd: string | undefined, workingDir: string): string {
  const directory = cwd === undefined || cwd.trim() === "" ? workingDir : resolve(workingDir, cwd);
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return directory;
  throw new UserError(`working directory ${JSON.stringify(directory)}: no such directory`);
}

/** Runs a command text until the shell exits; does not wait for processes in the background. Never throws. */
export async function runCommand(request: CommandRequest): Promise<CommandResult> {
  const { outputLimit = OUTPUT_LIMIT, onOutput } = request;
  const parts: Uint8Array[] = [];
  let room = outputLimit;
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  const { end } = await runProcess({
    command: shellCommand(request.text, request.env),
    isMerged: true,
    cwd: request.cwd,
    env: request.env,
    deadlineMs: request.deadlineMs,
    signal: request.signal,
    stdoutLimit: outputLimit,
    stderrLimit: 0,
    graceMs: 3000,
    drainMs: 500,
    pipeHolders: "leave",
    onOutput: (chunk, stream) => {
      if (room > 0) parts.push(chunk.length > room ? chunk.slice(0, room) : chunk);
      room -= chunk.length;
      onOutput?.(decoders[stream].decode(chunk, { stream: true }));
    },
  });
  return { end, output: new TextDecoder().decode(Buffer.concat(parts)) };
}

/**
 * Formats the result of a command for the model: its output, after a line that names the timeout or failure if there
 * was one. Not for a cancelled command.
 */
export function renderCommand({ end, output }: CommandResult, deadlineMs: number): string {
  const failure = failureText(end);
  const timedOut = end.kind === "timed_out" && `Command timed out after ${formatDuration(deadlineMs)}`;
  const lead = timedOut || (failure !== undefined && `Error executing command: ${failure}`);
  return (lead ? `${lead}\nOutput: ${output}` : output).trim() || "<no output>";
}

/**
 * Describes a failure as `exit status 3` or `signal: killed`: hook scripts search for this wording, which Go programs
 * use. Undefined after success.
 */
export function failureText(end: ProcessEnd): string | undefined {
  switch (end.kind) {
    case "exited":
      return end.code === 0 ? undefined : `exit status ${end.code}`;
    case "signaled":
      return `signal: ${SIGNALS[end.signal] ?? end.signal}`;
    case "not_started":
      return end.error;
    case "flooded":
      return `output exceeded ${OUTPUT_LIMIT} bytes`;
    case "timed_out":
      return "timed out";
    case "aborted":
      return "cancelled";
  }
}

const SIGNALS: Readonly<Record<string, string>> = {
  SIGHUP: "hangup",
  SIGINT: "interrupt",
  SIGQUIT: "quit",
  SIGABRT: "aborted",
  SIGKILL: "killed",
  SIGSEGV: "segmentation fault",
  SIGPIPE: "broken pipe",
  SIGTERM: "terminated",
};
