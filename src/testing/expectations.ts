import { decisionsOn } from "../config/hooks/hook-examples.ts";
import { displayName } from "../config/hooks/read-hooks.ts";
import type { HookRun } from "../engine/dispatch-record.ts";
import type { Help } from "../lib/errors.ts";
import { isObject } from "../lib/json.ts";
import { isDeepEqual } from "../lib/platform.ts";
import { parseDuration } from "../lib/text/duration.ts";
import { nearest } from "../lib/text/nearest.ts";
import { addKinds, type RedactedKinds } from "../protocol/builtin.ts";
import { contractOf, type EventContract, type EventName } from "../protocol/events.ts";
import type { FieldName } from "../protocol/fields.ts";
import { DISPATCH_DECISIONS } from "../protocol/result.ts";
import { containsDeep, expressionProblem, isExpected } from "./expected-value.ts";
import { isRunOf, type Observed } from "./observed.ts";

export const EXPECTATION_CANNOT_HOLD: Help = {
  cause:
    "The event cannot end that way, the hook does not run for this input, or the agent of that dialect cannot express it.",
  cure: "Compare the expectation with the event's row in [events](events.md): it says whether the event can block and what a hook may change. With `dialect`, the agent's limits count as well: [capabilities](agents/capabilities.md). `hooksh explain` shows which hooks an event runs.",
};

const EXPECT_KEYS = [
  "decision",
  "by",
  "message",
  "reason",
  "within",
  "ran",
  "not_ran",
  "input",
  "input_contains",
  "messages",
  "context",
  "system_message",
  "tool_response",
  "response",
  "summary",
  "route",
  "metadata",
  "exit",
  "outcome",
  "rewritten",
  "redacted",
] as const;

export type ExpectKey = (typeof EXPECT_KEYS)[number];

/** The values under `expect`, by key, after `$each` is replaced. */
export type Expect = Readonly<Partial<Record<ExpectKey, unknown>>>;

/** One key of `expect`. */
export interface Expectation {
  /** Says why a value is not valid, or can never hold on an event. */
  problem: (value: unknown, event: EventName) => string | undefined;
  /** The value to compare with the expected one. `expect` is the whole mapping. */
  actual: (observed: Observed, expected: unknown, expect: Expect) => unknown;
  /** True if the value is the expected one. */
  matches: (expected: unknown, actual: unknown, observed: Observed) => boolean;
  /** Returns the names of hooks, or of rules too, in a value. Those that must run have to be able to. */
  hooks?: (value: unknown) => { names: readonly string[]; mustRun: boolean; orRules?: true };
}

/** The outcomes of a hook, as `dispatch --details` names them. */
const OUTCOMES = ["answered", "blocked", "said", "silent", "failed", "timed_out"];

