import type { Dialect, ToolCall } from "./dialect.ts";

/** What the name of a tool tells about its MCP server. */
export interface McpName {
  server: ToolCall["server"];
  /** The names of hooksh, `mcp:<server>:<tool>`. */
  names: string[];
  /** True if no tool of another kind has such a name. */
  isMcp: boolean;
  isAmbiguous: boolean;
}

/**
 * Reads the name of an MCP tool. `my__server__tool` could be a tool of `my` too: every way to split a name is one of its
 * names, so that a guard for either server runs. `told`: the server that the payload names.
 */
export function readMcpName(
  { mcpNames = [], ownServers = [] }: Dialect,
  { name }: ToolCall,
  { told, servers }: { told: ToolCall["server"]; servers: readonly string[] },
): Partial<McpName> {
  const known = [...ownServers, ...servers];
  if (told) return { server: told, names: [qualified(told)], isMcp: true, isAmbiguous: false };
  const form = mcpNames.find(({ prefix }) => name.startsWith(prefix));
  if (form === undefined) return {};
  const splits = splitsOf(name.slice(form.prefix.length), form.separator, known);
  if (splits.length === 0) return {};
  const configured = splits.flatMap((split) => {
    if (form.separator === "") return [];
    const server = known.find((each) => plain(each) === plain(split.name));
    return server === undefined ? [] : [{ name: server, tool: split.tool }];
  });
  const isMcp = !form.isShared || configured.length > 0;
  return {
    server:
      configured.at(-1) ??
      (isMcp && ((splits.length === 1 && form.separator !== "") || form.separator === "__") ? splits[0] : undefined),
    names: [...splits, ...configured].map(qualified),
    isMcp,
    isAmbiguous: !isMcp || splits.length > 1 || form.separator === "",
  };
}

/** No host has longer names of tools; a name is split this far. */
const MAX_SPLIT = 1000;

/** Every way to split a name into a server and its tool, the shortest server first. */
function splitsOf(text: string, separator: string, servers: readonly string[]): { name: string; tool: string }[] {
  if (separator === "") return ["", ...servers].map((name) => ({ name, tool: text })); // it could be any server's
  const last = Math.min(text.length - separator.length, MAX_SPLIT);
  const places = Array.from({ length: Math.max(last, 0) }, (_, i) => i).filter(
    (i) => i > 0 && text.startsWith(separator, i),
  );
  return places.map((i) => ({ name: text.slice(0, i), tool: text.slice(i + separator.length) }));
}

function qualified({ name, tool }: { name: string; tool: string }): string {
  return `mcp:${name}:${tool}`;
}

/** Hosts replace what a model may not see in a name. */
function plain(server: string): string {
  return server.replace(/[^A-Za-z0-9]/g, "_").toLowerCase();
}
