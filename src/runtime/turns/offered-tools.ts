import type { Agent } from "../agent/agent.ts";
import { backgroundTools } from "../delegation/background-tools.ts";
import type { RunStream } from "../delegation/child-session.ts";
import { delegationTools } from "../delegation/delegation-tools.ts";
import { skillTools } from "../skills/skill-tools.ts";
import type { OfferedTool, Stream } from "../stream/stream-state.ts";

/**
 * Returns the tools of a turn: those of the toolsets in order, then the runtime's own, then those of a forked skill. A
 * forked skill limits the first two to what it may use. If two tools have the same name, the first is offered.
 */
export function offeredTools(stream: Stream, agent: Agent, runStream: RunStream): OfferedTool[] {
  const { skill, excludedTools } = stream;
  const offered: OfferedTool[] = [];
  const managed = [
    ...delegationTools(stream, agent, runStream),
    ...backgroundTools(stream, agent, runStream),
    ...skillTools(stream, agent, () => offered, runStream),
  ];
  const agents = [...toolsOf(agent.toolsets), ...managed].filter(({ tool }) => skill?.allows(tool.name) ?? true);
  const names = new Set<string>(excludedTools);
  const all = [...agents, ...toolsOf(skill?.toolsets ?? [])];
  offered.push(...all.filter(({ tool: { name } }) => !names.has(name) && names.add(name)));
  return offered;
}

function toolsOf(toolsets: Agent["toolsets"]): OfferedTool[] {
  return toolsets.flatMap(({ tools }) => tools.map((tool) => ({ tool, isOfRuntime: false })));
}
