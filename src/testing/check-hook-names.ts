import { hookNames } from "../config/hooks/hook-names.ts";
import type { PlacedRule } from "../config/rules/load-rules.ts";
import type { Path } from "../config/yaml/document.ts";
import type { ProblemReport } from "../config/yaml/problem-report.ts";
import { type CompiledHook, type HookMatch, matchHooks } from "../engine/match.ts";
import { nearest } from "../lib/text/nearest.ts";
import { type EventName, lanesOf } from "../protocol/events.ts";
import type { Payload } from "../protocol/rewrite.ts";
import { eventsOfStep } from "./events-of-step.ts";
import { EXPECTATION_CANNOT_HOLD, EXPECTATIONS, type ExpectKey } from "./expectations.ts";
import type { TestStep } from "./test-case.ts";

/** Returns the hooks with a name. Reports a name that no hook has, with the closest one. */
export function hooksNamed(
  name: string,
  hooks: readonly CompiledHook[],
  at: Path,
  report: ProblemReport,
  { place = "value", rules }: { place?: "key" | "value"; rules?: readonly PlacedRule[] } = {},
): CompiledHook[] {
  const found = hooks.filter(({ entry }) => hookNames(entry.hook).includes(name));
  if (found.length > 0 || rules?.some((rule) => rule.name === name)) return found;
  const known = [
    ...new Set([
      ...(rules ?? []).map((rule) => rule.name),
      ...hooks.filter(({ entry }) => !entry.implicit).flatMap(({ entry }) => hookNames(entry.hook)),
    ]),
  ];
  const close = nearest(name, known);
  const advice = close === undefined ? `; there are ${known.join(", ") || "no hooks"}` : `, did you mean ${close}?`;
  const kind = rules && rules.length > 0 ? "hook or rule" : "hook";
  report.problem(at, `no ${kind} is called ${JSON.stringify(name)}${advice}`, place);
  return [];
}

/** Reports the names under `expect` that no hook or rule has, and those that must run in this step and cannot. */
export function checkExpectedHooks(
  step: TestStep,
  { hooks, rules }: { hooks: readonly CompiledHook[]; rules: readonly PlacedRule[] },
  report: ProblemReport,
): void {
  for (const [key, value] of Object.entries(step.expect)) {
    const named = EXPECTATIONS[key as ExpectKey].hooks?.(value);
    for (const name of named?.names ?? []) {
      const at = [...step.path, "expect", key];
      const found = hooksNamed(name, hooks, at, report, named?.orRules ? { rules } : {});
      const asRules = named?.orRules ? rules.filter((rule) => rule.name === name) : [];
      if (!named?.mustRun || asRules.some(({ on }) => eventsOfStep(step.event).some((event) => on.includes(event))))
        continue;
      const problem =
        found.length > 0
          ? cannotRun(name, found, hooks, step)
          : asRules.length > 0
            ? ruleCannotHit(name, asRules, step)
            : undefined;
      if (problem !== undefined) report.problem(at, problem);
    }
  }
}

function ruleCannotHit(name: string, rules: readonly PlacedRule[], { event }: TestStep): string {
  return `${name} cannot hit on ${event}: it is a rule on ${[...new Set(rules.flatMap(({ on }) => on))].join(", ")}`;
}

ruleCannotHit.help = EXPECTATION_CANNOT_HOLD;

/** Says why none of the hooks with a name runs in a step; undefined if one does. */
export function cannotRun(
  name: string,
  found: readonly CompiledHook[],
  hooks: readonly CompiledHook[],
  { event, payload }: Pick<TestStep, "event" | "payload">,
): string | undefined {
  const tool = toolNames(payload);
  const matches = found.map((hook) => matchOf(hook, hooks, event, tool));
  if (matches.some((match) => match.runs)) return undefined;
  const reasons = found.map((hook, index) => reasonText(hook, matches[index], tool));
  const call = tool.length > 0 ? `${event} of ${tool.join(" or ")}` : event;
  return `${name} cannot run for ${call}: ${[...new Set(reasons)].join("; ")}`;
}

cannotRun.help = EXPECTATION_CANNOT_HOLD;

/** The names of the tool that matchers are tried against. */
export function toolNames(payload: Payload): string[] {
  return [payload["tool_name"], payload["tool_qualified_name"]].filter((name) => typeof name === "string");
}

/** Returns whether a hook runs in one of the dispatches of a step, and if not, why not. */
export function matchOf(
  hook: CompiledHook,
  hooks: readonly CompiledHook[],
  event: EventName,
  tool: readonly string[],
): HookMatch {
  const dispatched = eventsOfStep(event).find((name) => name === hook.entry.event) ?? event;
  const lane = lanesOf(dispatched).find((name) => name === hook.entry.lane) ?? "default";
  return matchHooks(hooks, dispatched, lane, tool)[hooks.indexOf(hook)] ?? { runs: false, why: "other_event" };
}

/** Says why a hook does not run. */
export function reasonText({ entry }: CompiledHook, match: HookMatch | undefined, tool: readonly string[]): string {
  if (match === undefined || match.runs) return "";
  switch (match.why) {
    case "matcher":
      return `its matcher ${JSON.stringify(entry.matcher)} does not match ${tool.join(" or ")}`;
    case "duplicate":
      return "an equal hook runs already";
    default:
      return `it is a hook of ${entry.event}`;
  }
}

reasonText.help = EXPECTATION_CANNOT_HOLD;
