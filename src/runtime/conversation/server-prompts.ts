import { UserError } from "../../lib/errors.ts";
import type { ServerPrompt, ToolServer, Toolset } from "../../tools/tool.ts";
import type { Agent } from "../agent/agent.ts";

/** The start of the names under which the prompts of MCP servers are typed: `/mcp__SERVER__PROMPT`. */
export const PROMPT_PREFIX = "mcp__";

/** A prompt of an MCP server of an agent. */
export interface OfferedPrompt {
  /** What is typed after the slash. */
  readonly name: string;
  readonly server: ToolServer;
  readonly prompt: ServerPrompt;
}

/** A toolset whose tools come from a server. */
export type ServedToolset = Toolset & { readonly server: ToolServer };

/** Returns the toolsets of an agent and of its skills that have a server. */
export function servedToolsets({ toolsets, skills = [] }: Agent): ServedToolset[] {
  const all = new Set([...toolsets, ...skills.flatMap(({ scope }) => scope?.toolsets ?? [])]);
  return [...all].filter((toolset): toolset is ServedToolset => toolset.server !== undefined);
}

/** Reads the prompts of all MCP servers of an agent. Never throws. */
export async function listPrompts(agent: Agent, signal: AbortSignal): Promise<void> {
  await Promise.all(servedToolsets(agent).map(({ server }) => server.listPrompts(signal)));
}

/** Returns the prompts that the MCP servers of an agent listed last. Of two with one name, the first counts. */
export function offeredPrompts(agent: Agent): OfferedPrompt[] {
  const offered = new Map<string, OfferedPrompt>();
  for (const { server } of servedToolsets(agent)) {
    for (const prompt of server.prompts) {
      const name = `${PROMPT_PREFIX}${typeable(server.name)}__${typeable(prompt.name)}`;
      if (!offered.has(name)) offered.set(name, { name, server, prompt });
    }
  }
  return [...offered.values()];
}

/** Returns the prompt of a name, also one that no server has listed so far; undefined if there is none. */
export async function findPrompt(agent: Agent, name: string, signal: AbortSignal): Promise<OfferedPrompt | undefined> {
  if (!name.startsWith(PROMPT_PREFIX)) return undefined;
  const find = () => offeredPrompts(agent).find((each) => each.name === name);
  const known = find();
  if (known) return known;
  await listPrompts(agent, signal);
  return find();
}

/**
 * Returns the text of a prompt from its server. What was typed after the name holds the arguments, in the order in which the
 * server declares them; the last one takes the rest. Throws a {@link UserError} if one is missing or too many.
 */
export function textOfPrompt(offered: OfferedPrompt, typed: string, signal: AbortSignal): Promise<string> {
  const { server, prompt } = offered;
  return server.getPrompt(prompt.name, argumentsIn(offered, typed), signal);
}

/** Returns the arguments of a prompt as a user types them, optional ones in brackets: `NUMBER [LEVEL]`. */
export function usageOf({ arguments: list }: ServerPrompt): string {
  return list.map(({ name, isRequired }) => (isRequired ? name.toUpperCase() : `[${name.toUpperCase()}]`)).join(" ");
}

/** A word, or a text in quotation marks. */
const WORD = /^(?:"([^"]*)"|'([^']*)'|(\S+))(?:\s+|$)/;

function argumentsIn({ name, prompt }: OfferedPrompt, typed: string): Record<string, string> {
  const usage = `/${name} ${usageOf(prompt)}`.trim();
  const given: Record<string, string> = {};
  let rest = typed.trim();
  for (const [at, { name: argument, isRequired }] of prompt.arguments.entries()) {
    const [all = "", double, single, bare] = WORD.exec(rest) ?? [];
    const isRest = at === prompt.arguments.length - 1 && all !== rest;
    const value = isRest ? rest : (double ?? single ?? bare ?? "");
    if (value === "" && isRequired) throw new UserError(`/${name}: ${argument} is missing; expected ${usage}`);
    if (value !== "") given[argument] = value;
    rest = isRest ? "" : rest.slice(all.length);
  }
  if (rest !== "") throw new UserError(`/${name}: too many arguments; expected ${usage}`);
  return given;
}

/** Returns a name in which a character that a command cannot have is an underscore. */
function typeable(name: string): string {
  return name.replace(/[^\w.-]/g, "_");
}
