import { ConfigError } from "../../lib/errors.ts";
import type { EvaluatorDefinition, Evaluators } from "../../model/evaluators/evaluator.ts";
import { type Document, type Problem, renderProblems } from "../yaml/document.ts";
import {
  type DecisionPolicy,
  type EvaluatorPolicy,
  type EvaluatorUse,
  type RoutePolicy,
  readPolicy,
} from "./evaluator-policy.ts";
import type { HookEntry } from "./read-hooks.ts";

/** The part of the agent whose hooks are used that evaluators which route depend on. */
export interface RoutingAgent {
  name: string;
  routing?: { allowed_agents?: readonly string[]; default_agent?: string } | undefined;
  /** Set for an agent of another file, whose hooks name agents as that file does. */
  origin?: { document: Document } | undefined;
  names?: ReadonlyMap<string, string> | undefined;
}

/** The part of an entry that a check needs. */
type UnboundEntry = Pick<HookEntry, "event" | "hook" | "path" | "document">;

/**
 * Returns what an evaluator hook asks. A text is the problem. Without `agent`, which a hook for all agents of a file does not
 * have yet, what depends on its `routing` is not checked.
 */
export function evaluatorUse(
  { event, hook, document }: Omit<UnboundEntry, "path">,
  evaluators: Evaluators,
  agent?: RoutingAgent,
): EvaluatorUse | string {
  const read = readPolicy(hook, event);
  if (!("kind" in read)) return read.message;
  const policy = document && document === agent?.origin?.document ? renamed(read, agent.names) : read;
  const definition = Object.hasOwn(evaluators, hook.evaluator) ? evaluators[hook.evaluator] : undefined;
  if (!definition) return `unknown evaluator ${JSON.stringify(hook.evaluator)}`;
  const problem =
    policy.kind === "decide" ? decisionProblem(definition, policy) : routeProblem(definition, policy, agent);
  const { default_agent: defaultAgent } = agent?.routing ?? {};
  return problem ?? { definition, policy, ...(defaultAgent === undefined ? {} : { defaultAgent }) };
}

function renamed(policy: EvaluatorPolicy, names: ReadonlyMap<string, string> = new Map()): EvaluatorPolicy {
  if (policy.kind === "decide") return policy;
  const routes = Object.entries(policy.routes).map(([choice, agent]) => [choice, names.get(agent) ?? agent]);
  return { ...policy, routes: Object.fromEntries(routes) as RoutePolicy["routes"] };
}

function decisionProblem(
  { type, choices = {} }: EvaluatorDefinition,
  { decisions }: DecisionPolicy,
): string | undefined {
  if (type === "score") return "tool guards require a boolean or choice evaluator";
  const outcomes = type === "boolean" ? ["true", "false"] : Object.keys(choices);
  const unknown = Object.keys(decisions).find((outcome) => !outcomes.includes(outcome));
  if (unknown === undefined) return undefined;
  return type === "boolean"
    ? `unknown boolean outcome ${JSON.stringify(unknown)} (expected true or false)`
    : `unknown evaluator choice ${JSON.stringify(unknown)}`;
}

function routeProblem(
  { name, type, choices = {} }: EvaluatorDefinition,
  { routes }: RoutePolicy,
  agent: RoutingAgent | undefined,
): string | undefined {
  if (type !== "choice")
    return `evaluator ${JSON.stringify(name)}: routing requires a choice evaluator, got ${JSON.stringify(type)}`;
  const unknown = Object.keys(routes).find((choice) => !Object.hasOwn(choices, choice));
  if (unknown !== undefined) return `routing_policy.routes: unknown evaluator choice ${JSON.stringify(unknown)}`;
  const missing = Object.keys(choices).find((choice) => !Object.hasOwn(routes, choice));
  if (missing !== undefined)
    return `routing_policy.routes: missing route for evaluator choice ${JSON.stringify(missing)}`;
  const { allowed_agents: allowed, default_agent: fallback } = agent?.routing ?? {};
  if (!agent || !allowed) return undefined;
  if (fallback === undefined) return "routing.default_agent is required when an evaluator selects the route";
  for (const [choice, target] of Object.entries(routes)) {
    const start = `routing_policy.routes: choice ${JSON.stringify(choice)} routes to`;
    if (target === agent.name) return `${start} the agent itself`;
    if (!allowed.includes(target)) return `${start} ${JSON.stringify(target)}, which is not in routing.allowed_agents`;
  }
  return undefined;
}

export function evaluatorProblems(
  entries: readonly UnboundEntry[],
  evaluators: Evaluators,
  agent?: RoutingAgent,
): Problem[] {
  return entries.flatMap((entry) => {
    const use = entry.hook.type === "evaluator" ? evaluatorUse(entry, evaluators, agent) : undefined;
    return typeof use === "string" ? [{ path: entry.path, message: use }] : [];
  });
}

/**
 * Gives each evaluator hook what it asks: `evaluatorsOf` returns the evaluators of the file that declares it. Throws a
 * {@link ConfigError} with the place of each hook that cannot ask.
 */
export async function bindEvaluators(
  entries: readonly HookEntry[],
  evaluatorsOf: (document: Document | undefined) => Evaluators,
  agent?: RoutingAgent,
): Promise<HookEntry[]> {
  const problems: string[] = [];
  const bound: HookEntry[] = [];
  for (const entry of entries) {
    const { hook, document, path } = entry;
    const use = hook.type === "evaluator" ? evaluatorUse(entry, evaluatorsOf(document), agent) : undefined;
    if (typeof use !== "string") bound.push(use ? { ...entry, evaluator: use } : entry);
    else if (document) problems.push(...(await renderProblems(document, [{ path, message: use }])));
    else problems.push(`${await entry.source()}: ${use}`);
  }
  if (problems.length > 0) throw new ConfigError([...new Set(problems)]);
  return bound;
}
