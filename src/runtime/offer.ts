import type { OfferedTool } from "./activation.ts";
import type { Agent } from "./agent.ts";

/**
 * The tools of a turn: the toolsets' in their order, then the runtime's own. Of two with one name the first is offered.
 */
export function offerTools(agent: Agent, managed: readonly OfferedTool[]): OfferedTool[] {
  const own = agent.toolsets.flatMap(({ tools }) => tools.map((tool) => ({ tool, managed: false })));
  const names = new Set<string>();
  return [...own, ...managed].filter(({ tool: { name } }) => !names.has(name) && names.add(name));
}
