import { ConfigError } from "../../lib/errors.ts";
import { isObject } from "../../lib/json.ts";
import { readPolicy } from "../hooks/evaluator-policy.ts";
import { loadHooksBlocks } from "../hooks/hook-sources.ts";
import type { HookEntry } from "../hooks/read-hooks.ts";
import { isSelector, type MergedProblem, ROUTING_EVENTS, renderMerged, repeatedSelectors } from "../hooks/selectors.ts";
import { renderProblems } from "../yaml/document.ts";
import { hooksOf } from "./agent-hooks.ts";
import { ROUTING_IS_NOT_CONSISTENT } from "./check-agents.ts";
import type { Agent, AgentOrigin } from "./resolve-agent.ts";

/** The agents of a file, and the hooks that hold for all of them. */
export type RoutedTeam = AgentOrigin & { agents: readonly Agent[] };

/** An agent with the hooks, of all sources, that may route away from it. */
export interface Router {
  agent: Agent;
  selectors: readonly HookEntry[];
}

/**
 * Throws a {@link ConfigError} if the hooks of a team that route, and the keys `routing` of its agents, do not belong
 * together. `user`: the hooks from outside the file, which hold for every agent.
 */
export async function checkRouting(team: RoutedTeam, user: readonly HookEntry[]): Promise<void> {
  const routers = await routersOf(team, user);
  if (routers.length === 0) return;
  const lines = await Promise.all(routers.map((router) => problemsOf(team, router)));
  const cyclic = routeCycle(team, routers);
  if (cyclic !== undefined) {
    const agent = team.agents.find(({ name }) => name === cyclic);
    lines.push(agent ? await atAgent(team, agent, [], `routing cycle detected involving agent "${cyclic}"`) : []);
  }
  const problems = [...new Set(lines.flat())];
  if (problems.length > 0) throw new ConfigError(problems, { help: ROUTING_IS_NOT_CONSISTENT });
}

/** Returns the agents with a key `routing` or with hooks that route, in the order of the team. */
export async function routersOf(team: RoutedTeam, user: readonly HookEntry[]): Promise<Router[]> {
  const shared = user.filter(isSelector);
  const routers = await Promise.all(
    team.agents.map(async (agent) => {
      const blocks = hooksOf(team, agent).blocks.filter(({ value }) => declaresSelector(value));
      return { agent, selectors: [...(await loadHooksBlocks(blocks)).filter(isSelector), ...shared] };
    }),
  );
  return routers.filter(({ agent, selectors }) => agent.routing || selectors.length > 0);
}

function declaresSelector(block: unknown): boolean {
  return isObject(block) && ROUTING_EVENTS.some((event) => Object.hasOwn(block, event));
}

async function problemsOf(team: RoutedTeam, { agent, selectors }: Router): Promise<string[]> {
  const [first] = selectors;
  if (!first) {
    const message = "routing requires a before_agent_run or after_agent_complete hook";
    return atAgent(team, agent, ["routing"], message);
  }
  const problems: MergedProblem[] = repeatedSelectors(selectors);
  if (agent.harness) problems.push({ entry: first, message: "routing hooks are not supported on harness agents" });
  if (!agent.routing) {
    const message = "before_agent_run and after_agent_complete hooks require routing.allowed_agents";
    problems.push({ entry: first, message });
  }
  const completing = selectors.find(({ event }) => event === "after_agent_complete");
  if (completing && agent.force_handoff !== undefined) {
    const message = "hooks.after_agent_complete cannot be combined with force_handoff";
    problems.push({ entry: completing, message });
  }
  return Promise.all(problems.map((problem) => renderMerged(problem, ["agents", agent.name])));
}

function atAgent(team: RoutedTeam, agent: Agent, key: readonly string[], message: string): Promise<string[]> {
  const path = [...agent.path, ...key];
  return renderProblems((agent.origin ?? team).document, [
    { path, printedPath: ["agents", agent.name], message, at: "key" },
  ]);
}

/** Returns an agent that routes and forced handoffs can lead back to; undefined if there is none. */
function routeCycle({ agents }: RoutedTeam, routers: readonly Router[]): string | undefined {
  const next = new Map(
    agents.map((agent) => {
      const router = routers.find((one) => one.agent === agent);
      const forced = agent.force_handoff === undefined ? [] : [agent.force_handoff];
      return [agent.name, [...forced, ...(router ? targetsOf(router) : [])]];
    }),
  );
  const done = new Set<string>();
  const visit = (name: string, way: readonly string[]): string | undefined => {
    if (way.includes(name)) return name;
    if (done.has(name)) return undefined;
    done.add(name);
    for (const target of next.get(name) ?? []) {
      const found = visit(target, [...way, name]);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  for (const name of next.keys()) {
    const found = visit(name, []);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the agents that the hooks of an agent can choose. */
function targetsOf({ agent: { routing }, selectors }: Router): string[] {
  return selectors.flatMap(({ event, hook }) => {
    if (hook.type !== "evaluator") return routing?.allowed_agents ?? [];
    const policy = readPolicy(hook, event);
    const routes = "routes" in policy ? Object.values(policy.routes) : [];
    return routing?.default_agent === undefined ? routes : [...routes, routing.default_agent];
  });
}
