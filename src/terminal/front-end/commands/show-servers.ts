import { UserError } from "../../../lib/errors.ts";
import { counted } from "../../../lib/text/counted.ts";
import { escapeControls } from "../../../lib/text/escape-controls.ts";
import {
  listPrompts,
  offeredPrompts,
  type ServedToolset,
  servedToolsets,
  usageOf,
} from "../../../runtime/conversation/server-prompts.ts";
import type { Conversation } from "../prompt-session.ts";
import type { Choice } from "../terminal.ts";

const RESTART = "restart";

/** `/mcp [restart NAME]`: lists the MCP servers with their state and their prompts, or restarts one. */
export async function showServers(conversation: Conversation, typed: string): Promise<void> {
  const { terminal } = conversation;
  const [verb = "", name = "", ...rest] = typed.split(/\s+/);
  if (verb === "") return terminal.note((await serverRows(conversation)).join("\n") || "no MCP server is configured");
  if (verb !== RESTART || name === "" || rest.length > 0) throw new UserError("expected /mcp or /mcp restart NAME");
  const named = allServers(conversation).filter(({ server }) => server.name === name);
  if (named.length === 0) {
    const names = [...new Set(allServers(conversation).map(({ server }) => server.name))].join(", ");
    throw new UserError(`no MCP server ${JSON.stringify(name)}; configured: ${names || "none"}`);
  }
  terminal.note(`(${escapeControls(name)} is being restarted)`);
  for (const toolset of named) {
    await toolset.server.restart();
    await toolset.server.listPrompts(conversation.control.runSignal);
    terminal.note(`(${escapeControls(`${name}: ${stateOf(toolset)}`)})`);
  }
}

/** Returns what may follow `/mcp`: `restart NAME` for each server. */
export function serverChoices(conversation: Conversation): Choice<string>[] {
  const states = new Map(allServers(conversation).map((toolset) => [toolset.server.name, stateOf(toolset)]));
  return [...states].map(([name, state]) => ({
    value: `${RESTART} ${name}`,
    label: escapeControls(`${RESTART} ${name}`),
    description: escapeControls(state),
  }));
}

function allServers({ runtime }: Conversation): ServedToolset[] {
  return [...runtime.team.agents.values()].flatMap(servedToolsets);
}

/** Returns the rows of each agent's servers, each with its prompts below it; none if there is no server. */
async function serverRows({ runtime, control }: Conversation): Promise<string[]> {
  const agents = [...runtime.team.agents.values()];
  await Promise.all(agents.map((agent) => listPrompts(agent, control.runSignal)));
  const rows = agents.flatMap((agent) => {
    const owner = agents.length > 1 ? `${agent.name}: ` : "";
    return servedToolsets(agent).flatMap((toolset) => [
      `${owner}${toolset.server.name}  ${stateOf(toolset)}`,
      ...offeredPrompts(agent)
        .filter(({ server }) => server === toolset.server)
        .map(({ name, prompt }) =>
          `    ${[`/${name}`, usageOf(prompt)].join(" ").trim()}  ${prompt.description}`.trimEnd(),
        ),
    ]);
  });
  return rows.length > 0 ? [...rows, "/mcp restart NAME starts one again"].map(escapeControls) : [];
}

/** Returns `connected, 3 tools, 1 prompt`, or why the server is not connected. */
function stateOf({ server, tools }: ServedToolset): string {
  const { name, problem, prompts } = server;
  if (problem === undefined) return `connected, ${counted(tools.length, "tool")}, ${counted(prompts.length, "prompt")}`;
  const reason = problem.startsWith(`MCP server ${name}`) ? problem.slice(`MCP server ${name}`.length) : problem;
  return `not connected: ${reason.replace(/^[:\s]+/, "")}`;
}
