/**
 * Rules: verdicts as data, over what a call does. Reads, checks and evaluates them. It runs no hook and starts no process.
 *
 * @packageDocumentation
 */
import type { EventName } from "../protocol/events.ts";

/** The verdicts, most severe first. */
export const RULE_VERDICTS = ["stop", "deny", "ask", "allow", "warn", "context"] as const;

export type RuleVerdict = (typeof RULE_VERDICTS)[number];

/** The facts that a condition may test. */
export const FACTS = [
  "tool",
  "class",
  "server",
  "input",
  "effect",
  "program",
  "verb",
  "flags",
  "args",
  "command",
  "env",
  "ref",
  "reads",
  "writes",
  "paths",
  "hosts",
  "sends",
  "target",
  "safety",
  "opaque",
  "secrets",
  "branch",
  "dirty",
  "agent",
  "depth",
  "source",
  "time",
  "cost",
  "calls",
  "text",
  "ok",
] as const;

export type FactName = (typeof FACTS)[number];

/** The place of a value in its document: keys and indexes. */
export type RulePath = readonly (string | number)[];

/** The condition on one fact. All that is present must hold. */
export interface Test {
  /** The value is one of these. */
  in?: readonly string[];
  notIn?: readonly string[];
  only?: readonly string[];
  /** An RE2 expression that a value contains. */
  matches?: string;
  moreThan?: number;
  lessThan?: number;
  /** `true`: there is a value, or it is true; `false`: there is none. */
  is?: boolean;
}

/** A condition: `all`, `any` and `not` of others, or a test of a fact. */
export type Condition =
  | { kind: "all" | "any"; of: readonly Condition[] }
  | { kind: "not"; of: Condition }
  | {
      kind: "fact";
      fact: FactName;
      /** The dotted path of `input`. */
      key?: string;
      test: Test;
    };

/** A call in the past, or another event. */
export interface PastEvent {
  when: Condition | undefined;
  event: EventName | "tool calls";
  ok?: boolean;
  /** Milliseconds. */
  within?: number;
  since?: PastEvent;
  /** As it is written, for messages. */
  written: string;
}

export interface RuleHistory {
  after?: readonly PastEvent[];
  unlessAfter?: readonly PastEvent[];
  moreThan?: { n: number; per?: number; perText?: string; sameCall: boolean };
}

/** A rule as it is written, checked. */
export interface Rule {
  /** As given, or `rules[N]`; of a set `SET/NAME`. */
  name: string;
  verdict: RuleVerdict;
  message: string;
  on: readonly EventName[];
  agents: readonly string[] | undefined;
  observe: boolean;
  when: Condition | undefined;
  /** A CEL expression. */
  if: string | undefined;
  history: RuleHistory;
  examples: unknown;
  /** The own sets of its file. */
  sets: OwnSets;
  /** Where it stands in its document. */
  path: RulePath;
}

/** The sets that a file defines. */
export interface OwnSets {
  paths: Readonly<Record<string, readonly string[]>>;
  hosts: Readonly<Record<string, readonly string[]>>;
}

/** The value of a condition, in this order: no < opaque < possible < certain. */
export const NO = 0;
export const OPAQUE = 1;
export const POSSIBLE = 2;
export const CERTAIN = 3;
export type Truth = typeof NO | typeof OPAQUE | typeof POSSIBLE | typeof CERTAIN;

export type { Fit } from "../facts/facts.ts";
