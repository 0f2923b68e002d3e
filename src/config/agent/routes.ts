import type { Help } from "../../lib/errors.ts";
import type { AnyResult } from "../../protocol/result.ts";

const ROUTE_REFUSED: Help = {
  cause:
    "A hook routed the request to an agent that `routing.allowed_agents` does not list. That ends the run, as 100 routes on one request do.",
  cure: "Add the agent to the list, or change the hook.",
};

/** The part of an agent that says where its hooks may route to. */
interface Router {
  name: string;
  routing?: { allowed_agents: readonly string[] } | undefined;
}

/** The agents of a file, with those that the hooks of each may route to. */
export interface Routes {
  /** The agent of events that name none. */
  chosen: string;
  allowed: ReadonlyMap<string, readonly string[]>;
}

export function routesOf(agents: readonly Router[], chosen: string): Routes {
  return { chosen, allowed: new Map(agents.map(({ name, routing }) => [name, routing?.allowed_agents ?? []])) };
}

/** Returns the agent of an event that names one or none, and where its hooks may route to. */
export function routesFor(
  { chosen, allowed }: Routes,
  { agent_name: named }: { agent_name?: unknown },
): { agent: string; targets: readonly string[] } {
  const agent = typeof named === "string" && allowed.has(named) ? named : chosen;
  return { agent, targets: allowed.get(agent) ?? [] };
}

/** Blocks a route that the list of the event's agent does not allow. */
export function withinRoutes(result: AnyResult, routes: Routes, payload: { agent_name?: unknown }): AnyResult {
  const { transition, ...rest } = result;
  if (!transition) return result;
  const { agent, targets } = routesFor(routes, payload);
  if (targets.includes(transition.agent)) return result;
  return { ...rest, allowed: false, message: forbiddenRoute(agent, transition.agent) };
}

/** The message about a route that the list of an agent does not allow. */
export function forbiddenRoute(agent: string, target: string): string {
  return `agent ${JSON.stringify(agent)} is not allowed to route to ${JSON.stringify(target)}`;
}

forbiddenRoute.help = ROUTE_REFUSED;