const ROWS: Readonly<Record<ExpectKey, Partial<Expectation> & Pick<Expectation, "problem" | "actual">>> = {
  decision: { problem: decisionProblem, actual: ({ decision }) => decision },
  by: {
    ...hookList(true),
    actual: (observed) => decidersOf(observed),
    matches: (expected, _actual, { runs, rules }) =>
      listOf(expected).every(
        (name) =>
          runs.some((run) => run.decided && isRunOf(run, name)) ||
          rules.some((rule) => rule.decided && rule.name === name),
      ),
  },
  message: { problem: ifSays, actual: ({ result }) => result.message ?? result.decision_reason },
  reason: { problem: ifSays, actual: ({ result }) => result.decision_reason ?? result.message },
  within: {
    problem: (value) => (limitOf(value) ? undefined : "expected a duration such as 2s or 500ms"),
    actual: ({ milliseconds }) => milliseconds,
    matches: (expected, actual) => Number(actual) <= (limitOf(expected) ?? 0),
  },
  ran: {
    ...hookList(true),
    actual: namesOfRuns,
    matches: (expected, _actual, observed) => listOf(expected).every((name) => hasRun(observed, name)),
  },
  not_ran: {
    ...hookList(false),
    actual: namesOfRuns,
    matches: (expected, _actual, observed) => !listOf(expected).some((name) => hasRun(observed, name)),
  },
  input: { problem: ifHas("tool_input"), actual: ({ enforced }) => enforced["tool_input"] },
  input_contains: {
    problem: ifHas("tool_input"),
    actual: ({ enforced }) => enforced["tool_input"],
    matches: containsDeep,
  },
  messages: { problem: ifHas("messages"), actual: ({ enforced }) => enforced["messages"] },
  context: {
    problem: ifContract(({ context }) => context !== undefined, "takes no context"),
    actual: ({ result }) => result.additional_context,
  },
  system_message: { problem: expressionProblem, actual: ({ result }) => result.system_message },
  tool_response: { problem: ifHas("tool_response"), actual: ({ enforced }) => enforced["tool_response"] },
  response: { problem: ifHas("stop_response"), actual: ({ enforced }) => enforced["stop_response"] },
  summary: {
    problem: ifContract(({ accepts }) => accepts.includes("summary"), "takes no summary"),
    actual: ({ result }) => result.summary,
  },
  route: {
    problem: ifContract(({ accepts }) => accepts.includes("transition"), "takes no route"),
    actual: ({ result }) => result.transition?.agent,
  },
  metadata: {
    problem: ifContract(({ accepts }) => accepts.includes("metadata"), "takes no metadata"),
    actual: ({ result }) => result.metadata,
  },
  exit: aboutHooks(({ exitCode }) => exitCode, isExitCode, "expected an exit code from 0 to 255"),
  outcome: aboutHooks(
    ({ outcome }) => (outcome.kind === "failed" && outcome.reason === "timed_out" ? "timed_out" : outcome.kind),
    (value) => OUTCOMES.includes(String(value)),
    `expected one of ${OUTCOMES.join(", ")}`,
  ),
  rewritten: {
    problem: ifContract(({ rewrites }) => rewrites !== undefined, "has no input that a hook may rewrite", flagProblem),
    actual: ({ event, payload, enforced }) => {
      const field = contractOf(event).rewrites;
      return field !== undefined && !isDeepEqual(payload[field], enforced[field]);
    },
  },
  redacted: {
    problem: (value) => (isKinds(value) ? undefined : "expected true, false, a list of kinds, or counts by kind"),
    actual: ({ runs }) => redactedBy(runs),
    matches: matchesKinds,
  },
};

/** Every key of `expect`. */
export const EXPECTATIONS = Object.fromEntries(
  EXPECT_KEYS.map((key) => [key, { matches: isExpected, ...ROWS[key] }]),
) as Readonly<Record<ExpectKey, Expectation>>;

function decisionProblem(value: unknown, event: EventName): string | undefined {
  const known = DISPATCH_DECISIONS.find((decision) => decision === value);
  if (known === undefined) {
    const close = nearest(String(value), DISPATCH_DECISIONS);
    return `unknown decision ${JSON.stringify(value)}${close ? `, did you mean ${close}?` : `: expected ${DISPATCH_DECISIONS.join(", ")}`}`;
  }
  const possible = decisionsOn(event);
  if (possible.includes(known)) return undefined;
  return `${event} can never end with ${known}: expected ${possible.join(", ")}`;
}

decisionProblem.help = EXPECTATION_CANNOT_HOLD;

function ifContract(
  accepts: (contract: EventContract) => boolean,
  otherwise: string,
  valueProblem: (value: unknown) => string | undefined = expressionProblem,
): Expectation["problem"] {
  return (value, event) => (accepts(contractOf(event)) ? valueProblem(value) : `can never hold: ${event} ${otherwise}`);
}

function ifHas(field: FieldName): Expectation["problem"] {
  return ifContract(({ fields }) => fields.includes(field), `has no ${field}`);
}

function ifSays(value: unknown, event: EventName): string | undefined {
  const says = ({ canBlock, verdict }: EventContract) => canBlock || verdict !== undefined;
  return ifContract(says, "cannot block, so it ends without a reason")(value, event);
}

