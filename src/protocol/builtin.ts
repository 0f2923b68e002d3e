import type { Directories, Env } from "../lib/env.ts";
import type { EventName } from "./events.ts";
import type { FieldName, FieldValue } from "./fields.ts";
import type { HookOutput } from "./output.ts";

/** What an in-process hook reads: a private copy of the input of any event. */
export type BuiltinInput = { session_id: string; cwd: string; hook_event_name: EventName } & {
  [F in Exclude<FieldName, "session_id" | "cwd" | "hook_event_name">]?: FieldValue<F>;
};

/** What an in-process hook is given beside the input. */
export interface BuiltinContext {
  /** Aborted at the deadline, or when the run is cancelled. */
  signal: AbortSignal;
  /** The hook's environment, for any process it starts. */
  env: Env;
  directories: Directories;
  /**
   * What this builtin keeps from one call to the next, made when it is first asked for. Executors do not share it unless
   * they are given the same memory; the user's own hooks start from scratch each time.
   */
  memory: <T>(make: () => T) => T;
  /** Writes to the log; never seen by the model. */
  log: (level: "debug" | "warn", message: string) => void;
  /** Reports how many secrets of each kind were redacted, for logs and details. It is not part of the answer. */
  redacted?: (kinds: RedactedKinds) => void;
}

/** How many secrets were redacted, by kind: `{ "github-pat": 2 }`. */
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

/** An in-process hook. Nothing returned means nothing to say; a thrown error is a failure of this hook. */
export type Builtin = (
  input: BuiltinInput,
  args: readonly string[],
  context: BuiltinContext,
) => HookOutput | undefined | Promise<HookOutput | undefined>;

/** What builtins remember, by their names. */
export type BuiltinMemory = Map<string, unknown>;

/** What is known of a builtin before it is loaded. */
export interface BuiltinRow {
  /** What it does, in one sentence. */
  summary: string;
  /** The events it is made for. */
  events: readonly EventName[] | "any";
  /** What its `args` mean; absent when it takes none. */
  args?: string;
  /** What is wrong with its `args`, as a message; undefined if they are valid. A row without this accepts any. */
  argsProblem?: (args: readonly string[]) => string | undefined;
  /** It counts as a declared rewriter. */
  rewrites?: true;
  /** Events under which hooksh runs it for every agent, unasked; runs do not report these dispatches. */
  always?: readonly EventName[];
  /** Events under which it runs too once it is configured under another, so that it forgets in time. */
  forgetsOn?: readonly EventName[];
  /** `does`: no later rewrite may undo it; `follows`: keeps the text it sees, so it runs behind every redaction. */
  redaction?: "does" | "follows";
  /**
   * Where it runs. `inline`: on the main thread, for what only waits or costs microseconds; `worker`: on a thread that
   * can be ended at the deadline.
   */
  thread: "inline" | "worker";
  /** For a `worker` builtin whose cost grows with its input: below this many characters of JSON it runs inline. */
  inlineBelow?: number;
  load: () => Promise<{ run: Builtin }>;
}

/** A builtin's own module exports this; the row in `builtins/index.ts` says the rest. */
export function defineBuiltin(run: Builtin): Builtin {
  return run;
}
