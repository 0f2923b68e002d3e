/**
 * What a tool call does: its steps, and the facts of each. It reads files that facts depend on (links, the branch), and
 * starts no process but `git status` for `dirty`.
 *
 * @packageDocumentation
 */
import type { ToolClass } from "../protocol/tool-class.ts";
import { EFFECTS, type Effect } from "../shell/steps/effects/effect.ts";
import type { Among, Value, Values } from "../shell/steps/program-facts.ts";

/** A path that a step touches. */
export interface PathValue {
  /** Absolute, without `.` and `..`, as it is spelled; HOLE for expansions. */
  path: string;
  /** The same with links resolved, if that is another path. */
  resolved?: string;
  /** See `PathTouch`. */
  glob: boolean;
  sure: boolean;
  extent: "itself" | "tree" | "below" | "contents";
  /** See `Among`; its paths are absolute. */
  among?: Among;
  operator?: string;
  /** True if what lies below counts only if it exists: the step reads it. */
  read: boolean;
  /** True on another machine or in a container: such a path is in no place of this machine. */
  elsewhere: boolean;
}

/** A host that a step connects to. */
export interface HostValue {
  /** Lower case; HOLE for expansions. */
  host: string;
  port?: number;
  sure: boolean;
}

/** The facts of one step. */
export interface Step {
  /** As messages quote it; undefined for a tool that runs no command. */
  command: string | undefined;
  /** Alternatives. */
  program: readonly Value[];
  verb: readonly Value[];
  flags: Values;
  args: Values;
  /** What conditions on `command` test. */
  commandLine: Values;
  env: Values;
  effect: Values;
  reads: readonly PathValue[];
  writes: readonly PathValue[];
  /** All of both, and what is entered or listed. */
  paths: readonly PathValue[];
  hosts: readonly HostValue[];
  sends: readonly HostValue[];
  ref: Values;
  target: Values;
  opaque: boolean;
  /** Sources of words that expand, for the hint in messages: `"$FLAGS"`. */
  unquoted: readonly string[];
  /**
   * How `allow` treats the step. `rule`: a rule must cover it. `free`: it needs none (`cd`, `true`). `never`: none can cover it
   * (behind a launcher, in nested code).
   */
  cover: "rule" | "free" | "never";
  /** Names of variables assigned, without the harmless ones: a rule that covers the step must name them. */
  assigns: readonly string[];
  /** True for a step that only rules that allow look at: a redirection, an assignment alone. */
  allowOnly?: boolean;
}

/** The facts of a tool call, computed when they are asked for, once. */
export interface CallFacts {
  /** The canonical name, the host's and the qualified one. */
  tools: readonly string[];
  class: ToolClass;
  server: string | undefined;
  input: Readonly<Record<string, unknown>>;
  steps: readonly Step[];
  /** False if the input cannot be read, or is too long: every fact of the call is possible. */
  readable: boolean;
  /** False if a shell may run something else than the steps: no `allow` covers the call. */
  exact: boolean;
  safety: "safe" | "destructive" | "unknown";
  /** Kinds of secrets in the arguments. */
  secrets: () => readonly string[];
}

/** The facts of an event. Undefined means absent. */
export interface EventFacts {
  event: string;
  call: CallFacts | undefined;
  /** The current branch of the working directory; `HEAD` when detached. */
  branch: () => string | undefined;
  /** `possible` if git could not say. */
  dirty: () => Promise<boolean | "possible">;
  agent: string | undefined;
  depth: number | undefined;
  source: string | undefined;
  cost: number | undefined;
  calls: number | undefined;
  /** The prompt, answer or result. */
  text: string | undefined;
  ok: boolean | undefined;
  /** Milliseconds since the epoch. */
  now: number;
  /** The payload, for `if`. */
  payload: Readonly<Record<string, unknown>>;
}

export { EFFECTS, type Effect };

/**
 * Whether a value fits a condition. `all`: whatever its expansions turn out to be. `some`: depending on them. `unknown`: nothing
 * useful is known of it, such as a path that is one variable: opaque for a positive condition, possible for a negative one.
 */
export type Fit = "all" | "some" | "none" | "unknown";
