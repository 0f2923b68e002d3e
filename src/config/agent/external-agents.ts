import { ConfigError } from "../../lib/errors.ts";
import { type ExternalReference, parseExternalReference } from "../sources/external-reference.ts";
import type { Agent, AgentOrigin } from "./resolve-agent.ts";

/** The agents of a file, with the definitions that they refer to. */
export interface FileAgents {
  /** The name of the file in messages. */
  displayName: string;
  agents: readonly Agent[];
  defaultAgent: string;
  origin: AgentOrigin;
}

const RENAME = 'write other:REFERENCE to call one of them "other"';

/**
 * Returns the agents of a file and those of other files that they delegate to. From another file it takes the default
 * agent, under its name in this file, and the agents that one delegates to, as `name.their-name`. Each keeps the
 * models, providers and hooks of the files it is from.
 *
 * Throws a {@link ConfigError} if two agents would have the same name.
 */
export async function addExternalAgents(
  group: FileAgents,
  load: (reference: string) => Promise<FileAgents>,
): Promise<readonly Agent[]> {
  const own = new Set(group.agents.map(({ name }) => name));
  const external = new Map(
    group.agents
      .flatMap((agent) => targetsOf(agent))
      .flatMap((target): [string, ExternalReference][] => {
        const reference = own.has(target) ? undefined : parseExternalReference(target);
        return reference ? [[target, reference]] : [];
      }),
  );
  const imported = new Map<string, { reference: string; agents: readonly Agent[] }>();
  for (const { name, reference } of external.values()) {
    const known = imported.get(name);
    if (known && known.reference !== reference) {
      throw new ConfigError(
        `${group.displayName}: both ${known.reference} and ${reference} would be called ${JSON.stringify(name)}; ${RENAME}`,
      );
    }
    if (!known) imported.set(name, { reference, agents: renamed(await load(reference), name) });
  }
  const agents = group.agents.map((agent) => retargeted(agent, (target) => external.get(target)?.name ?? target));
  const all = [...agents, ...[...imported.values()].flatMap((one) => one.agents)];
  const duplicate = all.find(({ name }, index) => all.findIndex((other) => other.name === name) !== index);
  if (duplicate)
    throw new ConfigError(
      `${group.displayName}: two agents would be called ${JSON.stringify(duplicate.name)}; ${RENAME}`,
    );
  return all;
}

function targetsOf(agent: Agent | undefined): string[] {
  const { sub_agents = [], handoffs = [], force_handoff, routing } = agent ?? {};
  return [
    ...sub_agents,
    ...handoffs,
    ...(force_handoff === undefined ? [] : [force_handoff]),
    ...(routing?.allowed_agents ?? []),
  ];
}

function retargeted(agent: Agent, rename: (target: string) => string): Agent {
  const { routing } = agent;
  return {
    ...agent,
    ...(agent.sub_agents ? { sub_agents: agent.sub_agents.map(rename) } : {}),
    ...(agent.handoffs ? { handoffs: agent.handoffs.map(rename) } : {}),
    ...(agent.force_handoff === undefined ? {} : { force_handoff: rename(agent.force_handoff) }),
    ...(routing ? { routing: renamedRoutes(routing, rename) } : {}),
  };
}

function renamedRoutes(
  { allowed_agents, default_agent }: NonNullable<Agent["routing"]>,
  rename: (target: string) => string,
): NonNullable<Agent["routing"]> {
  return {
    allowed_agents: allowed_agents.map(rename),
    ...(default_agent === undefined ? {} : { default_agent: rename(default_agent) }),
  };
}

/** The default agent of a group and all agents it can delegate to, under their names in the importing file. */
function renamed({ agents, defaultAgent, origin }: FileAgents, name: string): Agent[] {
  const byName = new Map(agents.map((agent) => [agent.name, agent]));
  const reached = new Set([defaultAgent]);
  for (const next of reached)
    for (const target of targetsOf(byName.get(next))) if (byName.has(target)) reached.add(target);
  const rename = (target: string) =>
    target === defaultAgent ? name : byName.has(target) ? `${name}.${target}` : target;
  const names = new Map(agents.map((agent) => [agent.name, rename(agent.name)]));
  return agents
    .filter((agent) => reached.has(agent.name))
    .map((agent) => ({
      ...retargeted(agent, rename),
      name: rename(agent.name),
      names: agent.names ? new Map([...agent.names].map(([own, inner]) => [own, rename(inner)])) : names,
      ...(agent.origin ? { origin: agent.origin, via: [origin, ...(agent.via ?? [])] } : { origin }),
    }));
}
