import { MAX_TIMEOUT_MS } from "../run-command.ts";

/** The keys of `lifecycle`; times in milliseconds. */
export interface LifecycleKeys {
  profile?: Profile;
  required?: boolean;
  startup_timeout?: number;
  call_timeout?: number;
  restart?: Lifecycle["restart"];
  /** 0 for the default, -1 for no limit. */
  max_restarts?: number;
  backoff?: { initial?: number; max?: number; multiplier?: number; jitter?: number };
}

type Profile = "resilient" | "strict" | "best-effort";

/** The time limits of a server, and when to restart it. */
export interface Lifecycle {
  /** True if the agent must not run without it. */
  isRequired: boolean;
  startupMs: number;
  callMs: number;
  /** `on_failure`: after every end except an exit with code 0. */
  restart: "never" | "on_failure" | "always";
  /** Maximum restarts in a row, without an answered call or ten seconds of running between them. */
  maxRestarts: number;
  backoff: Backoff;
}

/** The delays before restarts. */
export interface Backoff {
  initialMs: number;
  maxMs: number;
  multiplier: number;
  /** The random fraction of a delay, from 0 to 1. */
  jitter: number;
}

/** The defaults of each profile. */
const PROFILES: Readonly<Record<Profile, Pick<Lifecycle, "isRequired" | "restart" | "startupMs">>> = {
  resilient: { isRequired: false, restart: "on_failure", startupMs: 60_000 },
  strict: { isRequired: true, restart: "never", startupMs: 30_000 },
  "best-effort": { isRequired: false, restart: "never", startupMs: 60_000 },
};

const CALL_MS = 600_000;
const MAX_RESTARTS = 5;
/** Keeps a server that exits immediately from using all of the CPU, whatever its entry says. */
const MIN_DELAY_MS = 100;

/** Returns the lifecycle of an entry, with defaults. A time, limit or multiplier of 0 means the default. */
export function lifecycleOf(keys: LifecycleKeys = {}): Lifecycle {
  const profile = PROFILES[keys.profile ?? "resilient"];
  const { initial, max, multiplier, jitter = 0 } = keys.backoff ?? {};
  const limit = keys.max_restarts || MAX_RESTARTS;
  return {
    isRequired: keys.required ?? profile.isRequired,
    startupMs: keys.startup_timeout || profile.startupMs,
    callMs: keys.call_timeout || CALL_MS,
    restart: keys.restart ?? profile.restart,
    maxRestarts: limit < 0 ? Infinity : limit,
    backoff: { initialMs: initial || 1000, maxMs: max || 32_000, multiplier: multiplier || 2, jitter },
  };
}

/** Returns the delay before a restart, in milliseconds. `restarts` counts the earlier ones; `random` is from 0 to 1. */
export function restartDelay(
  { initialMs, maxMs, multiplier, jitter }: Backoff,
  restarts: number,
  random: number,
): number {
  const delay = Math.min(initialMs * multiplier ** restarts, maxMs);
  return Math.max(delay * (1 + jitter * (2 * random - 1)), MIN_DELAY_MS);
}

/** A time limit that can be paused. */
export interface TimeLimit {
  /** Aborted when the time is up. */
  signal: AbortSignal;
  pause(): void;
  /** Starts the whole time again. */
  resume(): void;
  stop(): void;
}

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
