import type { EvaluatorUse } from "../config/hooks/evaluator-policy.ts";
import type { HookDefinition } from "../config/hooks/read-hooks.ts";
import type { HostCall } from "../dialects/dialect.ts";
import type { Directories, Env } from "../lib/env.ts";
import type { Help } from "../lib/errors.ts";
import type { Evaluation } from "../model/evaluators/evaluator.ts";
import type { BuiltinMemory, LoadedText, RedactedKinds } from "../protocol/builtin.ts";
import type { EventContract, EventName } from "../protocol/events.ts";
import type { HookOutput } from "../protocol/output.ts";

export const HOOK_TIMED_OUT: Help = {
  cause: "The hook did not end within its `timeout` (60 seconds unless it is set).",
  cure: "Raise `timeout` if it needs longer; `hooksh stats` shows how long each hook takes.",
};

export const PROGRAM_OF_A_HOOK_FAILED: Help = {
  cause:
    "The command is not on the `PATH`, is not executable, crashed, printed too much, or ended with an exit code other than 0 and 2. On events that guard, the call is blocked.",
  cure: "Run the command by hand with the event on standard input; `hooksh explain` prints which hooks run. Exit 0 lets through, exit 2 blocks; 126 and 127 of a shell mean not executable (`chmod +x`) and not found.",
};

export const OWN_HOOK_FAILED: Help = {
  cause:
    "The TypeScript or JavaScript file of the hook is missing, exports no function, called something that a worker does not have, or returned no object.",
  cure: "`export default` one function that returns an object or nothing; [own hooks](own-hooks.md) has an example.",
};

/** Writes a line to the log; models never see it. */
export type Log = (level: "debug" | "warn", message: string) => void;

/** Discards every entry. Compare with it before doing work for an entry. */
export const NO_LOG: Log = () => {};

/** The part of the executor that a hook may see; a handler is built with it. */
export interface HandlerEnvironment {
  event: EventName;
  /** The expanded working directory of the hook; absolute. */
  workingDir: string;
  /** The complete environment of the hook, including its own `env`. */
  env: Env;
  directories: Directories;
  /** State that builtins keep between calls. */
  memory: BuiltinMemory;
  log: Log;
  /** What an evaluator hook asks; set if the hook's configuration defines it. */
  evaluator?: EvaluatorUse | undefined;
  /** Receives every request that was sent to an evaluator. */
  evaluated?: ((evaluation: Evaluation) => void) | undefined;
  /** The event of another agent that this one was decoded from; hooks of hooksh do not see it. */
  host?: HostCall | undefined;
}

/** The input of a hook, as a value and as JSON text. All hooks share the value; do not change it. */
export interface HandlerInput {
  value: Readonly<Record<string, unknown>>;
  /** Serialised on first use. Throws if the value cannot be written as JSON. */
  json: () => string;
}

/**
 * The result of a handler: the exit code and streams of a process (`exited`), the output of an in-process hook
 * (`returned`), or the reason why there is neither (`failed`).
 */
export type HandlerResult =
  | {
      kind: "exited";
      exitCode: number;
      stdout: string;
      stderr: string;
      /** False if standard output had bytes that are not UTF-8. Absent means true. */
      isUtf8?: boolean;
      /** Advice on how to fix a failing exit code, if the handler has any. */
      hint?: string;
    }
  /** `warning`: the part of the answer that has no effect. `redacted`: the secrets that the hook replaced. */
  | {
      kind: "returned";
      output: HookOutput | undefined;
      warning?: string;
      redacted?: RedactedKinds;
      /** The texts that its context consists of. */
      loaded?: readonly LoadedText[];
    }
  | {
      kind: "failed";
      error: string;
      stderr?: string;
      exitCode?: number;
      category?: FailureCategory;
      help?: Help | undefined;
    };

/** Why a hook gave no verdict, where nothing of what it says is passed on. */
export type FailureCategory =
  | `exited with status ${number}`
  | "killed by signal"
  | "could not be run"
  | "no explicit verdict"
  | "invalid output"
  | "model call failed";

/**
 * Runs one hook once. The caller owns the deadline: it aborts the signal, and abandons a handler that does not stop.
 */
export interface Handler {
  run(input: HandlerInput, signal: AbortSignal): Promise<HandlerResult>;
  /** Milliseconds that the caller waits for the result after the abort. Default: 0. */
  lingerMs?: number;
  /** When the hook began, if it runs already; in the time of `performance.now()`. */
  startedAt?: number | undefined;
}

/** Builds the handler for one hook. Throwing counts as a failure of that hook. */
export type HandlerFactory = (hook: HookDefinition, environment: HandlerEnvironment) => Handler;

/** Why a hook gave no valid answer. `unreadable`: its input could not be written as JSON. */
export type FailureReason = "failed" | "timed_out" | "cancelled" | "unreadable";

/** The outcome of one hook. `warning` names output that has no effect; it is not part of the result of the dispatch. */
export type Outcome =
  | { kind: "silent"; warning?: string }
  /** Plain text on standard output. */
  | { kind: "said"; text: string; warning?: string }
  /** `problem`: what is wrong with an answer that blocks nevertheless. */
  | { kind: "answered"; output: HookOutput; problem?: string; warning?: string; redacted?: RedactedKinds }
  /** Exit code 2. */
  | { kind: "blocked"; message: string; systemMessage: string; stderr: string; warning?: string }
  /**
   * `said`: the last line of standard error, which may be shown. `text`: standard output that still counts as context
   * although the hook failed.
   */
  | {
      kind: "failed";
      reason: FailureReason;
      error: string;
      stderr: string;
      said?: string;
      text?: string;
      help?: Help | undefined;
    };

/** The hook whose output is read, its event, and the contract of that event. */
export interface HookContext {
  event: EventName;
  contract: EventContract;
  hook: HookDefinition;
}
