import { isObject } from "../../lib/json.ts";
import { nearest } from "../../lib/text/nearest.ts";
import type { EvaluatorDefinition } from "../../model/evaluators/evaluator.ts";
import { contractOf, type EventName } from "../../protocol/events.ts";
import { DECISIONS, type Decision } from "../../protocol/result.ts";
import type { HookDefinition, HookKeyProblem } from "./hook-types.ts";

/** What follows from the answer of an evaluator about a tool call. */
export interface DecisionPolicy {
  kind: "decide";
  /** The decision for each outcome; a missing one takes the fallback. */
  decisions: Readonly<Record<string, Decision>>;
  /** A less probable outcome takes the fallback. */
  minProbability: number;
  fallback: "ask" | "deny";
}

/** What follows from the answer of an evaluator that chooses an agent. */
export interface RoutePolicy {
  kind: "route";
  /** The agent for each choice. */
  routes: Readonly<Record<string, string>>;
  /** A less probable choice takes the default agent. */
  minProbability: number;
}

export type EvaluatorPolicy = DecisionPolicy | RoutePolicy;

/** What an evaluator hook asks, and what follows from the answer. */
export interface EvaluatorUse {
  definition: EvaluatorDefinition;
  policy: EvaluatorPolicy;
  /** The agent that the hook falls back to; set if it routes. */
  defaultAgent?: string;
}

const POLICY_KEYS = {
  evaluator_policy: ["decisions", "min_probability", "fallback"],
  routing_policy: ["routes", "min_probability"],
} as const;

type PolicyKey = keyof typeof POLICY_KEYS;

/** Returns the problem of the policy of an evaluator hook; undefined if it is valid. */
export function policyProblem(hook: HookDefinition, event: EventName): HookKeyProblem | undefined {
  const policy = readPolicy(hook, event);
  return "kind" in policy ? undefined : policy;
}

/** Reads the policy of an evaluator hook, or returns its problem. */
export function readPolicy(hook: HookDefinition, event: EventName): EvaluatorPolicy | HookKeyProblem {
  const key: PolicyKey = contractOf(event).accepts.includes("transition") ? "routing_policy" : "evaluator_policy";
  const value = hook[key];
  if (value === undefined || value === null) return { message: `${key} is required` };
  if (!isObject(value)) return { key, message: `${key}: expected a mapping` };
  const unknown = Object.keys(value).find((name) => !(POLICY_KEYS[key] as readonly string[]).includes(name));
  if (unknown !== undefined) return { key, message: unknownKey(key, unknown) };
  const policy = key === "routing_policy" ? readRoutes(value) : readDecisions(value);
  return typeof policy === "string" ? { key, message: policy } : policy;
}

function unknownKey(key: PolicyKey, name: string): string {
  const close = nearest(name, POLICY_KEYS[key]);
  const message = `${key}: unknown key ${JSON.stringify(name)}`;
  return close === undefined ? message : `${message}, did you mean ${JSON.stringify(close)}?`;
}

function readDecisions({ decisions, min_probability, fallback }: Record<string, unknown>): DecisionPolicy | string {
  if (isEmptyMapping(decisions)) return "evaluator_policy.decisions must not be empty";
  if (!isMappingOf(decisions, isDecision)) return "evaluator_policy decisions must be allow, ask, or deny";
  if (!isThreshold(min_probability)) return `evaluator_policy.${THRESHOLD_PROBLEM}`;
  if (fallback !== "ask" && fallback !== "deny") return "evaluator_policy.fallback must be ask or deny";
  return { kind: "decide", decisions, minProbability: min_probability, fallback };
}

function readRoutes({ routes, min_probability }: Record<string, unknown>): RoutePolicy | string {
  if (isEmptyMapping(routes)) return "routing_policy.routes must not be empty";
  if (!isMappingOf(routes, isName)) return "routing_policy.routes must name an agent for each choice";
  if (!isThreshold(min_probability)) return `routing_policy.${THRESHOLD_PROBLEM}`;
  return { kind: "route", routes, minProbability: min_probability };
}

const THRESHOLD_PROBLEM = "min_probability must be greater than 0 and at most 1";

function isThreshold(value: unknown): value is number {
  return typeof value === "number" && value > 0 && value <= 1;
}

function isEmptyMapping(value: unknown): boolean {
  return value === undefined || value === null || (isObject(value) && Object.keys(value).length === 0);
}

function isMappingOf<T>(value: unknown, accepts: (item: unknown) => item is T): value is Record<string, T> {
  return isObject(value) && Object.values(value).every(accepts);
}

function isDecision(value: unknown): value is Decision {
  return DECISIONS.some((decision) => decision === value);
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}
