import type { HandlerFactory, HandlerResult } from "../engine/handler.ts";
import { untilAborted } from "../lib/settle-within.ts";

export const FAULT_KINDS = ["missing", "crash", "hang", "garbage", "killed"] as const;

export type FaultKind = (typeof FAULT_KINDS)[number];

/** How to make a hook fail in one way. */
interface Fault {
  /** Replaces the command of a command hook, which then really fails. */
  command: string;
  /** The error of a hook that is not a process; absent if it hangs. */
  error?: string;
}

/** The timeout of a hook that hangs, in seconds. */
export const HANG_TIMEOUT = 0.3;

const FAULTS: Readonly<Record<FaultKind, Fault>> = {
  missing: { command: "./no-such-command-hooksh-test", error: "cannot be loaded: no such file" },
  crash: { command: "echo 'simulated crash' >&2; exit 1", error: "simulated crash" },
  hang: { command: "exec sleep 3600" },
  // Neither UTF-8 nor JSON.
  garbage: { command: "printf '\\377\\376{\"decision\": \\001\\200'", error: "its answer could not be read" },
  killed: { command: "kill -KILL $$", error: "its worker was terminated" },
};

/**
 * Returns a factory of hooks that fail in one way. A command hook starts a real process that fails; any other hook
 * reports the error that such a failure has.
 */
export function failingFactory(kind: FaultKind, factory: HandlerFactory): HandlerFactory {
  const { command, error } = FAULTS[kind];
  return (hook, environment) => {
    if (hook.type === "command") return factory({ ...hook, command, args: [] }, environment);
    return {
      run: async (_input, signal): Promise<HandlerResult> => {
        if (error === undefined) await untilAborted(new Promise(() => {}), signal);
        return { kind: "failed", error: error ?? "ended before it answered" };
      },
    };
  };
}
