import type { HookDefinition } from "../config/hooks/read-hooks.ts";
import type { Directories, Env } from "../lib/env.ts";
import type { BuiltinMemory, RedactedKinds } from "../protocol/builtin.ts";
import type { EventContract, EventName } from "../protocol/events.ts";
import type { HookOutput } from "../protocol/output.ts";
import type { Payload } from "../protocol/rewrite.ts";
import type { CompiledHook } from "./match.ts";

/** Where log lines go; nothing in them reaches a model. */
export type Log = (level: "debug" | "warn", message: string) => void;

/** What a handler is built with: everything of the executor that a hook may see. */
export interface HandlerEnvironment {
  event: EventName;
  /** The hook's directory after expansion; absolute. */
  workingDir: string;
  /** The hook's whole environment, its own `env` included. */
  env: Env;
  directories: Directories;
  /** What builtins remember between calls. */
  memory: BuiltinMemory;
  log: Log;
}

/** The input of one dispatch as handlers take it: the value, shared and not to be changed, and its JSON text. */
export interface HandlerInput {
  value: Readonly<Record<string, unknown>>;
  /** Serialised once for all hooks that see this value. */
  json: () => string;
}

/**
 * What a handler came back with: by the process protocol, an exit code and two texts; by the direct protocol, an
 * output; or the reason why there is no answer.
 */
export type HandlerResult =
  | {
      kind: "exited";
      exitCode: number;
      stdout: string;
      stderr: string;
      /** False if standard output held bytes that are not UTF-8; absent means true. */
      isUtf8?: boolean;
      /** What to do about an exit code that is a failure, where the handler knows. */
      hint?: string;
    }
  /** `warning`: what the hook said that has no effect; `redacted`: the secrets it replaced. */
  | { kind: "returned"; output: HookOutput | undefined; warning?: string; redacted?: RedactedKinds }
  | { kind: "failed"; error: string; stderr?: string };

/**
 * One invocation of one hook. Built for it, run at most once. It has no deadline of its own: it ends its work when the
 * signal aborts, and is abandoned when it does not.
 */
export interface Handler {
  run(input: HandlerInput, signal: AbortSignal): Promise<HandlerResult>;
  /** How long after the abort its result is still waited for, in milliseconds; 0 when absent. */
  lingerMs?: number;
}

/** Builds the handler of one hook; throwing is a failure of that hook. */
export type HandlerFactory = (hook: HookDefinition, environment: HandlerEnvironment) => Handler;

/** Why a hook gave no valid answer; `unreadable`: its input could not be written as JSON. */
export type FailureReason = "failed" | "timed_out" | "cancelled" | "unreadable";

/** The outcome of one hook. `warning` says what it printed that has no effect; the result of the dispatch does not hold it. */
export type Outcome =
  | { kind: "silent"; warning?: string }
  /** Plain text on standard output. */
  | { kind: "said"; text: string; warning?: string }
  /** `problem`: what is wrong with an answer that blocks all the same. */
  | { kind: "answered"; output: HookOutput; problem?: string; warning?: string; redacted?: RedactedKinds }
  /** Exit code 2. */
  | { kind: "blocked"; message: string; systemMessage: string; stderr: string }
  /** `text` is what standard output held where it counts as context all the same. */
  | { kind: "failed"; reason: FailureReason; error: string; stderr: string; text?: string };

/** Why a hook failed, and what else it said on standard error. */
export function failureDetails({ error, stderr }: Pick<Outcome & { kind: "failed" }, "error" | "stderr">): string {
  const said = stderr.trim();
  return said === "" || error.includes(said) ? error : `${error}\n${said}`;
}

/** The hook whose output is read, its event, and the contract of that event. */
export interface HookContext {
  event: EventName;
  contract: EventContract;
  hook: HookDefinition;
}

/** How the hooks of one dispatch are run. */
export interface RunOptions {
  contract: EventContract;
  hooks: readonly CompiledHook[];
  payload: Payload;
  /** True for a declared rewriter. */
  declared: (hook: CompiledHook) => boolean;
  /** `does` for a redaction, which no later rewrite may undo; `follows` for a rewriter that must only see redacted text. */
  redaction: (hook: CompiledHook) => "does" | "follows" | undefined;
  /** Runs one hook on a payload. Never rejects. */
  run: (hook: CompiledHook, payload: Payload) => Promise<Outcome>;
}

/** The state of a dispatch while its hooks run. */
export interface RunState {
  payload: Payload;
  rewritten: boolean;
  results: Map<CompiledHook, { outcome: Outcome; rewriteDropped: boolean }>;
}