function hookList(mustRun: boolean): Pick<Expectation, "problem" | "hooks"> {
  return {
    problem: (value) => (isNames(value) ? undefined : "expected the name of a hook or rule, or a list of names"),
    hooks: (value) => ({ names: listOf(value), mustRun, orRules: true }),
  };
}

/**
 * A fact about single hooks: a mapping by name, or the fact of the hook under `by`, else of the only hook that ran.
 * Hooks that no file declares count only if no other ran.
 */
function aboutHooks(
  factOf: (run: HookRun) => unknown,
  isFact: (value: unknown) => boolean,
  expected: string,
): Omit<Expectation, "matches"> {
  return {
    problem: (value) => {
      const facts: unknown[] = isObject(value) ? Object.values(value) : [value];
      return facts.length > 0 && facts.every(isFact) ? undefined : expected;
    },
    hooks: (value) => ({ names: isObject(value) ? Object.keys(value) : [], mustRun: true }),
    actual: ({ runs }, value, { by }) => {
      if (isObject(value)) {
        const facts = Object.keys(value).map((name) => [name, lastOf(runs, name, factOf)] as const);
        return Object.fromEntries(facts.filter(([, fact]) => fact !== undefined));
      }
      const [name] = listOf(by);
      if (name !== undefined) return lastOf(runs, name, factOf);
      const declared = runs.filter(({ hook: { entry } }) => entry.document !== undefined && !entry.implicit);
      const own = declared.length > 0 ? declared : runs;
      const facts = own.map(factOf).filter((fact) => fact !== undefined);
      return facts.length > 1 ? Object.fromEntries(own.map((run) => [nameOf(run), factOf(run)])) : facts[0];
    },
  };
}

function lastOf(runs: readonly HookRun[], name: string, factOf: (run: HookRun) => unknown): unknown {
  const run = runs.findLast((candidate) => isRunOf(candidate, name));
  return run && factOf(run);
}

function redactedBy(runs: readonly HookRun[]): RedactedKinds {
  return runs.reduce(
    (total: RedactedKinds, { outcome }) =>
      outcome.kind === "answered" && outcome.redacted ? addKinds(total, outcome.redacted) : total,
    {},
  );
}

function matchesKinds(expected: unknown, actual: unknown): boolean {
  const found = Object.keys(isObject(actual) ? actual : {});
  if (typeof expected === "boolean") return found.length > 0 === expected;
  return Array.isArray(expected)
    ? expected.every((kind) => found.includes(String(kind)))
    : isDeepEqual(expected, actual);
}

/** True if a hook with this name ran, or a rule with this name hit. */
function hasRun({ runs, rules }: Observed, name: string): boolean {
  return runs.some((run) => isRunOf(run, name)) || rules.some((rule) => rule.name === name);
}

function namesOfRuns({ runs, rules }: Observed): string[] {
  return [...rules.map(({ name }) => name), ...runs.map(nameOf)];
}

/** The names of the rules and hooks that gave the verdict. */
export function decidersOf({ runs, rules }: Pick<Observed, "runs" | "rules">): string[] {
  const decided = <Item extends { decided: boolean }>(items: readonly Item[]) => items.filter((item) => item.decided);
  return [...new Set([...decided(rules).map(({ name }) => name), ...decided(runs).map(nameOf)])];
}

const nameOf = (run: HookRun) => displayName(run.hook.entry.hook);

function listOf(value: unknown): string[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value.map(String) : [String(value)];
}

function isNames(value: unknown): boolean {
  const names: unknown[] = Array.isArray(value) ? value : [value];
  return names.length > 0 && names.every((name) => typeof name === "string" && name !== "");
}

function flagProblem(value: unknown): string | undefined {
  return typeof value === "boolean" ? undefined : "expected true or false";
}

function isKinds(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every((kind) => typeof kind === "string");
  return typeof value === "boolean" || (isObject(value) && Object.values(value).every(Number.isInteger));
}

function isExitCode(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 255;
}

function limitOf(value: unknown): number | undefined {
  return typeof value === "string" || typeof value === "number" ? parseDuration(String(value)) : undefined;
}
