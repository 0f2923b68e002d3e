/** Returns how a name for tools of an MCP server is written that would match none of them as it is; undefined for others. */
export function mcpForm(name: string): { why: string; write: string } | undefined {
  const all = (server: string) => (server === "" ? "mcp:.*" : `mcp:${server}:.*`);
  const whole = /^mcp(?::|__)((?:(?!__)[\w-])+)$/.exec(name)?.[1];
  if (whole !== undefined) return { why: "this names a server without its tools", write: all(whole) };
  const slash = /^([\w-]+)\/\*$/.exec(name)?.[1];
  if (slash !== undefined) return { why: "a tool of an MCP server is mcp:SERVER:TOOL", write: all(slash) };
  const [, start, server = "", tool = ""] = /^(mcp(?::|__))(?:((?:(?!__)[\w-])+)(?::|__))?([\w-]*)\*$/.exec(name) ?? [];
  if (start === undefined) return undefined;
  return {
    why: "* repeats the character before it, and .* is any text",
    write: tool === "" ? all(server) : `mcp:${server || ".*"}:${tool}.*`,
  };
}
