import { EFFECTS, type HostValue, type PathValue, type Step } from "../../facts/facts.ts";
import { shownValue } from "../../rules/evaluate/fact-values.ts";
import { HOLE } from "../../shell/steps/invocation.ts";
import type { Value, Values } from "../../shell/steps/program-facts.ts";

/** A step for people and programs: certain values, and under `possible` the others. Empty lists are left out. */
export type ShownStep = Readonly<
  Record<string, string | true | readonly string[] | Readonly<Record<string, readonly string[]>>>
>;

const ORDER = [
  "program",
  "verb",
  "flags",
  "args",
  "env",
  "effect",
  "reads",
  "writes",
  "paths",
  "hosts",
  "sends",
  "ref",
  "target",
] as const;

/** Returns the facts of a step as they are shown. */
export function shownStep(step: Step): ShownStep {
  const shown: Record<string, ShownStep[string]> = {};
  const possible: Record<string, string[]> = {};
  if (step.command !== undefined && step.command !== "") shown["command"] = step.command;
  for (const fact of ORDER) {
    const values = valuesOf(step, fact);
    const sure = unique(values.filter(isSure).map(shownValue));
    const unsure = unique(values.filter((value) => !isSure(value)).map(shownValue)).filter(
      (text) => !sure.includes(text),
    );
    const isOne = fact === "program" || fact === "verb";
    if (sure.length > 0) shown[fact] = isOne ? (sure[0] ?? "") : ordered(fact, sure);
    if (isOpen(step, fact)) unsure.push("*");
    if (unsure.length > 0) possible[fact] = ordered(fact, unique(unsure));
  }
  if (step.opaque) shown["opaque"] = true;
  if (Object.keys(possible).length > 0) shown["possible"] = possible;
  return shown;
}

type AnyValue = Value | PathValue | HostValue;

function valuesOf(step: Step, fact: (typeof ORDER)[number]): readonly AnyValue[] {
  const values = step[fact];
  return isList(values) ? values : values.values;
}

function isOpen(step: Step, fact: (typeof ORDER)[number]): boolean {
  const values = step[fact];
  return !isList(values) && values.open;
}

function isList(values: readonly AnyValue[] | Values): values is readonly AnyValue[] {
  return Array.isArray(values);
}

/** True for a value that no expansion decides. */
function isSure(value: AnyValue): boolean {
  const text = "text" in value ? value.text : "host" in value ? value.host : value.path;
  return value.sure && !text.includes(HOLE);
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

/** Effects have the order of their list, others the one in which they are written. */
function ordered(fact: string, texts: string[]): string[] {
  return fact === "effect" ? EFFECTS.filter((effect) => texts.includes(effect)) : texts;
}
