import { rowOf } from "../../tools/index.ts";
import type { Agent, AgentOrigin } from "../agent/resolve-agent.ts";
import { TOOLS_OF_AGENTS } from "../toolsets/built-in-tools.ts";
import type { ToolsetConfig } from "../toolsets/toolset-schema.ts";

/** The tools that matchers are compared with. */
export interface KnownTools {
  names: readonly string[];
  /** True if there may be more tools, whose names only a server knows. */
  mayHaveMore: boolean;
}

/** Returns the tools of an agent that its file determines. */
export function toolsOfAgent(agent: Agent, { toolsets }: Pick<AgentOrigin, "toolsets">): KnownTools {
  const hasSkills = agent.skills === true || (Array.isArray(agent.skills) && agent.skills.length > 0);
  const entries = [...agent.toolsets, ...(hasSkills ? Object.values(toolsets) : [])].map(toolsOfToolset);
  return {
    names: [
      ...entries.flatMap(({ names }) => names),
      ...(agent.sub_agents?.length ? TOOLS_OF_AGENTS.sub_agents : []),
      ...(agent.handoffs?.length ? TOOLS_OF_AGENTS.handoffs : []),
      ...(hasSkills ? TOOLS_OF_AGENTS.skills : []),
    ],
    mayHaveMore: entries.some(({ mayHaveMore }) => mayHaveMore),
  };
}

function toolsOfToolset(entry: ToolsetConfig): KnownTools {
  const chosen = Array.isArray(entry["tools"]) ? entry["tools"] : undefined;
  const { tools } = rowOf(entry);
  const names = typeof tools === "function" ? tools(entry) : tools;
  return {
    names: chosen && names ? names.filter((name) => chosen.includes(name)) : (names ?? []),
    mayHaveMore: names === undefined,
  };
}
