import { expandHookDir, withHookDir } from "../../config/expansion/hook-dir.ts";
import type { StartedOutput, StartedProcess } from "../../lib/process/handed-over.ts";
import { GROUP_VARIABLE, groupVariableValue, nextMark } from "../../lib/process/mark.ts";
import type { Ready, SystemCalls } from "../../lib/process/system-calls.ts";
import { shellCommand } from "../../lib/process/system-shell.ts";
import type { Env } from "../../lib/process-env.ts";
import type { PlainHook } from "./plain-hooks.ts";

/**
 * How long hooks may take together, in milliseconds, before the engine is loaded beside them and waits instead: it knows
 * deadlines, and signals reach it at once. No deadline is shorter.
 */
const PATIENCE_MS = 100;

/** In bytes. What a hook prints on standard error matters only if it is odd. */
const MOST_ERRORS = 64 * 1024;

/** A hook that said nothing. */
export interface SilentRun {
  hook: PlainHook;
  milliseconds: number;
}

/** Where hooks run, and what they read. */
export interface HookPlace {
  cwd: string;
  env: Env;
  input: string;
}

/** A hook that runs, while it is waited for. */
interface Run {
  hook: PlainHook;
  process: StartedProcess;
  /** Ready when the process has ended; -1 after that. */
  watch: number;
  milliseconds: number;
}

/**
 * Runs hooks at once. Returns how, if every one ends with exit code 0 within {@link PATIENCE_MS} and prints nothing that
 * counts; undefined otherwise. Then `started` has all processes that were started, as far as they have come: they go on.
 * `meanwhile` is called while they run; if it returns false, they are not waited for.
 */
export function runQuietly(
  system: SystemCalls,
  hooks: readonly PlainHook[],
  place: HookPlace,
  { started, meanwhile }: { started: StartedProcess[]; meanwhile: () => boolean },
): readonly SilentRun[] | undefined {
  if (hooks.length === 0) return meanwhile() ? [] : undefined;
  if (!system.inheritNothing()) return undefined;
  const runs: Run[] = [];
  let isSilent = true;
  for (const hook of hooks) {
    const run = start(system, hook, place);
    if (run === undefined) {
      isSilent = false;
      break;
    }
    started.push(run.process);
    runs.push(run);
  }
  const until = performance.now() + PATIENCE_MS;
  isSilent = isSilent && meanwhile();
  for (const run of runs) while (isSilent && isOpen(run)) isSilent = readOn(system, runs, until);
  if (isSilent) return runs;
  closeAll(
    system,
    runs.map(({ watch }) => watch),
  );
  return undefined;
}

function closeAll(system: SystemCalls, descriptors: readonly number[]): void {
  for (const descriptor of descriptors) if (descriptor >= 0) system.close(descriptor);
}

function start(system: SystemCalls, hook: PlainHook, { cwd, env: inherited, input }: HookPlace): Run | undefined {
  const env = withHookDir(inherited, hook.directory);
  const { command: text } = expandHookDir(
    { type: "command", command: hook.command, args: [], working_dir: "" },
    hook.directory,
    env,
  );
  const command = shellCommand(text, env);
  if (!command[0]?.startsWith("/")) return undefined;
  const stdin = system.memoryFile(encoder.encode(input));
  const [stdout, stderr] = [system.pipe(), system.pipe()];
  if (stdin < 3 || !stdout || !stderr || stdout[0] < 3 || stderr[0] < 3) {
    closeAll(system, [stdin, ...(stdout ?? []), ...(stderr ?? [])]);
    return undefined;
  }
  const mark = nextMark();
  const startedAt = performance.now();
  const pid = system.spawn({
    command,
    cwd,
    env: { ...env, [GROUP_VARIABLE]: groupVariableValue(env[GROUP_VARIABLE], mark) },
    streams: [stdin, stdout[1], stderr[1]],
  });
  closeAll(system, [stdin, stdout[1], stderr[1]]);
  if (pid < 0) {
    closeAll(system, [stdout[0], stderr[0]]);
    return undefined;
  }
  const streams = { stdout: { read: [], pipe: stdout[0] }, stderr: { read: [], pipe: stderr[0] } };
  const process: StartedProcess = { command, cwd, env, input, pid, mark, startedAt, ...streams, code: undefined };
  return { hook, process, watch: system.processDescriptor(pid), milliseconds: 0 };
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

function isOpen({ process: { code, stdout, stderr } }: Run): boolean {
  return code === undefined || stdout.pipe >= 0 || stderr.pipe >= 0;
}

/** Waits for something to happen and reads it. False if it is nothing that a silent hook does. */
function readOn(system: SystemCalls, runs: readonly Run[], until: number): boolean {
  const events: (Ready & { run: Run; output?: StartedOutput })[] = [];
  let isKept = false;
  for (const run of runs) {
    const { stdout, stderr, code } = run.process;
    if (code === undefined) {
      if (run.watch < 0) return false;
      events.push({ descriptor: run.watch, isReady: false, run });
    }
    for (const output of [stdout, stderr])
      if (output.pipe >= 0) {
        events.push({ descriptor: output.pipe, isReady: false, run, output });
        // A pipe that is open after the end of the hook is held by a process that it started.
        if (code !== undefined) isKept = true;
      }
  }
  if (!system.wait(events, isKept ? 0 : until - performance.now())) return false;
  // Output first, so that nothing is left when the end is seen.
  for (const { isReady, run, output } of events) if (isReady && output && !read(system, run, output)) return false;
  for (const { isReady, run, output } of events) if (isReady && !output && !end(system, run)) return false;
  return true;
}

const buffer = new Uint8Array(MOST_ERRORS);

function read(system: SystemCalls, { process: { stdout, stderr } }: Run, output: StartedOutput): boolean {
  const count = system.read(output.pipe, buffer);
  if (count < 0) return false;
  if (count === 0) {
    system.close(output.pipe);
    output.pipe = -1;
    return output !== stderr || !isOdd(stderr.read);
  }
  output.read.push(buffer.slice(0, count));
  let length = 0;
  for (const part of stderr.read) length += part.length;
  return output !== stdout && length < MOST_ERRORS;
}

/** True if a shell may have said that it did not find a command: a warning, although the hook ended with 0. */
function isOdd(errors: readonly Uint8Array[]): boolean {
  for (const part of errors) if (decoder.decode(part).includes("not found")) return true;
  return errors.length > 1;
}

function end(system: SystemCalls, run: Run): boolean {
  const code = system.exitCode(run.process.pid);
  if (code === undefined) return false;
  run.process.code = code;
  run.milliseconds = performance.now() - run.process.startedAt;
  system.close(run.watch);
  run.watch = -1;
  return code === 0;
}
