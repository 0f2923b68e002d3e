import type { DecodedTool } from "../dialects/dialect.ts";
import type { Env } from "../lib/env.ts";
import { isObject } from "../lib/json.ts";
import { hasPosixSyntax } from "../lib/process/system-shell.ts";
import type { Payload } from "../protocol/rewrite.ts";
import { knownToolClass } from "../protocol/tool-class.ts";
import type { ToolUse } from "./tool-touches.ts";

/** The names that the tool of a call is known by. */
export function namesOf(payload: Payload, toolNames: readonly string[]): string[] {
  const names = [payload["tool_name"], payload["tool_qualified_name"], ...toolNames];
  return [...new Set(names.filter((name) => typeof name === "string" && name !== ""))] as string[];
}

const MCP_NAME = /^mcp:([^:]*):/s;

/** The MCP server of the tool of a call. */
export function serverOf(
  payload: Payload,
  tool: DecodedTool | undefined,
  toolNames: readonly string[],
): string | undefined {
  if (tool?.server) return tool.server.name;
  const name = namesOf(payload, toolNames).find(isMcpName);
  return (name === undefined ? undefined : MCP_NAME.exec(name)?.[1]) || undefined;
}

/** What a call uses: its tool, and the input. */
export function toolUse(payload: Payload, tool: DecodedTool | undefined, toolNames: readonly string[]): ToolUse {
  const { tool_name: given, tool_input: input, tool_category: category } = payload;
  const own = typeof given === "string" ? given : "";
  const toolset = typeof category === "string" ? category : undefined;
  const isMcp = tool?.server !== undefined || toolset === "mcp" || namesOf(payload, toolNames).some(isMcpName);
  const known = isMcp ? "other" : tool ? tool.class : knownToolClass(own, toolset);
  return {
    tool: own,
    name: tool?.name ?? own,
    class: known ?? "other",
    input: isObject(input) ? input : {},
    isMcp,
    isKnown: known !== undefined,
    also: tool?.row?.also ?? [],
    deletes: tool?.row?.deletes ?? false,
    isDeclared: !isMcp && toolset !== undefined && DECLARED.has(toolset),
    readOnly: payload["tool_read_only"] === true,
  };
}

/** True for a tool of which hooksh knows how it takes a command line. */
export function takesLine({ tool, class: kind, isDeclared }: ToolUse, host: DecodedTool | undefined): boolean {
  return kind === "runs-commands" && !isDeclared && (host?.row !== undefined || knownToolClass(tool) !== undefined);
}

const OTHER_SHELLS = /powershell|pwsh|execute_cmd/i;

/** True if the command line of a tool has the syntax of sh. */
export function isPosix({ name }: ToolUse, host: DecodedTool | undefined, env: Env): boolean {
  return host?.row?.interpreter !== undefined || (!OTHER_SHELLS.test(name) && hasPosixSyntax(env));
}

function isMcpName(name: string): boolean {
  return MCP_NAME.test(name);
}

/** Toolsets whose tools an agent file declares, with the command or the address that they use. */
const DECLARED: ReadonlySet<string> = new Set(["script", "api", "openapi"]);
