import type { Routes } from "../config/agent/routes.ts";
import type { PlacedRule } from "../config/rules/load-rules.ts";
import type { Directories, Env } from "../lib/env.ts";
import type { BuiltinMemory, RedactedKinds } from "../protocol/builtin.ts";
import type { EventName, EventPayload, Lane } from "../protocol/events.ts";
import type { AnyResult, Result } from "../protocol/result.ts";
import type { Payload } from "../protocol/rewrite.ts";
import type { DispatchObserver, HookDetail } from "./dispatch-record.ts";
import type { HandlerEnvironment, Log } from "./handler.ts";
import type { Registry } from "./registry.ts";
import type { RulesVerdict, SessionState } from "./rules.ts";

/** Settings that all hooks of an executor share. */
export interface ExecutorSettings {
  /** Where hooks run, and the value of an empty `cwd`; absolute. */
  workingDir: string;
  /** The environment that hooks inherit. */
  env: Env;
  directories: Directories;
  registry: Registry;
  /** State that builtins keep between calls; executors of one session share it. */
  memory: BuiltinMemory;
  log: Log;
  /** @internal */
  host?: HandlerEnvironment["host"];
  /** @internal */
  evaluated?: HandlerEnvironment["evaluated"];
  /**
   * Where hooks may route to; undefined where their caller checks that, or nothing limits it.
   * @internal
   */
  routes?: Routes | undefined;
  /** Watch every dispatch. */
  observers: readonly DispatchObserver[];
  /** Rules, which judge an event before its hooks. */
  rules: readonly PlacedRule[];
  /**
   * The agent whose events these are, where they name none.
   * @internal
   */
  agent?: string | undefined;
  /**
   * False if what rules ask about the past is forgotten with the executor, as of a replay.
   * @internal
   */
  keepsHistory: boolean;
  /**
   * Facts of the event that take the place of those that it has, as an example of a rule states them.
   * @internal
   */
  stated?: Readonly<Record<string, unknown>> | undefined;
}

/** Settings of an executor; each defaults to that of the process. */
export type ExecutorOptions = Partial<ExecutorSettings>;

/** Asks the guards about one loaded text. Undefined means that they were not asked, which approves nothing. */
export type JudgeFile = (
  payload: EventPayload<"prompt_file_guard">,
) => Promise<Pick<AnyResult, "allowed" | "message"> | undefined>;

/**
 * Translates a patch of tool input to hooksh's fields, before it is applied and before other hooks see it. A message
 * instead of a patch makes the hook fail.
 */
export type ReadPatch = (patch: Payload) => Payload | string;

/** Options of one dispatch. */
export interface DispatchOptions {
  /** Cancels the dispatch: its running hooks are stopped and count as failed. */
  signal?: AbortSignal | undefined;
  /**
   * Dispatches on this lane only. By default every lane of the event runs, the preempt lane first; a block there ends
   * the dispatch.
   */
  lane?: Lane;
  /** Skips model hooks that judge tool calls, because an allow rule covers this call. */
  skipJudges?: boolean;
  /**
   * What rules say about this event, from `judgeByRules`. They are not asked again, unless a hook rewrites the input.
   * @internal
   */
  judged?: RulesVerdict;
  /**
   * What a run knows of the session, for rules.
   * @internal
   */
  session?: (() => SessionState) | undefined;
  /**
   * Leaves out the hooks with these identities.
   * @internal
   */
  seen?: ReadonlySet<string>;
  /** Further names of the tool that matchers are tried against, such as its name in another agent. */
  toolNames?: readonly string[];
  /** Translates the names of another agent in a patch of tool input. */
  readPatch?: ReadPatch;
  /** Lets hooks block an event that otherwise cannot be blocked: some agents let a hook keep them going. */
  canBlock?: boolean;
  /**
   * Receives every request that was sent to an evaluator, possibly after the dispatch if its hook was stopped.
   * @internal
   */
  evaluated?: ExecutorSettings["evaluated"];
  /**
   * Asks `prompt_file_guard` about each text that a hook of this dispatch loaded. The caller then handles `rejection`.
   * By default the executor asks, and the result warns about a rejection.
   */
  judgeFile?: JudgeFile;
  /** Receives warnings about hook output that looks like an answer but has no effect. Default: the executor's log. */
  warn?: (message: string) => void;
}

/** The result of a dispatch with the outcome of each of its hooks. */
export interface DetailedResult<E extends EventName = EventName> {
  result: Result<E>;
  /** Why a prompt file that a hook loaded was rejected: it and all files behind it are left out. */
  rejection?: string;
  /** What the rules say about the event; absent if no rule applies to it. */
  rules?: RulesVerdict;
  /** The secrets that its hooks replaced. */
  redacted: RedactedKinds;
  /** The details of every hook that ran. Locating the hooks in their files may load a parser. */
  details: () => Promise<HookDetail[]>;
  /** The details of the hooks that gave the verdict: those that blocked, else those with the winning decision. */
  deciders: () => Promise<HookDetail[]>;
  /** The details of the hooks whose rewrite was applied. */
  rewriters: () => Promise<HookDetail[]>;
}
