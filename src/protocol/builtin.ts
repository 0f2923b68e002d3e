import type { Directories, Env } from "../lib/env.ts";
import type { EventName } from "./events.ts";
import type { FieldValues } from "./fields.ts";
import type { HookOutput } from "./output.ts";

/** The input of an in-process hook, for any event. It is a private copy. */
export type BuiltinInput = Pick<FieldValues, "session_id" | "cwd"> & { hook_event_name: EventName } & Partial<
    Omit<FieldValues, "session_id" | "cwd" | "hook_event_name">
  >;

/** The context of an in-process hook. */
export interface BuiltinContext {
  /** Aborts at the deadline and when the run is cancelled. */
  signal: AbortSignal;
  /** The environment of the hook, for processes that it starts. */
  env: Env;
  directories: Directories;
  /**
   * Returns the state that this builtin keeps between calls; `make` creates it on first use. Executors share it only if
   * they are given the same memory. For the user's own hooks and for worker threads it is new in every call.
   */
  memory: <T>(make: () => T) => T;
  /** Writes a line to the log; models never see it. */
  log: (level: "debug" | "warn", message: string) => void;
  /** Reports the redacted secrets, for logs and details. They are not part of the answer. */
  redacted?: (kinds: RedactedKinds) => void;
  /** Reports the texts whose {@link joinLoaded | joined contents} are the context of the answer, for `prompt_file_guard`. */
  loaded?: (texts: readonly LoadedText[]) => void;
}

/** A text for the prompt: a file, a file that cannot be read (`isUnreadable`), or without `path` a listing. */
export interface LoadedText {
  path?: string;
  content: string;
  isUnreadable?: true;
}

/** The context that loaded texts make. */
export function joinLoaded(texts: readonly LoadedText[]): string {
  return texts.flatMap(({ content, isUnreadable }) => (isUnreadable ? [] : [content])).join("\n\n");
}

/** The number of redacted secrets by kind: `{ "github-pat": 2 }`. */
export type RedactedKinds = Readonly<Record<string, number>>;

/** The sum of two counts. */
export function addKinds(a: RedactedKinds, b: RedactedKinds): RedactedKinds {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return Object.fromEntries(names.map((name) => [name, (a[name] ?? 0) + (b[name] ?? 0)]));
}

/** The counts on one line: `github-pat 2, private-key 1`. */
export function redactionCounts(kinds: RedactedKinds): string {
  return Object.entries(kinds)
    .map(([kind, count]) => `${kind} ${count}`)
    .join(", ");
}

/** An in-process hook. It returns an answer or nothing. A thrown error is a failure of the hook. */
export type Builtin = (
  input: BuiltinInput,
  args: readonly string[],
  context: BuiltinContext,
) => HookOutput | undefined | Promise<HookOutput | undefined>;

/** The state that builtins keep between calls, by builtin name. */
export type BuiltinMemory = Map<string, unknown>;

/** The description of a builtin. Its code is loaded on first use. */
export interface BuiltinRow {
  /** What it does, in one sentence. */
  summary: string;
  /** The events that it supports. */
  events: readonly EventName[] | "any";
  /** A description of its `args`; absent if it takes none. */
  args?: string;
  /** Returns a message if the `args` are invalid. Absent: any `args` are valid. */
  argsProblem?: (args: readonly string[]) => string | undefined;
  /** Returns why a valid hook on this event with these `args` does nothing; undefined if it may do something. */
  idleReason?: (event: EventName, args: readonly string[]) => string | undefined;
  /** Its hooks are declared rewriters. */
  rewrites?: true;
  /** Events on which hooksh runs it for every agent, configured or not. Runs do not report these dispatches. */
  always?: readonly EventName[];
  /** Further events on which it runs once it is configured for any event, so that it can clear its state. */
  forgetsOn?: readonly EventName[];
  /**
   * `does`: it redacts, and no later rewrite may undo that. `follows`: it stores the text it sees, so it runs after
   * every redaction.
   */
  redaction?: "does" | "follows";
  /** A redaction that reads each message of a request by itself, so that it needs to read none twice. */
  perMessage?: true;
  /**
   * The thread it runs on. `inline`: the main thread, for builtins that only wait or take microseconds. `worker`: a
   * thread that can be terminated at the deadline.
   */
  thread: "inline" | "worker";
  /** A `worker` builtin runs inline if its input has fewer characters of JSON than this. */
  inlineBelow?: number;
  load: () => Promise<{ run: Builtin }>;
}

/** Declares a builtin. Its module exports the result; its row in `builtins/index.ts` describes it. */
export function defineBuiltin(run: Builtin): Builtin {
  return run;
}
