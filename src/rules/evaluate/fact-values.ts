import type { EventFacts, HostValue, PathValue, Step } from "../../facts/facts.ts";
import { isObject } from "../../lib/json.ts";
import { HOLE } from "../../shell/steps/invocation.ts";
import type { Value } from "../../shell/steps/program-facts.ts";
import { CERTAIN, type FactName, POSSIBLE, type Truth } from "../rule.ts";
import type { RuleTests } from "./rule-tests.ts";
import { truthOf } from "./truth.ts";

/** What conditions are evaluated on: an event, and one step of its call. */
export interface At {
  facts: EventFacts;
  /** Undefined for an event without a call, and for a call that runs nothing. */
  step: Step | undefined;
  tests: RuleTests;
  /** The fact `dirty`: its answer takes time. */
  dirty: Truth;
}

/** A value of any fact. */
export type FactValue = Value | PathValue | HostValue;

/** The values of a fact. */
export interface FactValues {
  values: readonly FactValue[];
  /** An expansion may add values, so that any is possible. */
  open: boolean;
}

const ABSENT: FactValues = { values: [], open: false };

const present = (text: string | undefined): FactValues =>
  text === undefined ? ABSENT : { values: [{ text, sure: true }], open: false };

/** Facts of a call that are known even if its input cannot be read. */
const OF_THE_NAME: readonly FactName[] = ["tool", "class", "server", "input"];

/** True if a fact is possible in every value, because the input cannot be read. */
export function isUnreadable(fact: FactName, of: "call" | "step" | "event", { facts }: At): boolean {
  return of !== "event" && facts.call?.readable === false && !OF_THE_NAME.includes(fact);
}

/** The values of a fact at a step. `key` is the dotted path of `input`. */
export function valuesOf(fact: FactName, key: string | undefined, { facts, step }: At): FactValues {
  const { call } = facts;
  switch (fact) {
    case "tool":
      return { values: (call?.tools ?? []).map((text) => ({ text, sure: true })), open: false };
    case "class":
      return present(call?.class);
    case "server":
      return present(call?.server);
    case "input":
      return { values: membersAt(call?.input, key ?? "").map((text) => ({ text, sure: true })), open: false };
    case "safety":
      return present(call?.safety);
    case "secrets":
      return { values: (call?.secrets() ?? []).map((text) => ({ text, sure: true })), open: false };
    case "branch":
      return present(facts.branch());
    case "agent":
    case "source":
    case "text":
      return present(facts[fact]);
    case "program":
    case "verb":
      return { values: step?.[fact] ?? [], open: false };
    case "flags":
    case "args":
    case "env":
    case "effect":
    case "ref":
    case "target":
      return step?.[fact] ?? ABSENT;
    case "command":
      return step?.commandLine ?? ABSENT;
    case "reads":
    case "writes":
    case "paths":
    case "hosts":
    case "sends":
      return step ? { values: step[fact], open: false } : ABSENT;
    default:
      return ABSENT;
  }
}

/** Whether the work tree has changes. Starts a process. */
export async function dirtyOf(facts: EventFacts): Promise<Truth> {
  const dirty = await facts.dirty();
  return dirty === "possible" ? POSSIBLE : truthOf(dirty);
}

/** The value of a fact that is true or false. */
export function flagOf(fact: FactName, { facts, step, dirty }: At): Truth {
  if (fact === "dirty") return dirty;
  return truthOf(fact === "opaque" ? step?.opaque === true : facts.ok === true);
}

/** The value of a fact that is a number. */
export function numberOf(fact: FactName, { facts }: At): number | undefined {
  return fact === "depth" || fact === "cost" || fact === "calls" ? facts[fact] : undefined;
}

/** The texts at a dotted path of the arguments: of a list its members, of an object its JSON. */
function membersAt(input: unknown, key: string): string[] {
  let value = input;
  for (const step of key.split(".")) {
    const isInside = Array.isArray(value) ? step !== "length" : isObject(value);
    if (!isInside || !Object.hasOwn(value as object, step)) return [];
    value = (value as Record<string, unknown>)[step];
  }
  return (Array.isArray(value) ? (value as unknown[]) : [value]).flatMap(textOf);
}

function textOf(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  return [typeof value === "object" ? JSON.stringify(value) : String(value)];
}

/** The text of a value as conditions test it, and the path without links if it has one. */
export function textsOf(value: FactValue): readonly string[] {
  if ("text" in value) return [value.text];
  if ("host" in value) return [value.port === undefined ? value.host : `${value.host}:${value.port}`];
  return value.resolved === undefined ? [value.path] : [value.path, value.resolved];
}

/** Whether a value is there. */
export function presenceOf(value: FactValue): Truth {
  return value.sure ? CERTAIN : POSSIBLE;
}

/** A value for people; what an expansion decides is `*`. */
export function shownValue(value: FactValue): string {
  const text = "text" in value ? (value.shown ?? value.text) : (textsOf(value)[0] ?? "");
  return text.replaceAll(HOLE, "*");
}
