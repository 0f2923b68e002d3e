import type { Env } from "../process-env.ts";

/** The signals that end hooksh. */
export const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;

export type StopSignal = (typeof SIGNALS)[number];

/** The part of standard input that can be read without waiting. */
export interface ReadyInput {
  bytes: Uint8Array;
  /** True if nothing follows. */
  ended: boolean;
}

/** A process that runs already. Whoever asks for the same one gets it in place of a new one. */
export interface StartedProcess {
  command: readonly string[];
  cwd: string;
  /** Its environment without its mark. */
  env: Env;
  input: string;
  pid: number;
  mark: string;
  /** When it was started, in the time of `performance.now()`. */
  startedAt: number;
  stdout: StartedOutput;
  stderr: StartedOutput;
  /** Its exit code, or the negative number of a signal; undefined while it runs. */
  code: number | undefined;
}

/** One of its streams: what was read, and the pipe with the rest; -1 if there is none. */
export interface StartedOutput {
  read: Uint8Array[];
  pipe: number;
}

/** What a dispatch has begun and does not end itself: reading the input, and running hooks. */
export interface HandedOver {
  /** The part of standard input that was read. */
  input: ReadyInput | undefined;
  /** The id of the session of events that name none, if one was needed. */
  session: string | undefined;
  /** The processes that were started. */
  started: StartedProcess[];
  /** When the first of them was, until {@link takeStart}; in the time of `performance.now()`. */
  startedAt?: number | undefined;
  /** The signals that came meanwhile, and come until {@link takeSignals}. */
  signals: StopSignal[];
  /** Ends keeping signals. */
  release: () => void;
}

let kept: HandedOver | undefined;

/** Keeps what was handed over, for those who ask for it. */
export function takeOver(handedOver: HandedOver): void {
  kept = handedOver;
}

/** Returns the part of standard input that was read, once. */
export function takeInput(): ReadyInput | undefined {
  const input = kept?.input;
  if (kept) kept.input = undefined;
  return input;
}

/** Returns the id of the session of events that name none, if there is one yet. */
export function handedSession(): string | undefined {
  return kept?.session;
}

/** Returns the signals that came before the engine could act on them; from now on it must. */
export function takeSignals(): readonly StopSignal[] {
  kept?.release();
  return kept?.signals.splice(0) ?? [];
}

/** What tells apart processes that are asked for; without `input`, whatever they read. */
type Wanted = Pick<StartedProcess, "command" | "cwd" | "env"> & { input?: string | undefined };

/** True if a process runs already that the engine has not asked for. */
export function hasStarted(): boolean {
  return untaken().length > 0;
}

/** Returns when the first of the processes was started, once. */
export function takeStart(): number | undefined {
  const startedAt = kept?.startedAt;
  if (kept) kept.startedAt = undefined;
  return startedAt;
}

/** Returns when a process was started that the engine is about to ask for; undefined if it does not run yet. */
export function startOf(wanted: Wanted): number | undefined {
  return kept?.started.find((started) => isSame(started, wanted))?.startedAt;
}

/** Returns the process that runs already, once. */
export function takeStarted(wanted: Wanted): StartedProcess | undefined {
  const at = kept?.started.findIndex((started) => isSame(started, wanted)) ?? -1;
  return at < 0 ? undefined : kept?.started.splice(at, 1)[0];
}

/** Returns the processes that the engine has not asked for. */
export function untaken(): readonly StartedProcess[] {
  return kept?.started ?? [];
}

function isSame(started: StartedProcess, wanted: Wanted): boolean {
  if (wanted.input !== undefined && wanted.input !== started.input) return false;
  const text = ({ command, cwd, env }: Wanted) => JSON.stringify([command, cwd, Object.entries(env).sort()]);
  return text(started) === text(wanted);
}
