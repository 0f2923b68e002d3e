import type { Help } from "../../lib/errors.ts";
import { canonicalJson } from "../../lib/json.ts";
import { compileMatcher } from "../../pattern/pattern.ts";
import { contractOf } from "../../protocol/events.ts";
import type { AgentFile } from "../agent/agent-file.ts";
import { ownHooksOf, teamHooksOf } from "../agent/agent-hooks.ts";
import type { Agent } from "../agent/resolve-agent.ts";
import { loadHooksBlocks } from "../hooks/hook-sources.ts";
import { displayName, type HookEntry } from "../hooks/read-hooks.ts";
import { LIKE_MCP } from "../toolsets/built-in-tools.ts";
import { type KnownTools, toolsOfAgent } from "./known-tools.ts";

const GUARD_OF_ONE_AGENT_ONLY: Help = {
  cause:
    "One agent guards a tool under its own `hooks`, and an agent that it can delegate to has the tool without a guard.",
  cure: "Move the guard to `hooks:` at the top of the file, where it holds for [every agent](hooks.md#hooks-for-a-team), or guard the tool under the other agent, too.",
};

/** The part of an agent file that decides which guards hold for which agent. */
export type TeamScope = Pick<
  AgentFile,
  "agents" | "document" | "toolsets" | "models" | "providers" | "evaluators" | "hooks" | "ruleKeys"
>;

/** A guard of one agent, and another agent that has the guarded tools without a guard of its own. */
export interface GuardGap {
  entry: HookEntry;
  message: string;
  help: Help;
}

/** A longer list of names does not help in a message. */
const MAX_LISTED = 3;

/**
 * Finds the tools that one agent guards by its own hooks and an agent that it can reach, by any number of delegations,
 * uses without a guard.
 */
export async function guardGaps(file: TeamScope): Promise<GuardGap[]> {
  const members = await Promise.all(
    file.agents.map(async (agent) => ({
      agent,
      tools: toolsOfAgent(agent, agent.origin ?? file),
      own: (await loadHooksBlocks([ownHooksOf(file, agent)])).filter(isGuard),
      shared: await loadHooksBlocks(teamHooksOf(file, agent)),
    })),
  );
  return members.flatMap(({ agent, own }) => {
    const reached = members.filter((other) => other.agent !== agent && reach(agent, file.agents).has(other.agent.name));
    return own.flatMap((entry) =>
      reached.flatMap((other) => {
        if (other.shared.some((shared) => isSameGuard(shared, entry))) return [];
        const tools = coveredTools(entry, other.tools).filter(
          (tool) => !other.own.some(({ matcher }) => compileMatcher(matcher)([tool])),
        );
        return tools.length === 0
          ? []
          : [{ entry, message: gapText(entry, agent, other.agent, tools), help: GUARD_OF_ONE_AGENT_ONLY }];
      }),
    );
  });
}

function isGuard({ event, hook }: HookEntry): boolean {
  const { matcher, failClosed } = contractOf(event);
  return matcher && failClosed && hook.mode !== "observe";
}

/** Returns the names of the agents that an agent can hand work to, by any number of delegations. */
function reach(start: Agent, agents: readonly Agent[]): Set<string> {
  const reached = new Set<string>();
  const open = [start];
  for (const { sub_agents = [], handoffs = [], force_handoff, routing } of open) {
    for (const name of [...sub_agents, ...handoffs, force_handoff, ...(routing?.allowed_agents ?? [])]) {
      const target = agents.find((agent) => agent.name === name);
      if (!target || reached.has(target.name)) continue;
      reached.add(target.name);
      open.push(target);
    }
  }
  return reached;
}

function isSameGuard(a: HookEntry, b: HookEntry): boolean {
  const keys = ({ event, matcher, hook }: HookEntry) => canonicalJson({ event, matcher, ...hook, examples: undefined });
  return keys(a) === keys(b);
}

/** Represents the tools of an agent whose names only a server knows. */
const SERVER_TOOLS = "the tools of its servers";

function coveredTools({ matcher }: HookEntry, { names, mayHaveMore }: KnownTools): string[] {
  const covers = compileMatcher(matcher);
  const named = [...new Set(names)].filter((name) => covers([name]));
  const isForServers = mayHaveMore && (covers([SERVER_TOOLS]) || LIKE_MCP.test(matcher));
  return [...named, ...(isForServers ? [SERVER_TOOLS] : [])];
}

function gapText(
  { hook }: HookEntry,
  { name: owner }: Agent,
  { name: other }: Agent,
  tools: readonly string[],
): string {
  const listed = tools.slice(0, MAX_LISTED).join(", ");
  const more = tools.length > MAX_LISTED ? ` and ${tools.length - MAX_LISTED} more tools` : "";
  return (
    `${other} can run ${listed}${more}, and the guard ${displayName(hook)} of ${owner} does not apply to it; ` +
    "move it to hooks: at the top of the file"
  );
}
